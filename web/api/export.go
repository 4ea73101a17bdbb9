package api

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// maxExportTime bounds a download over a slow connection.
const maxExportTime = time.Hour

// An Export is the body that exports a dataset.
type Export struct {
	Shape      dataset.Shape  `json:"shape,omitempty" enum:"long,wide" default:"long" doc:"long: one row per annotation and field; wide: one row per annotation."`
	Format     dataset.Format `json:"format,omitempty" enum:"csv,jsonl" default:"csv"`
	Texts      bool           `json:"texts,omitempty" doc:"With the texts of the items."`
	Consensus  bool           `json:"consensus,omitempty" doc:"With one answer per item and field."`
	Blinded    bool           `json:"blinded,omitempty" doc:"Without the items' metadata."`
	ExactTimes bool           `json:"exact_times,omitempty" doc:"Times to the millisecond."`
}

func (a *API) addExports() {
	op := a.operation(endpoint{id: "export-dataset", method: http.MethodPost, path: "/projects/{project}/exports", tag: "Exports", scope: account.ScopeExport, summary: "Export the dataset",
		text: "Returns a zip file with the data of one moment, a codebook and a manifest. It changes nothing, and is recorded in the audit log. " +
			"The response is not stored, so it takes no idempotency key. An interrupted download has an incomplete zip file."})
	op.Parameters = nil
	op.Responses["200"] = &huma.Response{Description: "The dataset.", Content: map[string]*huma.MediaType{"application/zip": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}
	huma.Register(a.huma, op, func(ctx context.Context, in *struct {
		ProjectPath
		Body Export
	}) (*huma.StreamResponse, error) {
		if err := a.export(ctx, callerFrom(ctx), in.Body); err != nil {
			return nil, a.toProblem(ctx, err)
		}
		return &huma.StreamResponse{Body: func(huma.Context) {}}, nil
	})
}

// export writes the zip file. The response starts with the first file, so that an error before
// it gets an answer.
func (a *API) export(ctx context.Context, c caller, e Export) error {
	select {
	case a.ExportSlots <- struct{}{}:
		defer func() { <-a.ExportSlots }()
	default:
		return fault.Unavailable.Errorf("Other exports are running. Try again in a minute.")
	}
	x := exchangeFrom(ctx)
	_ = http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(maxExportTime)) // a test recorder has no deadlines
	var archive *zip.Writer
	options := postgres.ExportOptions{Shape: e.Shape, Format: e.Format, IncludeTexts: e.Texts, IncludeConsensus: e.Consensus, Blinded: e.Blinded, ExactTimes: e.ExactTimes}
	_, err := a.DB.Export(ctx, c.id(), c.project, options, func(name string, write func(io.Writer) error) error {
		if archive == nil {
			h := x.w.Header()
			h.Set("Content-Type", "application/zip")
			h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fmt.Sprintf("%s-%s.zip", c.project.Key, e.Shape)}))
			archive = zip.NewWriter(x.w)
		}
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now().UTC()})
		if err != nil {
			return err
		}
		return write(file)
	})
	if err == nil {
		err = archive.Close()
	}
	if err != nil && archive != nil {
		a.Log.ErrorContext(ctx, "export aborted", "error", postgres.Redact(err))
		panic(http.ErrAbortHandler) // a partial file must not pass for a complete one
	}
	return err
}
