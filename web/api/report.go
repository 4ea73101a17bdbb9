package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/problem"
)

// A PendingReport answers while a report is being computed.
type PendingReport struct {
	Status string `json:"status" enum:"computing"`
}

// A ReportInput is the input of ShowReport.
type ReportInput struct {
	ProjectPath
	Batch   string  `query:"batch" maxLength:"100" doc:"Name of a batch. Default: all."`
	Epsilon float64 `query:"epsilon" minimum:"0" maximum:"1" default:"0.2" doc:"Advantage of a judge in cost and effort in the alternative annotator test."`
	By      string  `query:"by" maxLength:"200" doc:"Metadata column to compare by. Default: one whose name suggests a condition."`
}

func (in *ReportInput) choice() postgres.ReportChoice {
	return postgres.ReportChoice{Batch: in.Batch, Column: in.By, Epsilon: in.Epsilon}
}

// ShowReport sends the report of a project.
var ShowReport = Download[ReportInput]{endpoint{id: "show-report", path: "/projects/{project}/report", tag: "Reports",
	scope: account.ScopeRead, summary: "Show the report",
	text: "Agreement, annotators, judges and verdicts: the object that `labelwright report --format json` prints. " +
		"A large report is computed in the background: 202, with `Retry-After`. Answers that the account must not see yet are left out."},
	func(responses map[string]*huma.Response) {
		responses["200"] = &huma.Response{Description: "The report.", Content: map[string]*huma.MediaType{jsonType: {
			Schema: &huma.Schema{Type: "object", AdditionalProperties: true}}}}
		responses["202"] = &huma.Response{Description: "The report is being computed.",
			Content: map[string]*huma.MediaType{jsonType: {Schema: &huma.Schema{Type: "object",
				Properties: map[string]*huma.Schema{"status": {Type: "string", Enum: []any{"computing"}}},
				Required:   []string{"status"}}}}}
	}, sendReport}

func sendReport(ctx context.Context, a *API, c caller, in *ReportInput) (*huma.StreamResponse, error) {
	r, err := a.Report(ctx, c.id(), c.project, in.choice())
	if err != nil {
		return nil, err
	}
	if r == nil {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			ctx.SetHeader("Retry-After", problem.RetryAfter)
			writeJSON(ctx, http.StatusAccepted, PendingReport{"computing"})
		}}, nil
	}
	hash := sha256.New()
	if err := r.WriteJSON(hash); err != nil {
		return nil, err
	}
	x, tag := exchangeFrom(ctx), formatETag("", hash.Sum(nil))
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("ETag", tag)
		if matchesETag(x.r, tag) {
			ctx.SetStatus(http.StatusNotModified)
			return
		}
		ctx.SetHeader("Content-Type", jsonType)
		ctx.SetStatus(http.StatusOK)
		_ = r.WriteJSON(deadlineWriter{ctx.BodyWriter(), http.NewResponseController(x.w)}) // the client may be gone
	}}, nil
}

func writeJSON(ctx huma.Context, status int, body any) {
	ctx.SetHeader("Content-Type", jsonType)
	ctx.SetStatus(status)
	_ = json.NewEncoder(ctx.BodyWriter()).Encode(body) // the client may be gone
}
