package web

import (
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showSessionSettings shows what a project decides about its sessions.
func (s *Server) showSessionSettings(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	d := page.SessionSettingsData{User: currentUser(r), Project: p}
	if d.Settings, err = s.db.SessionSettings(r.Context(), p.ID); err != nil {
		return err
	}
	if queryParam(r, "after") == "kept" {
		d.Notice = "Kept. It holds from now on."
	}
	return render(w, r, http.StatusOK, page.SessionSettings(d))
}

// saveSessionSettings takes the form of it.
func (s *Server) saveSessionSettings(w http.ResponseWriter, r *http.Request) error {
	p, err := s.projectFromPath(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	settings, formErrors := readSessionSettings(fields)
	if len(formErrors) == 0 {
		err = s.db.UpdateSessionSettings(r.Context(), currentAccount(r).ID, p, settings)
	}
	status := formErrorStatus(err)
	if status != 0 {
		formErrors = toFormErrors(err, "")
	} else if err != nil {
		return err
	}
	if len(formErrors) > 0 {
		return render(w, r, max(status, http.StatusUnprocessableEntity), page.SessionSettings(page.SessionSettingsData{User: currentUser(r), Project: p, Settings: settings, Errors: formErrors}))
	}
	return redirect(w, r, page.ProjectPath(p.Key, "session")+"?after=kept")
}

func readSessionSettings(fields url.Values) (project.SessionSettings, page.FormErrors) {
	var formErrors page.FormErrors
	readNumber := func(key, label string) int {
		n, err := readWholeNumber(fields, key, label)
		if err != nil {
			formErrors = append(formErrors, toFormErrors(err, key)...)
		}
		return n
	}
	return project.SessionSettings{
		MissPolicy: fields.Get("after_miss"), SkipPolicy: fields.Get("aside_next"),
		BreakAfterMinutes: readNumber("break_after", "The time until a break"), DailyItemLimit: readNumber("day_items", "The day's limit"),
		SessionLimitMinutes: readNumber("sitting_minutes", "The longest sitting"), ReleaseAfterMinutes: readNumber("return_after", "The time until an item goes back"),
		ContentWarning: fields.Get("warning"), SupportURL: fields.Get("support_url"),
	}, formErrors
}
