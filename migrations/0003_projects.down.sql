DROP TABLE uploads, items, imports;
DROP TRIGGER check_revision ON protocol_revisions;
DROP FUNCTION check_revision();
DROP VIEW revision_publishers;
DROP VIEW usable_invitations, member_names, project_leads;
DROP FUNCTION session_is_active(timestamptz);
DROP TABLE members, projects;
