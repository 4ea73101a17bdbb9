package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// An Export is the body that exports a dataset.
type Export struct {
	Shape      dataset.Shape       `json:"shape,omitempty" enum:"long,wide" default:"long" doc:"long: one row per annotation and field; wide: one row per annotation."`
	Format     dataset.Format      `json:"format,omitempty" enum:"csv,jsonl,parquet" default:"csv"`
	Layout     dataset.Layout      `json:"layout,omitempty" enum:"plain,huggingface,label-studio,langfuse" default:"plain"`
	Contents   dataset.Contents    `json:"contents,omitempty" enum:"raw,consensus,both" default:"raw"`
	Texts      bool                `json:"texts,omitempty" doc:"With the texts of the items."`
	Blinded    bool                `json:"blinded,omitempty" doc:"Without metadata, and with ids that only the unblinding key explains."`
	Comments   bool                `json:"comments,omitempty" doc:"With what members wrote about skips, corrections and calibration. It may name someone."`
	ExactTimes bool                `json:"exact_times,omitempty" doc:"Times to the millisecond."`
	Batches    []string            `json:"batches,omitempty" maxItems:"1000" doc:"Names of batches. Default: all."`
	States     []project.ItemState `json:"states,omitempty" maxItems:"10" doc:"States of items. Default: all."`
}

func (e Export) options() postgres.ExportOptions {
	return postgres.ExportOptions{Shape: e.Shape, Format: e.Format, Layout: e.Layout, Contents: e.Contents, IncludeTexts: e.Texts, Blinded: e.Blinded,
		Comments: e.Comments, ExactTimes: e.ExactTimes, Batches: e.Batches, States: e.States}
}

func (a *API) addExports() {
	op := a.operation(endpoint{id: "export-dataset", method: http.MethodPost, path: "/projects/{project}/exports", tag: "Exports", scope: account.ScopeExport, summary: "Export the dataset",
		text: "Returns a zip file with the data of one moment, as the page Export does. It changes nothing, and is recorded in the audit log. " +
			"The response is not stored, so it takes no idempotency key. An interrupted download is an incomplete zip file."})
	op.Parameters = nil
	op.Responses["200"] = &huma.Response{Description: "The dataset.", Content: map[string]*huma.MediaType{"application/zip": {Schema: &huma.Schema{Type: "string", Format: "binary"}}}}
	huma.Register(a.huma, op, func(ctx context.Context, in *struct {
		ProjectPath
		Body Export
	}) (*huma.StreamResponse, error) {
		c, x := callerFrom(ctx), exchangeFrom(ctx)
		if err := a.Export(x.w, x.r.WithContext(ctx), c.id(), c.project, in.Body.options()); err != nil {
			return nil, a.toProblem(ctx, err)
		}
		return &huma.StreamResponse{Body: func(huma.Context) {}}, nil // it is written
	})
}
