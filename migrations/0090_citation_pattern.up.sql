ALTER TABLE projects ADD COLUMN citation_pattern text NOT NULL DEFAULT '[{n}]'
    CONSTRAINT projects_citation_pattern_length CHECK (char_length(citation_pattern) <= 40);
COMMENT ON COLUMN projects.citation_pattern IS 'How answers cite chunks: {n} stands for the number of a chunk, {source} for its source. Empty: citations are not linked.';
