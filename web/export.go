package web

import (
	"archive/zip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// maxExportTime bounds a download over a slow connection.
const maxExportTime = time.Hour

func (s *Server) showExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d := page.ExportData{User: currentUser(r), Project: p}
	for _, b := range batches {
		d.LabelCount += b.Submitted
	}
	return render(w, r, http.StatusOK, page.Export(d))
}

// export streams the dataset of a project as a zip file, and records it in the
// audit log. An error on the way aborts the connection, so that a partial file
// cannot pass for a complete one.
func (s *Server) export(w http.ResponseWriter, r *http.Request, p project.Project) error {
	x, err := readExportOptions(r)
	if err != nil {
		return err
	}
	select {
	case s.exportSlots <- struct{}{}:
		defer func() { <-s.exportSlots }()
	default:
		return fault.Unavailable.Errorf("Other exports are running. Try again in a minute.")
	}
	extendDeadlines(w, maxExportTime)
	download := &zipDownload{w: w, name: fmt.Sprintf("%s-%s.zip", p.Key, x.Shape)}
	if _, err = s.db.Export(r.Context(), currentAccount(r).ID, p, x, download.addFile); err == nil {
		err = download.zip.Close()
	}
	if err != nil && download.zip != nil {
		s.log.ErrorContext(r.Context(), "export aborted", "id", requestID(r), "error", postgres.Redact(err))
		panic(http.ErrAbortHandler)
	}
	return err
}

func readExportOptions(r *http.Request) (postgres.ExportOptions, error) {
	fields := r.PostForm
	isChecked := func(name string) bool { return fields.Get(name) == "1" }
	x := postgres.ExportOptions{Shape: dataset.Shape(fields.Get("shape")), Format: dataset.Format(fields.Get("format")),
		IncludeConsensus: isChecked("consensus"), IncludeTexts: isChecked("texts"), Blinded: isChecked("blinded"), ExactTimes: isChecked("exact")}
	if x.Shape != dataset.Long && x.Shape != dataset.Wide || x.Format != dataset.CSV && x.Format != dataset.JSONL {
		return x, fault.Invalid.Errorf("Choose long or wide as the shape, and csv or jsonl as the format.")
	}
	return x, nil
}

// A zipDownload writes a zip file to a browser. The response starts with the
// first file; until then an error still gets a page.
type zipDownload struct {
	w    http.ResponseWriter
	name string
	zip  *zip.Writer
}

// addFile is a dataset.FileSink.
func (p *zipDownload) addFile(name string, write func(io.Writer) error) error {
	if p.zip == nil {
		setDownloadHeaders(p.w, p.name)
		p.zip = zip.NewWriter(p.w)
	}
	file, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now().UTC()})
	if err != nil {
		return err
	}
	return write(file)
}

// setDownloadHeaders makes the browser save the file and never open it.
func setDownloadHeaders(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
}
