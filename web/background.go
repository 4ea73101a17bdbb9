package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

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

// failInBackground returns why work in the background failed, for its page, and logs what only
// an operator can fix. again says what to do after a stop of the server. It returns "" for nil.
func (s *Server) failInBackground(l *locale.Locale, what string, again locale.Text, err error) (reason string) {
	if err == nil {
		return ""
	}
	f := problem.ToFault(err)
	switch {
	case s.running.Err() != nil:
		return stoppedReason(l, again)
	case f.Kind == fault.Internal:
		s.log.Error(what+" failed", "error", postgres.Redact(err))
		return l.T("An internal error. The log of the server has the details.")
	}
	return l.Message(f)
}

// stoppedReason says that the server stopped, and what to do.
func stoppedReason(l *locale.Locale, again locale.Text) string {
	return l.Translate(stoppedText) + " " + l.Translate(again)
}

// storeFailure stores a reason for a page, also while the server stops.
func (s *Server) storeFailure(reason string, store func(context.Context, string) error) {
	if reason == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.running), 5*time.Second)
	defer cancel()
	if err := store(ctx, reason); err != nil {
		s.log.Warn("failure of work in the background not stored", "error", postgres.Redact(err))
	}
}

const importAgain = locale.Text("Nothing was imported. Start again here.")

// runImportTask reads or imports an upload in the background, and goes to its page.
func (s *Server) runImportTask(w http.ResponseWriter, r *http.Request, p project.Project, token string,
	kind postgres.ImportTaskKind, run func(context.Context, postgres.ImportTaskID) error) error {
	id, isNew, err := s.db.StartImportTask(r.Context(), currentAccount(r).ID, p, token, kind)
	if err != nil {
		return err
	}
	if isNew {
		l := currentLocale(r)
		s.background.Go(func() {
			err := run(s.running, id)
			reason := importConflictMessage(l, err)
			if reason == "" {
				reason = s.failInBackground(l, "import", importAgain, err)
			}
			s.storeFailure(reason, func(ctx context.Context, reason string) error {
				return s.db.FailImportTask(ctx, id, reason)
			})
		})
	}
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
