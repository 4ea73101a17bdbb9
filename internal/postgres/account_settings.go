package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
)

// SaveSettings stores what a user chose for their own screens.
func (db *DB) SaveSettings(ctx context.Context, id account.ID, s account.Settings) error {
	if err := s.Check(); err != nil {
		return err
	}
	if s.Keys == nil {
		s.Keys = account.Keys{}
	}
	_, err := db.pool.Exec(ctx, `
		INSERT INTO identity.account_settings (account_id, theme, text_size, reduces_motion, language, auto_advances,
		shortcuts_disabled, keys)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account_id) DO UPDATE SET theme = excluded.theme, text_size = excluded.text_size,
		reduces_motion = excluded.reduces_motion,
			language = excluded.language, auto_advances = excluded.auto_advances,
			shortcuts_disabled = excluded.shortcuts_disabled,
			keys = excluded.keys, updated_at = now()`,
		id, s.Theme, s.TextSize, s.ReducesMotion, s.Language, s.AutoAdvances, s.ShortcutsDisabled, s.Keys)
	return err
}

// SetShortcutsDisabled turns the single keys of a user on or off.
func (db *DB) SetShortcutsDisabled(ctx context.Context, id account.ID, disabled bool) error {
	_, err := db.pool.Exec(ctx, `
		INSERT INTO identity.account_settings (account_id, shortcuts_disabled) VALUES ($1, $2)
		ON CONFLICT (account_id) DO UPDATE SET shortcuts_disabled = excluded.shortcuts_disabled,
		updated_at = now()`, id, disabled)
	return err
}
