DROP TABLE upload_chunks, uploads, items, imports;
DROP TRIGGER check_revision ON protocol_revisions;
DROP FUNCTION check_revision();
DROP VIEW revision_publishers;
DROP VIEW identity.usable_invitations, identity.member_names, project_leads;
DROP FUNCTION session_is_active(timestamptz);
DROP TABLE members, projects;
