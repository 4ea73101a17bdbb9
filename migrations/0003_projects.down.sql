DROP TABLE upload_chunks, uploads, items, imports;
DROP VIEW project_leads;
DROP FUNCTION session_is_active(timestamptz);
DROP TABLE members, projects;
