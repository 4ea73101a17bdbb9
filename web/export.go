package web

import (
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/web/page"
)

// maxKeyTime bounds the download of an unblinding key over a slow connection.
const maxKeyTime = time.Hour

func (s *Server) showExport(w http.ResponseWriter, r *http.Request, p project.Project) error {
	description, err := s.db.DatasetDescription(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d := page.ExportData{License: description.License, Description: description.Description,
		Languages: strings.Join(description.Languages, ", ")}
	switch queryParam(r, "after") {
	case "described":
		d.Notice = locale.From(r.Context()).T("Description saved. The next export has it.")
	case "deleted":
		d.Notice = locale.From(r.Context()).T("Export deleted.")
	}
	return s.renderExport(w, r, http.StatusOK, p, d)
}

func (s *Server) renderExport(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	d page.ExportData) error {
	batches, err := s.db.Batches(r.Context(), currentAccount(r).ID, p.ID)
	if err != nil {
		return err
	}
	stored, err := s.db.StoredExports(r.Context(), currentAccount(r).ID, p)
	if err != nil {
		return err
	}
	for _, x := range stored {
		d.Stored = append(d.Stored, newExportEntry(currentLocale(r), x))
	}
	d.User, d.Project = currentUser(r), p
	for _, b := range batches {
		d.LabelCount += b.LabelsGiven
		d.Batches = append(d.Batches, b.Name)
	}
	return render(w, r, status, page.Export(d))
}

// describeDataset stores the license, description and languages of the dataset.
func (s *Server) describeDataset(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ExportData{License: r.PostFormValue("license"), Description: r.PostFormValue("description"),
		Languages: r.PostFormValue("languages")}
	err := s.db.DescribeDataset(r.Context(), currentAccount(r).ID, p, postgres.DatasetDescription{License: d.License,
		Description: d.Description,
		Languages:   strings.FieldsFunc(d.Languages, func(c rune) bool { return c == ',' || c == ' ' })})
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderExport(w, r, status, p, d)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "export")+"?after=described")
}

// exportKey streams the unblinding key of a project as a zip file. An error on the way aborts the
// connection, so that a partial file cannot pass for a complete one.
func (s *Server) exportKey(w http.ResponseWriter, r *http.Request, p project.Project) error {
	extendDeadlines(w, maxKeyTime)
	download := &zipDownload{w: w, name: p.Key + "-unblinding-key.zip"}
	err := download.addFile("unblinding-key.csv", func(file io.Writer) error {
		return s.db.WriteUnblindingKey(r.Context(), currentAccount(r).ID, p, file)
	})
	if err == nil {
		err = download.close()
	}
	if err != nil && download.zip != nil {
		s.log.ErrorContext(r.Context(), "unblinding key not sent completely", "error", postgres.Redact(err))
		panic(http.ErrAbortHandler)
	}
	return err
}

func readExportOptions(r *http.Request) postgres.ExportOptions {
	fields := r.PostForm
	isChecked := func(name string) bool { return fields.Get(name) == "1" }
	x := postgres.ExportOptions{Shape: dataset.Shape(fields.Get("shape")), Format: dataset.Format(fields.Get("format")),
		Layout: dataset.Layout(fields.Get("layout")), Contents: dataset.Contents(fields.Get("contents")),
		Consensus: consensus.Method(fields.Get("consensus")), Batches: fields["batch"],
		IncludeTexts: isChecked("texts"), BOM: true, Blinded: isChecked("blinded"), ExactTimes: isChecked("exact"),
		Comments: isChecked("comments")}
	for _, state := range fields["state"] {
		x.States = append(x.States, project.ItemState(state))
	}
	return x
}

// exportName returns the part of a file name that distinguishes exports of a project.
func exportName(x postgres.ExportOptions) string {
	if x.Layout.HasTables() {
		return string(x.Shape)
	}
	return string(x.Layout)
}

// A zipDownload writes a zip file to a browser. The response starts with the first byte of
// the first file; until then an error still gets a page.
type zipDownload struct {
	w    http.ResponseWriter
	name string
	zip  *dataset.ZipWriter
}

// addFile is a dataset.FileSink.
func (p *zipDownload) addFile(name string, write func(io.Writer) error) error {
	f := &zipFile{download: p, name: name}
	if err := write(f); err != nil || f.content != nil {
		return err
	}
	_, err := f.Write(nil) // an empty file
	return err
}

func (p *zipDownload) close() error { return p.zip.Close() }

// A zipFile starts its entry, and the response, with its first byte.
type zipFile struct {
	download *zipDownload
	name     string
	content  io.Writer
}

func (f *zipFile) Write(b []byte) (n int, err error) {
	if f.content == nil {
		p := f.download
		if p.zip == nil {
			setDownloadHeaders(p.w, p.name)
			z := dataset.NewZipWriter(p.w)
			p.zip = &z
		}
		if f.content, err = p.zip.NewFile(f.name); err != nil {
			return 0, err
		}
	}
	return f.content.Write(b)
}

// setDownloadHeaders makes the browser save the file and never open it.
func setDownloadHeaders(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
}
