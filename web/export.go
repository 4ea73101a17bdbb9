package web

import (
	"archive/zip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// maxExportTime is how long a slow reader may take.
const maxExportTime = time.Hour

// export streams a project's dataset as one zip file. It is asked for with a
// form, since the trail remembers it. A fault on the way cuts the connection, so
// that no half a file passes for a whole one.
func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	p, err := s.db.Project(r.Context(), *currentAccount(r), chi.URLParam(r, "key"))
	if err != nil {
		return err
	}
	x, err := readExportOptions(r)
	if err != nil {
		return err
	}
	select {
	case s.exportSlots <- struct{}{}:
		defer func() { <-s.exportSlots }()
	default:
		return fault.Busy.Errorf("Other exports are under way. Please try again in a minute.")
	}
	extendDeadlines(w, maxExportTime)
	download := &zipDownload{w: w, name: fmt.Sprintf("%s-%s.zip", p.Key, x.Shape)}
	if _, err = s.db.Export(r.Context(), currentAccount(r).ID, p, x, download.addFile); err == nil {
		err = download.zip.Close()
	}
	if err != nil && download.zip != nil {
		s.log.ErrorContext(r.Context(), "an export broke off", "id", requestID(r), "error", redactError(err))
		panic(http.ErrAbortHandler)
	}
	return err
}

func readExportOptions(r *http.Request) (postgres.ExportOptions, error) {
	fields, err := readFields(r)
	if err != nil {
		return postgres.ExportOptions{}, err
	}
	isChecked := func(name string) bool { return fields.Get(name) == "1" }
	x := postgres.ExportOptions{Shape: dataset.Shape(fields.Get("shape")), Format: dataset.Format(fields.Get("format")),
		IncludeConsensus: isChecked("consensus"), IncludeTexts: isChecked("texts"), Blinded: isChecked("blinded"), ExactTimes: isChecked("exact")}
	if x.Shape != dataset.Long && x.Shape != dataset.Wide || x.Format != dataset.CSV && x.Format != dataset.JSONL {
		return x, fault.Invalid.Errorf("Choose the shape long or wide, and the format csv or jsonl.")
	}
	return x, nil
}

// A zipDownload is a zip file on its way to a browser. The answer begins with its
// first file; until then a fault still has a page.
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

// setDownloadHeaders makes a browser save a file and never run it.
func setDownloadHeaders(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
}
