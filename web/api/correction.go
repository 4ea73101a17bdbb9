package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// A Correction is a correction request, or an item that a lead reopened without one.
type Correction struct {
	ID         labeling.CorrectionID     `json:"id"`
	Annotator  string                    `json:"annotator" doc:"Pseudonym."`
	Item       string                    `json:"item" doc:"The item's own id. Empty: a request of the account itself, which labels in the batch."`
	Message    string                    `json:"message" doc:"Empty: it may tell an answer that the account must not see yet."`
	ByLead     bool                      `json:"by_lead" doc:"A lead reopened the item and wrote the message."`
	CreatedAt  time.Time                 `json:"created_at"`
	Status     postgres.CorrectionStatus `json:"status" enum:"unresolved,reopened,declined"`
	ResolvedAt *time.Time                `json:"resolved_at"`
	Reply      string                    `json:"reply" doc:"Of the lead who declined the request."`
}

func newCorrection(r postgres.CorrectionRequest) Correction {
	return Correction{r.ID, r.Pseudonym, r.SourceID, r.Message, r.ByLead, r.CreatedAt.UTC(), r.Status(),
		r.ResolvedAt, r.Reply}
}

// A CorrectionList lists correction requests.
type CorrectionList struct {
	Corrections []Correction `json:"corrections"`
}

// A Reopening is the body that reopens a submitted item.
type Reopening struct {
	Annotator string `json:"annotator" minLength:"1" maxLength:"254" doc:"Pseudonym or email address."`
	Item      string `json:"item" minLength:"1" maxLength:"400" doc:"The item's own id."`
	Reason    string `json:"reason" minLength:"1" maxLength:"1000" doc:"The annotator reads it."`
}

// A Reply is the body that declines a correction request.
type Reply struct {
	Reply string `json:"reply" minLength:"1" maxLength:"1000" doc:"Why the answers stay. The annotator reads it."`
}

// A SkippedItem is an item that an annotator skipped, without the annotator.
type SkippedItem struct {
	Item    string              `json:"item" doc:"The item's own id."`
	Reason  labeling.SkipReason `json:"reason" doc:"A code."`
	Comment string              `json:"comment"`
}

// A SkipList lists skipped items.
type SkipList struct {
	Skips []SkippedItem `json:"skips"`
}

// A CorrectionPath is the input of an operation on a correction request.
type CorrectionPath struct {
	BatchPath
	Correction labeling.CorrectionID `path:"correction" minimum:"1" doc:"Id of the correction request."`
}

// A CorrectionBody is the input of an operation on a correction request with a body.
type CorrectionBody[B any] struct {
	CorrectionPath
	Body B
}

// The operations on corrections.
var (
	ListCorrections = newRead(endpoint{id: "list-corrections", path: "/projects/{project}/batches/{batch}/corrections",
		tag: "Corrections and skips", scope: account.ScopeRead,
		summary: "List the correction requests of a batch, unresolved ones first"},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (CorrectionList, error) {
			_, requests, err := a.listCorrections(ctx, c, in.Batch)
			return CorrectionList{mapped(requests, newCorrection)}, err
		})

	ReopenItem = newWrite(endpoint{id: "reopen-item", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/corrections", tag: "Corrections and skips",
		scope:  account.ScopeManage,
		status: http.StatusCreated, summary: "Reopen a submitted item without a request",
		text: "It is the next item of its annotator. The earlier answers stay until it is submitted again."},
		reopenItem)

	AcceptCorrection = newWrite(endpoint{id: "accept-correction", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/corrections/{correction}/accept", tag: "Corrections and skips",
		scope: account.ScopeManage, summary: "Accept a correction request",
		text: "Reopens the item, which is the next one of its annotator. The earlier answers stay until it is submitted again."},
		func(ctx context.Context, a *API, c caller, in *CorrectionPath) (Correction, error) {
			return a.resolveCorrection(ctx, c, *in, func(b project.Batch) error {
				return a.DB.AcceptCorrection(ctx, c.id(), c.project, b, in.Correction)
			})
		})

	DeclineCorrection = newWrite(endpoint{id: "decline-correction", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/corrections/{correction}/decline", tag: "Corrections and skips",
		scope: account.ScopeManage, summary: "Decline a correction request"},
		func(ctx context.Context, a *API, c caller, in *CorrectionBody[Reply]) (Correction, error) {
			return a.resolveCorrection(ctx, c, in.CorrectionPath, func(b project.Batch) error {
				return a.DB.DeclineCorrection(ctx, c.id(), c.project, b, in.Correction, in.Body.Reply)
			})
		})

	ListSkips = newRead(endpoint{id: "list-skips", path: "/projects/{project}/batches/{batch}/skips",
		tag:   "Corrections and skips",
		scope: account.ScopeRead, summary: "List the items of a batch that were skipped for a reason about the item",
		text: "The first 100. Items skipped for personal reasons are not listed."},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (SkipList, error) {
			b, err := a.DB.Batch(ctx, c.id(), c.project.ID, in.Batch)
			if err != nil {
				return SkipList{}, err
			}
			skipped, err := a.DB.SkippedItems(ctx, c.id(), b.ID)
			return SkipList{mapped(skipped, func(s postgres.SkippedItem) SkippedItem {
				return SkippedItem{s.SourceID, s.Reason, s.Comment}
			})}, err
		})
)

func (a *API) listCorrections(ctx context.Context, c caller, batch string) (project.Batch,
	[]postgres.CorrectionRequest, error) {
	b, err := a.DB.Batch(ctx, c.id(), c.project.ID, batch)
	if err != nil {
		return b, nil, err
	}
	requests, err := a.DB.CorrectionRequests(ctx, c.id(), b.ID)
	return b, requests, err
}

// reopenItem returns the correction that the reopening records: the latest one of the batch.
func reopenItem(ctx context.Context, a *API, c caller, in *BatchBody[Reopening]) (Correction, error) {
	r := in.Body
	b, err := a.DB.Batch(ctx, c.id(), c.project.ID, in.Batch)
	if err != nil {
		return Correction{}, err
	}
	if r.Annotator, err = a.findPseudonym(ctx, c, r.Annotator); err != nil {
		return Correction{}, err
	}
	if err := a.DB.ReopenItem(ctx, c.id(), c.project, b, r.Annotator, r.Item, r.Reason); err != nil {
		return Correction{}, err
	}
	_, requests, err := a.listCorrections(ctx, c, in.Batch)
	var last postgres.CorrectionRequest
	for _, request := range requests {
		if request.ByLead && request.Pseudonym == r.Annotator && request.ID > last.ID {
			last = request
		}
	}
	return newCorrection(last), err
}

// resolveCorrection decides on a correction request, and returns it as it is then.
func (a *API) resolveCorrection(ctx context.Context, c caller, path CorrectionPath, resolve func(project.Batch) error) (
	Correction, error) {
	b, _, err := a.findCorrection(ctx, c, path)
	if err != nil {
		return Correction{}, err
	}
	if err := resolve(b); err != nil {
		return Correction{}, err
	}
	_, resolved, err := a.findCorrection(ctx, c, path)
	return resolved, err
}

func (a *API) findCorrection(ctx context.Context, c caller, path CorrectionPath) (project.Batch, Correction, error) {
	b, requests, err := a.listCorrections(ctx, c, path.Batch)
	for _, r := range requests {
		if r.ID == path.Correction {
			return b, newCorrection(r), err
		}
	}
	if err == nil {
		err = fault.NotFound.Errorf("The batch “%s” has no correction request %d.", b.Name, path.Correction)
	}
	return b, Correction{}, err
}
