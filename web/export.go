package web

import (
	"archive/zip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/sheet"
)

// longestExport is how long a slow reader may take.
const longestExport = time.Hour

// export streams a project's dataset as one zip file. It is asked for with a
// form, since the trail remembers it. A fault on the way cuts the connection, so
// that no half a file passes for a whole one.
func (s *Server) export(w http.ResponseWriter, r *http.Request) error {
	p, err := s.db.Project(r.Context(), *who(r), chi.URLParam(r, "key"))
	if err != nil {
		return err
	}
	blind, err := s.db.BlindItems(r.Context(), p, who(r).ID)
	if err != nil {
		return err
	}
	if len(blind) > 0 {
		return fault.Forbidden.Says("You label in a batch of this project that is still open, so the others' answers stay closed to you. Close the batch first, or let another lead export.")
	}
	x, err := exportOptions(r)
	if err != nil {
		return err
	}
	select {
	case s.exporting <- struct{}{}:
		defer func() { <-s.exporting }()
	default:
		return fault.Busy.Says("Other exports are under way. Please try again in a minute.")
	}
	waitFor(w, longestExport)
	parcel := &parcel{w: w, name: fmt.Sprintf("%s-%s.zip", p.Key, x.Shape)}
	if _, err = s.db.Export(r.Context(), who(r).ID, p, x, parcel.put); err == nil {
		err = parcel.zip.Close()
	}
	if err != nil && parcel.zip != nil {
		s.log.ErrorContext(r.Context(), "an export broke off", "id", requestID(r), "error", withoutRow(err))
		panic(http.ErrAbortHandler)
	}
	return err
}

func exportOptions(r *http.Request) (postgres.Export, error) {
	fields, err := readFields(r)
	if err != nil {
		return postgres.Export{}, err
	}
	ticked := func(name string) bool { return fields.Get(name) == "1" }
	x := postgres.Export{Shape: sheet.Shape(fields.Get("shape")), Format: sheet.Format(fields.Get("format")),
		Consensus: ticked("consensus"), Texts: ticked("texts"), Sealed: ticked("sealed"), Exact: ticked("exact")}
	if x.Shape != sheet.Long && x.Shape != sheet.Wide || x.Format != sheet.CSV && x.Format != sheet.JSONL {
		return x, fault.Invalid.Says("Choose the shape long or wide, and the format csv or jsonl.")
	}
	return x, nil
}

// A parcel is a zip file on its way to a browser. The answer begins with its
// first file; until then a fault still has a page.
type parcel struct {
	w    http.ResponseWriter
	name string
	zip  *zip.Writer
}

// put is a sheet.Folder.
func (p *parcel) put(name string, write func(io.Writer) error) error {
	if p.zip == nil {
		downloadHeaders(p.w, p.name)
		p.zip = zip.NewWriter(p.w)
	}
	file, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now().UTC()})
	if err != nil {
		return err
	}
	return write(file)
}

// downloadHeaders makes a browser save a file and never run it.
func downloadHeaders(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
}
