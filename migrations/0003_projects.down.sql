DROP TABLE uploads, items, imports;
DROP VIEW usable_invitations, member_names, project_leads;
DROP FUNCTION session_is_active(timestamptz);
DROP TABLE members, projects;
