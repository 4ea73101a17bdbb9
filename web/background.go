package web

import (
	"cmp"
	"net/http"
	"net/url"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

// maxDirectBytes is the size of a file up to which it is read while the browser waits. It takes
// a few seconds.
const maxDirectBytes = 16 << 20

// stoppedText says why work in the background did not end. What to do follows.
const stoppedText = locale.Text("The server stopped before it was done.")

// ExplainFailure returns why a job failed, for its page, and logs what only an operator can fix.
func (s *Server) ExplainFailure(language string, err error) (reason string) {
	l := cmp.Or(locale.ByTag(language), locale.English)
	if reason := importConflictMessage(l, err); reason != "" {
		return reason
	}
	f := problem.ToFault(err)
	if f.Kind == fault.Internal {
		s.log.Error("job failed", "error", postgres.Redact(err))
		return l.T("An internal error. The log of the server has the details.")
	}
	return l.Message(f)
}

// stoppedReason says that the server stopped, and what to do.
func stoppedReason(l *locale.Locale, again locale.Text) string {
	return l.Translate(stoppedText) + " " + l.Translate(again)
}

const importAgain = locale.Text("Nothing was imported. Start again here.")

// redirectToImportTask goes to the page of an upload that a job reads or imports.
func redirectToImportTask(w http.ResponseWriter, r *http.Request, p project.Project, token string) error {
	path := page.ProjectPath(p.Key, "import", token)
	if targets := r.URL.Query()["target"]; len(targets) > 0 {
		path += "?" + url.Values{"target": targets}.Encode()
	}
	return redirect(w, r, path)
}

// showImportTask shows how far the last task of an upload is, or where its items are. It reports
// whether it answered, or else why the task failed.
func (s *Server) showImportTask(w http.ResponseWriter, r *http.Request, p project.Project, token string) (isDone bool,
	reason string, err error) {
	task, err := s.db.LastImportTask(r.Context(), currentAccount(r).ID, p, token)
	switch {
	case err != nil || task == nil:
		return false, "", err
	case task.IsRunning():
		w.Header().Set("Refresh", "2")
		d := page.ImportTaskData{User: currentUser(r), Project: p, Path: r.URL.RequestURI(),
			IsImport: task.Kind == postgres.TaskImport, Done: task.DoneBytes, Total: task.TotalBytes}
		return true, "", render(w, r, http.StatusOK, page.ImportTask(d))
	case task.IsLost:
		return false, stoppedReason(currentLocale(r), importAgain), nil
	case task.Kind == postgres.TaskImport && task.Problem == "":
		return true, "", redirectToImported(w, r, p)
	}
	return false, task.Problem, nil
}

func redirectToImported(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return redirect(w, r, page.ProjectPath(p.Key)+"?"+url.Values{"after": {"import"},
		"target": r.URL.Query()["target"]}.Encode())
}
