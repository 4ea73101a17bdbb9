package web

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/web/page"
)

// maxDirectExport is how long a browser waits for an export before it gets a page with the
// progress.
const maxDirectExport = 4 * time.Second

// maxDownloadPause is how long a client may take to read the next part of a file.
const maxDownloadPause = time.Minute

const exportAgain = locale.Text("Export the dataset again.")

// export writes the dataset of a project in the background. A small one is downloaded at once.
func (s *Server) export(w http.ResponseWriter, r *http.Request, p project.Project) error {
	actorID := currentAccount(r).ID
	id, err := s.db.StartExport(r.Context(), actorID, p, readExportOptions(r), currentLocale(r).Tag())
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(s.directExport); time.Now().Before(deadline) && r.Context().Err() == nil; {
		time.Sleep(50 * time.Millisecond)
		x, err := s.db.StoredExport(r.Context(), actorID, p, id)
		if err != nil {
			return err
		}
		if x.State == postgres.ExportReady {
			return s.sendExport(w, r, actorID, p, id)
		}
		if x.State != postgres.ExportRunning {
			break
		}
	}
	return redirect(w, r, page.StoredExportPath(p.Key, formatID(id)))
}

// showStoredExport shows how far an export is, and what it has.
func (s *Server) showStoredExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	x, err := s.db.StoredExport(r.Context(), currentAccount(r).ID, p, parseID[postgres.ExportID](pathParam(r, "id")))
	if err != nil {
		return err
	}
	entry := newExportEntry(currentLocale(r), x)
	if entry.IsRunning {
		w.Header().Set("Refresh", "2")
	}
	return render(w, r, http.StatusOK, page.StoredExport(page.StoredExportData{User: currentUser(r), Project: p,
		Export: entry}))
}

func newExportEntry(l *locale.Locale, x postgres.StoredExport) page.ExportEntry {
	if x.IsLost {
		x.Problem = stoppedReason(l, exportAgain)
	}
	return page.ExportEntry{ID: int64(x.ID), RequestedBy: x.RequestedBy, Choice: describeExport(l, x.Options),
		CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt,
		IsRunning: x.State == postgres.ExportRunning, IsReady: x.State == postgres.ExportReady,
		IsCancelled: x.State == postgres.ExportCancelled,
		Done:        x.DoneCount, Total: x.TotalCount, SizeBytes: x.SizeBytes, SHA256: hex.EncodeToString(x.Sha256),
		FailedChecks: x.FailedChecks, Problem: x.Problem}
}

// describeExport says what was chosen, in the words of the form.
func describeExport(l *locale.Locale, x postgres.ExportOptions) string {
	parts := []string{map[dataset.Layout]string{dataset.Plain: l.T("Tables"), dataset.HuggingFace: "Hugging Face",
		dataset.LabelStudio: "Label Studio", dataset.Langfuse: "Langfuse"}[x.Layout]}
	if x.Layout.HasTables() {
		parts = append(parts, strings.ToUpper(string(x.Format)), map[dataset.Shape]string{dataset.Long: l.T("Long"),
			dataset.Wide: l.T("Wide")}[x.Shape])
	}
	consensusText := l.T("Consensus")
	if x.Consensus == consensus.ByDawidSkene {
		consensusText = l.T("Consensus by Dawid–Skene")
	}
	if x.Contents != dataset.Consensus {
		parts = append(parts, l.T("Labels"))
	}
	if x.Contents != dataset.RawLabels {
		parts = append(parts, consensusText)
	}
	for _, choice := range []struct {
		isChosen bool
		text     string
	}{{x.IncludeTexts, l.T("Item texts")}, {x.Blinded, l.T("Blinded")}, {x.Comments, l.T("Comments")},
		{x.ExactTimes, l.T("Exact times")}} {
		if choice.isChosen {
			parts = append(parts, choice.text)
		}
	}
	for _, name := range x.Batches {
		parts = append(parts, l.T("batch “%s”", name))
	}
	for _, state := range x.States {
		parts = append(parts, l.T("items: %s", l.Translate(locale.Text(state.Text()))))
	}
	return strings.Join(parts, " · ")
}

func (s *Server) downloadExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.sendExport(w, r, currentAccount(r).ID, p, parseID[postgres.ExportID](pathParam(r, "id")))
}

// sendExport sends the file of a stored export, or the range of it that the request asks for. A
// client that reads nothing for a while is disconnected.
func (s *Server) sendExport(w http.ResponseWriter, r *http.Request, actorID account.ID, p project.Project,
	id postgres.ExportID) error {
	file, err := s.db.OpenExport(r.Context(), actorID, p, id)
	if err != nil {
		return err
	}
	setDownloadHeaders(w, fmt.Sprintf("%s-%s.zip", p.Key, exportName(file.Options)))
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, file.Sha256))
	http.ServeContent(w, r, "", file.CreatedAt, &pausedReader{file, http.NewResponseController(w)})
	return nil
}

// A pausedReader gives the client time for each part that it reads.
type pausedReader struct {
	io.ReadSeeker
	response *http.ResponseController
}

// Read extends the deadline of the response.
func (p *pausedReader) Read(buffer []byte) (int, error) {
	_ = p.response.SetWriteDeadline(time.Now().Add(maxDownloadPause)) // a test recorder has no deadlines
	return p.ReadSeeker.Read(buffer)
}

func (s *Server) cancelExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id := parseID[postgres.ExportID](pathParam(r, "id"))
	if err := s.db.CancelExport(r.Context(), currentAccount(r).ID, p, id); err != nil {
		return err
	}
	return redirect(w, r, page.StoredExportPath(p.Key, formatID(id)))
}

func (s *Server) deleteExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	if err := s.db.DeleteExport(r.Context(), currentAccount(r).ID, p,
		parseID[postgres.ExportID](pathParam(r, "id"))); err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "export")+"?after=deleted#exports")
}
