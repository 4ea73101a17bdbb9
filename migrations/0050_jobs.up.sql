-- river has the tables of River, which runs work in the background. After these migrations, River's own ones create
-- and update the tables.
CREATE SCHEMA river;
