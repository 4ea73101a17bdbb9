package api

import (
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A BatchRevision is the revision of the protocol that a batch uses, and what the latest one
// changes.
type BatchRevision struct {
	Revision       int                   `json:"revision"`
	LatestRevision int                   `json:"latest_revision"`
	Changes        []protocol.TextChange `json:"changes" doc:"The texts that the latest revision changes. Scales and rules stay the same."`
}

// A RevisionChoice is the body that has a batch use a revision.
type RevisionChoice struct {
	Revision int `json:"revision" minimum:"1" maximum:"100000" doc:"Later than that of the batch."`
}

// The operations on revisions.
var (
	ShowRevision = newRead(endpoint{id: "show-revision", path: "/projects/{project}/batches/{batch}/revision",
		tag: "Batches", scope: account.ScopeRead,
		summary: "Show what the latest revision of the protocol changes in a batch"},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (BatchRevision, error) {
			b, err := a.DB.Batch(ctx, c.id(), c.project.ID, in.Batch)
			if err != nil {
				return BatchRevision{}, err
			}
			changes, err := a.DB.RevisionChanges(ctx, b)
			return BatchRevision{b.ProtocolRevision, b.LatestRevision, notNil(changes)}, err
		})

	UseRevision = newWrite(endpoint{id: "use-revision", object: postgres.VersionedBatch, method: http.MethodPut,
		path: "/projects/{project}/batches/{batch}/revision",
		tag:  "Batches", scope: account.ScopeManage, summary: "Have an open batch use a later revision of the protocol",
		text: "Annotations submitted before keep theirs."},
		func(ctx context.Context, a *API, c caller, in *BatchBody[RevisionChoice]) (Batch, error) {
			return a.reloadBatch(ctx, c, in.Batch, a.DB.UseRevision(ctx, c.Account, c.project, in.Batch,
				in.Body.Revision))
		})
)
