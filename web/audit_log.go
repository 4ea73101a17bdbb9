package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) showAuditLog(w http.ResponseWriter, r *http.Request) error {
	return s.renderAuditLog(w, r, project.Project{})
}

// renderAuditLog shows the entries of a project, or all for the zero project.
func (s *Server) renderAuditLog(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.AuditLogData{User: currentUser(r), Project: p, Filter: auditQuery(r), BeforeID: queryID[int64](r,
		"before_id")}
	for _, action := range postgres.AuditActions {
		if p.ID == 0 || !strings.HasPrefix(action, "account.") && !strings.HasPrefix(action, "protocol.") {
			d.Actions = append(d.Actions, action)
		}
	}
	f, formErrors := readAuditFilter(currentLocale(r), d.Filter)
	if f.Action != "" && !slices.Contains(d.Actions, f.Action) {
		return fault.NotFound
	}
	if err := s.addPeople(r, &d, f.AccountID); err != nil {
		return err
	}
	if len(formErrors) > 0 {
		d.Errors = formErrors
		return render(w, r, http.StatusUnprocessableEntity, page.AuditLog(d))
	}
	var err error
	if p.ID == 0 {
		d.Entries, err = s.db.AuditLog(r.Context(), f, d.BeforeID, rowsPerPage+1)
	} else {
		d.Entries, err = s.db.ProjectAuditLog(r.Context(), currentAccount(r).ID, p, f, d.BeforeID, rowsPerPage+1)
	}
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "item")
		return render(w, r, status, page.AuditLog(d))
	}
	if len(d.Entries) > rowsPerPage {
		d.Entries = d.Entries[:rowsPerPage]
		d.NextID = d.Entries[rowsPerPage-1].ID
	}
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.AuditLog(d))
}

// addPeople adds the people that the log can be filtered by.
func (s *Server) addPeople(r *http.Request, d *page.AuditLogData, chosen account.ID) error {
	actors, err := s.db.AuditActors(r.Context(), d.Project.ID)
	if err != nil {
		return err
	}
	ids, names := make([]account.ID, len(actors)), make([]string, len(actors))
	for i, a := range actors {
		ids[i], names[i] = a.ID, a.Name
	}
	d.People = page.PersonOptions(currentLocale(r), ids, names, chosen)
	return nil
}

// auditQuery returns the filters in the address or form that are not empty.
func auditQuery(r *http.Request) url.Values {
	filter := url.Values{}
	for _, key := range []string{"person", "project", "item", "action", "from", "until"} {
		if value := strings.TrimSpace(r.FormValue(key)); value != "" {
			filter.Set(key, value)
		}
	}
	return filter
}

// readAuditFilter reads the filters of an address. Days are of the time zone of l, and both are
// included.
func readAuditFilter(l *locale.Locale, query url.Values) (f audit.Filter, formErrors page.FormErrors) {
	readDay := func(key string) (day time.Time) {
		text := query.Get(key)
		if text == "" {
			return day
		}
		day, err := time.ParseInLocation(time.DateOnly, text, l.Zone())
		if err != nil {
			formErrors = append(formErrors, ui.FieldError{FieldID: key, Message: l.T(
				"“%s” is not a date. Write it as 2026-11-22.", text)})
		}
		return day
	}
	f = audit.Filter{ProjectKey: query.Get("project"), AccountID: parseID[account.ID](query.Get("person")),
		Action: query.Get("action"), Item: query.Get("item"), From: readDay("from"), Until: readDay("until")}
	if !f.Until.IsZero() {
		f.Until = f.Until.AddDate(0, 0, 1)
	}
	return f, formErrors
}

func (s *Server) exportAuditLog(w http.ResponseWriter, r *http.Request) error {
	return s.writeAuditLog(w, r, project.Project{})
}

// writeAuditLog sends the filtered entries as a file. Leads get no details: those of a decision
// could reveal answers.
func (s *Server) writeAuditLog(w http.ResponseWriter, r *http.Request, p project.Project) error {
	format := audit.Format(r.FormValue("format"))
	f, formErrors := readAuditFilter(currentLocale(r), auditQuery(r))
	if format != audit.CSV && format != audit.JSONL || len(formErrors) > 0 {
		return fault.NotFound
	}
	w.Header().Set("Content-Type", map[audit.Format]string{audit.CSV: "text/csv; charset=utf-8",
		audit.JSONL: "application/x-ndjson"}[format])
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="audit-log.%s"`, format))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	extendDeadlines(w, maxUploadTime)
	out, err := audit.NewWriter(w, format)
	if err != nil {
		return nil //nolint:nilerr // the client is gone
	}
	err = s.db.ScanAuditLog(r.Context(), *currentAccount(r), p, f, func(e audit.Entry) error {
		row := audit.NewRow(e)
		if p.ID != 0 {
			row.Detail = nil // as recorded, which only admins may see
		}
		return out.Write(row)
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		s.log.WarnContext(r.Context(), "audit log not sent completely", "error", postgres.Redact(err))
		panic(http.ErrAbortHandler) // so that the client sees an incomplete file
	}
	return nil
}
