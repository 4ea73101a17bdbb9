package api

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/consensus"
)

// ExportOptions are what an export has.
type ExportOptions struct {
	Shape      dataset.Shape       `json:"shape,omitempty" enum:"long,wide" default:"long" doc:"long: one row per annotation and field; wide: one row per annotation."`
	Format     dataset.Format      `json:"format,omitempty" enum:"csv,jsonl,parquet" default:"csv"`
	Layout     dataset.Layout      `json:"layout,omitempty" enum:"plain,huggingface,label-studio,langfuse" default:"plain"`
	Contents   dataset.Contents    `json:"contents,omitempty" enum:"raw,consensus,both" default:"raw"`
	Consensus  consensus.Method    `json:"consensus_method,omitempty" enum:"rule,dawid-skene" default:"rule" doc:"rule: majority, median, tie rule. dawid-skene: the most probable value by a model of the annotators' errors, with the probability of each value."`
	Texts      bool                `json:"texts,omitempty" doc:"With the texts of the items."`
	Blinded    bool                `json:"blinded,omitempty" doc:"Without metadata, and with ids that only the unblinding key explains."`
	Comments   bool                `json:"comments,omitempty" doc:"With what members wrote about skips, corrections and calibration. It may name someone."`
	BOM        bool                `json:"bom,omitempty" doc:"CSV starts with the byte order mark, by which Excel reads it as UTF-8."`
	ExactTimes bool                `json:"exact_times,omitempty" doc:"Times to the millisecond."`
	Batches    []string            `json:"batches,omitempty" maxItems:"1000" doc:"Names of batches. Default: all."`
	States     []project.ItemState `json:"states,omitempty" maxItems:"10" doc:"States of items. Default: all."`
}

func (o ExportOptions) options() postgres.ExportOptions {
	return postgres.ExportOptions{Shape: o.Shape, Format: o.Format, Layout: o.Layout, Contents: o.Contents,
		Consensus: o.Consensus, IncludeTexts: o.Texts, Blinded: o.Blinded, BOM: o.BOM,
		Comments: o.Comments, ExactTimes: o.ExactTimes, Batches: o.Batches, States: o.States}
}

// NewExportOptions returns options as the API has them.
func NewExportOptions(o postgres.ExportOptions) ExportOptions {
	return ExportOptions{Shape: o.Shape, Format: o.Format, Layout: o.Layout, Contents: o.Contents,
		Consensus: cmp.Or(o.Consensus, "rule"), Texts: o.IncludeTexts, Blinded: o.Blinded, Comments: o.Comments,
		BOM: o.BOM, ExactTimes: o.ExactTimes, Batches: o.Batches, States: o.States}
}

// An Export is a dataset that is written, or was written, for download.
type Export struct {
	ID           postgres.ExportID    `json:"id"`
	State        postgres.ExportState `json:"state" enum:"running,ready,failed,cancelled"`
	Options      ExportOptions        `json:"options"`
	RequestedBy  string               `json:"requested_by" doc:"The name of an account."`
	Done         int                  `json:"done" doc:"Labels and items written."`
	Total        int                  `json:"total" doc:"0: not known yet."`
	SizeBytes    int64                `json:"size_bytes" doc:"Of the file, as far as it is written."`
	SHA256       string               `json:"sha256" doc:"Of the file. Empty: not ready."`
	FailedChecks []string             `json:"failed_checks" doc:"What the checks of the data found."`
	Problem      string               `json:"problem" doc:"Why it failed."`
	CreatedAt    time.Time            `json:"created_at"`
	ExpiresAt    time.Time            `json:"expires_at" doc:"When the file is deleted."`
}

func newExport(x postgres.StoredExport) Export {
	return Export{x.ID, x.State, NewExportOptions(x.Options),
		x.RequestedBy, x.DoneCount, x.TotalCount, x.SizeBytes, hex.EncodeToString(x.Sha256), notNil(x.FailedChecks),
		x.Problem, x.CreatedAt.UTC(), x.ExpiresAt.UTC()}
}

// An ExportList lists exports.
type ExportList struct {
	Exports []Export `json:"exports"`
}

// An ExportPath is the input of an operation on an export.
type ExportPath struct {
	ProjectPath
	Export postgres.ExportID `path:"export" minimum:"1" doc:"Id of the export." example:"12"`
}

// A DeletedExport is what was deleted.
type DeletedExport struct {
	ID postgres.ExportID `json:"id"`
}

// The operations on exports.
var (
	ListExports = newRead(endpoint{id: "list-exports", path: "/projects/{project}/exports", tag: "Exports",
		scope: account.ScopeExport, summary: "List the last exports, newest first"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (ExportList, error) {
			exports, err := a.DB.StoredExports(ctx, c.id(), c.project)
			return ExportList{mapped(exports, newExport)}, err
		})

	ExportDataset = newWrite(endpoint{id: "export-dataset", method: http.MethodPost,
		path: "/projects/{project}/exports",
		tag:  "Exports", scope: account.ScopeExport, status: http.StatusAccepted, summary: "Export the dataset",
		text: "Starts to write a zip file with the data of one moment, as the page Export does. Ask for the export until its `state` is `ready`, " +
			"or wait for the webhook `export.ready`; then download its file. It is recorded in the audit log."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[ExportOptions]) (Export, error) {
			id, err := a.DB.StartExport(ctx, c.id(), c.project, in.Body.options(), locale.From(ctx).Tag())
			return a.reloadExport(ctx, c, id, err)
		})

	ShowExport = newRead(endpoint{id: "show-export", path: "/projects/{project}/exports/{export}", tag: "Exports",
		scope: account.ScopeExport, summary: "Show an export"},
		func(ctx context.Context, a *API, c caller, in *ExportPath) (Export, error) {
			return a.reloadExport(ctx, c, in.Export, nil)
		})

	CancelExport = newWrite(endpoint{id: "cancel-export", method: http.MethodPost,
		path: "/projects/{project}/exports/{export}/cancel", tag: "Exports", scope: account.ScopeExport,
		summary: "Cancel an export",
		text:    "Has no effect on one that is not running."},
		func(ctx context.Context, a *API, c caller, in *ExportPath) (Export, error) {
			return a.reloadExport(ctx, c, in.Export, a.DB.CancelExport(ctx, c.id(), c.project, in.Export))
		})

	DeleteExport = newWrite(endpoint{id: "delete-export", method: http.MethodDelete,
		path: "/projects/{project}/exports/{export}",
		tag:  "Exports", scope: account.ScopeExport, summary: "Delete an export and its file"},
		func(ctx context.Context, a *API, c caller, in *ExportPath) (DeletedExport, error) {
			return DeletedExport{in.Export}, a.DB.DeleteExport(ctx, c.id(), c.project, in.Export)
		})
)

// DownloadExport sends the file of an export.
var DownloadExport = Download[ExportPath]{endpoint{id: "download-export",
	path: "/projects/{project}/exports/{export}/file", tag: "Exports", scope: account.ScopeExport,
	summary: "Download the file of an export",
	text: "A zip file. The header `Range` continues an interrupted download: send the `ETag` of the first response as `If-Range`. " +
		"Each download is recorded in the audit log. 409: the export is not ready."},
	func(responses map[string]*huma.Response) {
		zip := map[string]*huma.MediaType{"application/zip": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}
		responses["200"] = &huma.Response{Description: "The dataset.", Content: zip}
		responses["206"] = &huma.Response{Description: "The range of the dataset.", Content: zip}
		responses["416"] = &huma.Response{Description: "The file has no such range."}
	},
	func(ctx context.Context, a *API, c caller, in *ExportPath) (*huma.StreamResponse, error) {
		x := exchangeFrom(ctx)
		err := a.SendExport(x.w, x.r.WithContext(ctx), c.id(), c.project, in.Export)
		return &huma.StreamResponse{Body: func(huma.Context) {}}, err // it is written
	}}

// DownloadUnblindingKey sends the unblinding key of a project.
var DownloadUnblindingKey = Download[ProjectPath]{endpoint{id: "download-unblinding-key",
	path: "/projects/{project}/unblinding-key", tag: "Exports", scope: account.ScopeExport,
	summary: "Download the items of the ids in blinded exports",
	text:    "A CSV file. Keep it apart from the exports. Each download is recorded in the audit log."},
	func(responses map[string]*huma.Response) {
		responses["200"] = &huma.Response{Description: "The key.",
			Content: map[string]*huma.MediaType{csvType: {Schema: &huma.Schema{Type: "string"}}}}
		delete(responses, "304")
	},
	func(ctx context.Context, a *API, c caller, _ *ProjectPath) (*huma.StreamResponse, error) {
		w := &startedWriter{w: exchangeFrom(ctx).w}
		err := a.DB.WriteUnblindingKey(ctx, c.id(), c.project, w)
		if err != nil && w.hasStarted {
			a.abortStream(ctx, err)
		}
		return &huma.StreamResponse{Body: func(huma.Context) {}}, err // it is written
	}}

// A startedWriter writes a CSV file. It sends the header with the first byte, so that an error
// before can be answered.
type startedWriter struct {
	w          http.ResponseWriter
	hasStarted bool
}

// Write sends a part of the file.
func (s *startedWriter) Write(p []byte) (int, error) {
	if !s.hasStarted {
		s.hasStarted = true
		s.w.Header().Set("Content-Type", csvType)
		s.w.WriteHeader(http.StatusOK)
	}
	return deadlineWriter{s.w, http.NewResponseController(s.w)}.Write(p)
}

func (a *API) reloadExport(ctx context.Context, c caller, id postgres.ExportID, err error) (Export, error) {
	if err != nil {
		return Export{}, err
	}
	x, err := a.DB.StoredExport(ctx, c.id(), c.project, id)
	return newExport(x), err
}
