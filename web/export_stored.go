package web

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
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

const exportAgain = "Export the dataset again."

// export writes the dataset of a project. A small one is downloaded at once; a large one is
// written in the background.
func (s *Server) export(w http.ResponseWriter, r *http.Request, p project.Project) error {
	actorID := currentAccount(r).ID
	id, done, err := s.startExport(r.Context(), actorID, p, readExportOptions(r))
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		if err != nil {
			return err
		}
		return s.sendExport(w, r, actorID, p, id)
	case <-time.After(s.directExport):
	case <-r.Context().Done():
	}
	return redirect(w, r, page.StoredExportPath(p.Key, formatID(id)))
}

// startExport writes a stored export in the background. It returns a channel with the result.
func (s *Server) startExport(ctx context.Context, actorID account.ID, p project.Project, x postgres.ExportOptions) (
	id postgres.ExportID, done <-chan error, err error) {
	id, err = s.db.StartExport(ctx, actorID, p, x)
	if err != nil {
		return 0, nil, err
	}
	result := make(chan error, 1)
	s.background.Go(func() {
		err := s.db.RunExport(s.running, id, actorID, p)
		reason := s.failInBackground("export", exportAgain, err)
		s.storeFailure(reason, func(ctx context.Context, reason string) error {
			return s.db.FailExport(ctx, id, reason)
		})
		result <- err
	})
	return id, result, nil
}

// showStoredExport shows how far an export is, and what it has.
func (s *Server) showStoredExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	x, err := s.db.StoredExport(r.Context(), currentAccount(r).ID, p, parseID[postgres.ExportID](pathParam(r, "id")))
	if err != nil {
		return err
	}
	entry := newExportEntry(x)
	if entry.IsRunning {
		w.Header().Set("Refresh", "2")
	}
	return render(w, r, http.StatusOK, page.StoredExport(page.StoredExportData{User: currentUser(r), Project: p,
		Export: entry}))
}

func newExportEntry(x postgres.StoredExport) page.ExportEntry {
	if x.IsLost {
		x.Problem = stoppedText + exportAgain
	}
	return page.ExportEntry{ID: int64(x.ID), RequestedBy: x.RequestedBy, Choice: describeExport(x.Options),
		CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt,
		IsRunning: x.State == postgres.ExportRunning, IsReady: x.State == postgres.ExportReady,
		IsCancelled: x.State == postgres.ExportCancelled,
		Done:        x.DoneCount, Total: x.TotalCount, SizeBytes: x.SizeBytes, SHA256: hex.EncodeToString(x.Sha256),
		FailedChecks: x.FailedChecks, Problem: x.Problem}
}

// describeExport says what was chosen, in the words of the form.
func describeExport(x postgres.ExportOptions) string {
	parts := []string{map[dataset.Layout]string{dataset.Plain: "Tables", dataset.HuggingFace: "Hugging Face",
		dataset.LabelStudio: "Label Studio", dataset.Langfuse: "Langfuse"}[x.Layout]}
	if x.Layout.HasTables() {
		parts = append(parts, map[dataset.Format]string{dataset.CSV: "CSV", dataset.JSONL: "JSONL",
			dataset.Parquet: "Parquet"}[x.Format], string(x.Shape))
	}
	parts = append(parts, map[dataset.Contents]string{dataset.RawLabels: "labels", dataset.Consensus: "consensus",
		dataset.BothLabels: "labels and consensus"}[x.Contents])
	if x.Consensus == consensus.ByDawidSkene {
		parts[len(parts)-1] += " by Dawid–Skene"
	}
	for _, choice := range []struct {
		isChosen bool
		text     string
	}{{x.IncludeTexts, "texts"}, {x.Blinded, "blinded"}, {x.Comments, "comments"}, {x.ExactTimes, "exact times"}} {
		if choice.isChosen {
			parts = append(parts, choice.text)
		}
	}
	for _, name := range x.Batches {
		parts = append(parts, "batch “"+name+"”")
	}
	for _, state := range x.States {
		parts = append(parts, "items "+strings.ToLower(state.Text()))
	}
	return strings.Join(parts, ", ")
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
