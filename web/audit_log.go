package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) showAuditLog(w http.ResponseWriter, r *http.Request) error {
	d := page.AuditLogData{User: currentUser(r), Actions: postgres.AuditActions, Action: queryParam(r, "action"), BeforeID: queryID[int64](r, "before_id")}
	if d.Action != "" && !slices.Contains(postgres.AuditActions, d.Action) {
		return fault.NotFound
	}
	entries, err := s.db.AuditLog(r.Context(), d.Action, d.BeforeID, rowsPerPage+1)
	if err != nil {
		return err
	}
	if len(entries) > rowsPerPage {
		entries = entries[:rowsPerPage]
		q := url.Values{"before_id": {formatID(entries[rowsPerPage-1].ID)}}
		if d.Action != "" {
			q.Set("action", d.Action)
		}
		d.NextPath = "/admin/audit-log?" + q.Encode()
	}
	for _, e := range entries {
		d.Entries = append(d.Entries, page.AuditEntry{CreatedAt: e.CreatedAt, Actor: e.ActorName, Action: e.Action, Subject: newSubjectLink(e.Subject), Detail: formatDetail(e.Detail)})
	}
	return render(w, r, http.StatusOK, page.AuditLog(d))
}

// newSubjectLink links the subject of an audit entry to its page.
func newSubjectLink(subject string) ui.Link {
	kind, name, _ := strings.Cut(subject, " ")
	link := ui.Link{Text: subject}
	switch kind {
	case "account":
		link.Path = "/admin/users/" + url.PathEscape(name)
	case "project":
		link.Path = page.ProjectPath(name)
	case "protocol":
		key, version, _ := strings.Cut(name, " v")
		version, _, _ = strings.Cut(version, ".")
		link.Path = "/protocols/" + url.PathEscape(key) + "/" + url.PathEscape(version)
	case "batch":
		key, batch, _ := strings.Cut(name, "/")
		link.Path = page.ProjectPath(key, "batches", batch)
	}
	return link
}

// formatDetail returns the details of an audit entry, sorted by name.
func formatDetail(detail map[string]any) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(detail)) {
		text, ok := detail[key].(string)
		if !ok {
			raw, err := json.Marshal(detail[key])
			if err != nil {
				continue
			}
			text = string(raw)
		}
		parts = append(parts, fmt.Sprintf("%s %s", key, text))
	}
	return strings.Join(parts, ", ")
}
