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

type reportInput struct {
	ProjectPath
	Batch   string  `query:"batch" maxLength:"100" doc:"Name of a batch. Default: all."`
	Epsilon float64 `query:"epsilon" minimum:"0" maximum:"1" default:"0.2" doc:"Advantage of a judge in cost and effort in the alternative annotator test."`
	By      string  `query:"by" maxLength:"200" doc:"Metadata column to compare by. Default: one whose name suggests a condition."`
}

func (in *reportInput) choice() postgres.ReportChoice {
	return postgres.ReportChoice{Batch: in.Batch, Column: in.By, Epsilon: in.Epsilon}
}

func (a *API) addReports() {
	op := a.operation(endpoint{id: "show-report", method: http.MethodGet, path: "/projects/{project}/report",
		tag: "Reports", scope: account.ScopeRead, summary: "Show the report",
		text: "Agreement, annotators, judges and verdicts: the object that `labelwright report --format json` prints. " +
			"A large report is computed in the background: 202, with `Retry-After`. Answers that the account must not see yet are left out."})
	op.Responses["200"] = &huma.Response{Description: "The report.",
		Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Type: "object",
			AdditionalProperties: true}}}}
	op.Responses["202"] = &huma.Response{Description: "The report is being computed.",
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Type: "object",
				Properties: map[string]*huma.Schema{"status": {Type: "string", Enum: []any{"computing"}}},
				Required:   []string{"status"}}}}}
	huma.Register(a.huma, op, func(ctx context.Context, in *reportInput) (*huma.StreamResponse, error) {
		c := callerFrom(ctx)
		r, err := a.Report(ctx, c.id(), c.project, in.choice())
		if err != nil {
			return nil, a.toProblem(ctx, err)
		}
		if r == nil {
			return &huma.StreamResponse{Body: func(ctx huma.Context) {
				ctx.SetHeader("Retry-After", problem.RetryAfter)
				writeJSON(ctx, http.StatusAccepted, PendingReport{"computing"})
			}}, nil
		}
		hash := sha256.New()
		if err := r.WriteJSON(hash); err != nil {
			return nil, a.toProblem(ctx, err)
		}
		x, tag := exchangeFrom(ctx), formatETag("", hash.Sum(nil))
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			ctx.SetHeader("ETag", tag)
			if matchesETag(x.r, tag) {
				ctx.SetStatus(http.StatusNotModified)
				return
			}
			ctx.SetHeader("Content-Type", "application/json")
			ctx.SetStatus(http.StatusOK)
			_ = r.WriteJSON(deadlineWriter{ctx.BodyWriter(), http.NewResponseController(x.w)}) // the client may be gone
		}}, nil
	})
}

func writeJSON(ctx huma.Context, status int, body any) {
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(status)
	_ = json.NewEncoder(ctx.BodyWriter()).Encode(body) // the client may be gone
}
