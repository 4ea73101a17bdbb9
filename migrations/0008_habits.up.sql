-- Whether annotators are shown what is said of their own habits, once a batch
-- of theirs is closed.
ALTER TABLE projects ADD COLUMN show_habits boolean NOT NULL DEFAULT false;
