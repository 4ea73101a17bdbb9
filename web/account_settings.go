package web

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// saveSettings stores the form "Display and keys". What it does not have stays as it is.
func (s *Server) saveSettings(w http.ResponseWriter, r *http.Request) error {
	settings := readSettings(r)
	err := s.db.SaveSettings(r.Context(), currentAccount(r).ID, settings)
	if problem, ok := errors.AsType[*fault.Error](err); ok && problem.Kind == fault.Invalid {
		d := page.AccountData{Settings: settings}
		for _, f := range problem.Fields {
			d.SettingsErrors = append(d.SettingsErrors, ui.FieldError{FieldID: f.Field,
				Message: currentLocale(r).FieldMessage(f)})
		}
		return s.renderAccount(w, r, http.StatusUnprocessableEntity, d)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=settings#display")
}

func readSettings(r *http.Request) account.Settings {
	settings, form := currentSettings(r), r.PostForm
	if form.Has("reset_keys") {
		settings.Keys = nil
		return settings
	}
	settings.Theme, settings.TextSize = account.Theme(form.Get("theme")), account.TextSize(form.Get("text_size"))
	settings.Language = form.Get("language")
	settings.ReducesMotion = form.Get("reduces_motion") == "1"
	settings.AutoAdvances = form.Get("auto_advances") == "1"
	settings.ShortcutsDisabled = form.Get("shortcuts_enabled") != "1"
	settings.Keys = account.Keys{}
	for _, d := range account.DefaultKeys {
		if key := account.NormalizeKey(form.Get(d.Command.Field())); key != "" && key != d.Key {
			settings.Keys[d.Command] = key
		}
	}
	return settings
}

// downloadAccountData sends all that is stored about the user.
func (s *Server) downloadAccountData(w http.ResponseWriter, r *http.Request) error {
	sections, err := s.db.ExportAccount(r.Context(), currentAccount(r).ID, currentAccount(r).ID)
	if err != nil {
		return err
	}
	content, err := json.MarshalIndent(api.AccountExport{Sections: sections}, "", "  ")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="account.json"`)
	_, err = w.Write(content)
	return err
}
