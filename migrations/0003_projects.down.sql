DROP TABLE items, imports, members, projects;
