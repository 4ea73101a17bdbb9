DROP TABLE identity.oidc_subjects;
