DROP TABLE identity.api_requests;
DROP TABLE identity.api_token_projects;
DROP TABLE identity.api_tokens;
