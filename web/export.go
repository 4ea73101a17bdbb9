package web

import (
	"context"
	"fmt"
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

// exportFile streams a project's annotations as one file. A fault on the way
// cuts the connection, so that no half a file passes for a whole one.
func (s *Server) exportFile(w http.ResponseWriter, r *http.Request) error {
	p, err := s.db.Project(r.Context(), *who(r), chi.URLParam(r, "key"))
	if err != nil {
		return err
	}
	o, err := exportOptions(r)
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
	sent := false
	err = s.db.Snapshot(r.Context(), p, func(snapshot postgres.Snapshot) error {
		if err := openMeta(r.Context(), r, snapshot, &o); err != nil {
			return err
		}
		downloadHeaders(w, fmt.Sprintf("%s-%s.%s", p.Key, o.Shape, o.Format), o.Format)
		sent = true
		_, err := sheet.Write(w, p.Protocol, o, snapshot.Annotations(r.Context(), postgres.Work))
		return err
	})
	if err != nil && sent {
		s.log.ErrorContext(r.Context(), "an export broke off", "id", requestID(r), "error", withoutRow(err))
		panic(http.ErrAbortHandler)
	}
	return err
}

func exportOptions(r *http.Request) (sheet.Options, error) {
	q := r.URL.Query()
	o := sheet.Options{Shape: sheet.Shape(q.Get("shape")), Format: sheet.Format(q.Get("format")), Texts: q.Get("texts") == "1", Exact: q.Get("exact") == "1"}
	if o.Shape != sheet.Long && o.Shape != sheet.Wide || o.Format != sheet.CSV && o.Format != sheet.JSONL {
		return o, fault.Invalid.Says("Choose the shape long or wide, and the format csv or jsonl.")
	}
	return o, nil
}

// openMeta adds the items' metadata where it is asked for; else conditions
// stay sealed.
func openMeta(ctx context.Context, r *http.Request, snapshot postgres.Snapshot, o *sheet.Options) (err error) {
	if r.URL.Query().Get("meta") == "1" {
		o.Meta, err = snapshot.MetaKeys(ctx)
	}
	return err
}

// downloadHeaders makes a browser save a file and never run it.
func downloadHeaders(w http.ResponseWriter, name string, format sheet.Format) {
	kinds := map[sheet.Format]string{sheet.CSV: "text/csv; charset=utf-8", sheet.JSONL: "application/x-ndjson; charset=utf-8"}
	w.Header().Set("Content-Type", kinds[format])
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
}
