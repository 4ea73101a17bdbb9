package web

import (
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showSessionSettings(w http.ResponseWriter, r *http.Request, p project.Project) error {
	settings, err := s.db.SessionSettings(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d := page.SessionSettingsData{User: currentUser(r), Project: p, Settings: settings}
	if queryParam(r, "after") == "saved" {
		d.Notice = currentLocale(r).T("Settings saved. They apply from now on.")
	}
	return render(w, r, http.StatusOK, page.SessionSettings(d))
}

// saveSessionSettings stores the form of the settings.
func (s *Server) saveSessionSettings(w http.ResponseWriter, r *http.Request, p project.Project) error {
	var err error
	settings, formErrors := readSessionSettings(currentLocale(r), r.PostForm)
	if len(formErrors) == 0 {
		err = s.db.UpdateSessionSettings(r.Context(), currentAccount(r).ID, p, settings)
	}
	status := formErrorStatus(err)
	if status != 0 {
		formErrors = toFormErrors(currentLocale(r), err, "")
	} else if err != nil {
		return err
	}
	if len(formErrors) > 0 {
		return render(w, r, max(status, http.StatusUnprocessableEntity),
			page.SessionSettings(page.SessionSettingsData{User: currentUser(r), Project: p, Settings: settings,
				Errors: formErrors}))
	}
	return redirect(w, r, page.ProjectPath(p.Key, "session-settings")+"?after=saved")
}

func readSessionSettings(l *locale.Locale, fields url.Values) (project.SessionSettings, page.FormErrors) {
	var formErrors page.FormErrors
	readNumber := func(key string, label locale.Text) int {
		n, err := readWholeNumber(fields, key, label)
		if err != nil {
			formErrors = append(formErrors, toFormErrors(l, err, key)...)
		}
		return n
	}
	return project.SessionSettings{
		MissPolicy: fields.Get("miss_policy"), ShareCalibrationScores: fields.Get("share_calibration_scores") != "",
		AllowsUndo: fields.Get("allows_undo") != "", SkipPolicy: fields.Get("skip_policy"),
		BreakAfterMinutes:   readNumber("break_after_minutes", locale.Text("The time until a break")),
		DailyItemLimit:      readNumber("daily_item_limit", locale.Text("The daily limit")),
		SessionLimitMinutes: readNumber("session_limit_minutes", locale.Text("The session limit")),
		ReleaseAfterMinutes: readNumber("release_after_minutes", locale.Text("The time until release")),
		ContentWarning:      fields.Get("content_warning"), SupportURL: fields.Get("support_url"),
	}, formErrors
}
