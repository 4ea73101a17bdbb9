ALTER TABLE projects DROP COLUMN show_habits;
