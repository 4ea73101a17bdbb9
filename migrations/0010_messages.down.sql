DROP FUNCTION has_unread_messages;
DROP VIEW unread_announcements;
DROP TABLE announcement_acknowledgments;
DROP TABLE announcements;
DROP TABLE questions;
DROP FUNCTION is_plain_text;
