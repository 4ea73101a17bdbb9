package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// ProjectPath returns the path of a project's overview, or of a page below it.
func ProjectPath(key string, segments ...string) string {
	return joinPath("/projects/"+url.PathEscape(key), segments)
}

// BatchPath returns the path of a batch's board, or of a page below it.
func BatchPath(p project.Project, b project.Batch, segments ...string) string {
	return ProjectPath(p.Key, append([]string{"batches", b.Name}, segments...)...)
}

// QuestionPath returns the place where leads answer a question.
func QuestionPath(key string, itemID project.ItemID, id labeling.QuestionID) string {
	return ProjectPath(key, "items", formatID(itemID)) + "#question-" + formatID(id)
}

// ProtocolPath returns the path of a protocol version.
func ProtocolPath(p protocol.Protocol) string {
	return joinPath("/protocols", []string{p.Key, strconv.Itoa(p.Version)})
}

// UserPath returns the path of an account's page.
func UserPath(id account.ID) string { return "/admin/users/" + formatID(id) }

func joinPath(path string, segments []string) string {
	for _, s := range segments {
		path += "/" + url.PathEscape(s)
	}
	return path
}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

func projectTabs(l *locale.Locale, p project.Project) []ui.Link {
	return []ui.Link{
		{Path: ProjectPath(p.Key), Text: l.T("Overview")},
		{Path: ProjectPath(p.Key, "items"), Text: l.T("Items")},
		{Path: ProjectPath(p.Key, "batches"), Text: l.T("Batches")},
		{Path: ProjectPath(p.Key, "members"), Text: l.T("People")},
		{Path: ProjectPath(p.Key, "report"), Text: l.T("Results")},
		{Path: ProjectPath(p.Key, "settings"), Text: l.T("Settings")},
	}
}

// tabSegments lists the first segments of paths in a project by the tab that they belong to.
var tabSegments = map[string][]string{
	"items":    {"items", "import", "imports", "skips", "references", "questions"},
	"batches":  {"batches", "openings"},
	"members":  {"members", "hours"},
	"report":   {"report", "adjudication", "disagreements", "consensus", "annotators", "export", "exports"},
	"settings": {"settings", "instructions", "versions", "session-settings", "webhooks", "audit-log"},
}

// TabPath returns the path of the tab that a page of a project belongs to.
func TabPath(path string) string {
	below, isProject := strings.CutPrefix(path, "/projects/")
	key, below, _ := strings.Cut(below, "/")
	segment, _, _ := strings.Cut(below, "/")
	for tab, segments := range tabSegments {
		if isProject && slices.Contains(segments, segment) {
			return "/projects/" + key + "/" + tab
		}
	}
	return path
}

// tabViews are the pages of a tab, except those of one batch and of the report.
func tabViews(l *locale.Locale, p project.Project, tab string) []ui.Link {
	switch tab {
	case ProjectPath(p.Key, "items"):
		return []ui.Link{
			{Path: tab, Text: l.T("All items")},
			{Path: ProjectPath(p.Key, "questions"), Text: l.T("Questions")},
			{Path: ProjectPath(p.Key, "skips"), Text: l.T("Skipped")},
			{Path: ProjectPath(p.Key, "references"), Text: l.T("Calibration")},
			{Path: ProjectPath(p.Key, "imports"), Text: l.T("Imports")},
		}
	case ProjectPath(p.Key, "members"):
		return []ui.Link{{Path: tab, Text: l.T("Members")}, {Path: ProjectPath(p.Key, "hours"), Text: l.T("Hours")}}
	case ProjectPath(p.Key, "report"):
		return append([]ui.Link{{Path: tab, Text: l.T("Report")}}, resultViews(l, p)...)
	case ProjectPath(p.Key, "settings"):
		return []ui.Link{
			{Path: tab, Text: l.T("Project")},
			{Path: ProjectPath(p.Key, "instructions"), Text: l.T("Instructions")},
			{Path: ProjectPath(p.Key, "versions"), Text: l.T("Protocol")},
			{Path: ProjectPath(p.Key, "session-settings"), Text: l.T("Sessions")},
			{Path: ProjectPath(p.Key, "webhooks"), Text: l.T("Webhooks")},
			{Path: ProjectPath(p.Key, "audit-log"), Text: l.T("Audit log")},
		}
	}
	return nil
}

// resultViews are the results other than the report.
func resultViews(l *locale.Locale, p project.Project) []ui.Link {
	return []ui.Link{
		{Path: ProjectPath(p.Key, "disagreements"), Text: l.T("Disagreements")},
		{Path: ProjectPath(p.Key, "adjudication"), Text: l.T("Adjudication")},
		{Path: ProjectPath(p.Key, "consensus"), Text: l.T("Consensus")},
		{Path: ProjectPath(p.Key, "export"), Text: l.T("Export")},
	}
}

// batchTabs are the pages of a batch.
func batchTabs(l *locale.Locale, p project.Project, b project.Batch) []ui.Link {
	tabs := []ui.Link{{Path: BatchPath(p, b), Text: l.T("Board")}, {Path: BatchPath(p, b, "progress"),
		Text: l.T("Pace and corrections")}}
	if b.CalibrationCount > 0 {
		tabs = append(tabs, ui.Link{Path: BatchPath(p, b, "calibration"), Text: l.T("Calibration results")})
	}
	tabs = append(tabs, ui.Link{Path: BatchPath(p, b, "announcements"), Text: l.T("Announcements")})
	if b.Assignment == project.Planned {
		tabs = append(tabs, ui.Link{Path: BatchPath(p, b, "sheets"), Text: l.T("Sheets")})
	}
	return tabs
}
