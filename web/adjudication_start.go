package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/page"
)

// maxProposalAge is how long a model of earlier labels still proposes answers, and maxProposals
// the number of models that are kept.
const (
	maxProposalAge = time.Minute
	maxProposals   = 24
)

// A proposalKey identifies a model.
type proposalKey struct {
	projectID project.ID
	view      string // of the accounts that may see the labels
	source    report.ProposalSource
}

// A fittedModel is a model and the labels that it was fitted to.
type fittedModel struct {
	model        *postgres.SharedProposals
	annotationID int64 // of the latest label
	fittedAt     time.Time
}

// A proposalCache keeps the models of the queues that are being adjudicated. The zero value is
// empty. A model is fitted once for all who wait for it; other models are not waited for.
type proposalCache struct {
	mu     sync.Mutex
	models map[proposalKey]fittedModel
	fits   singleflight.Group
}

// get returns the model of a key, fitted to the labels up to the given one or those of a minute ago.
func (c *proposalCache) get(key proposalKey, annotationID int64, fit func() (*postgres.SharedProposals, error)) (*postgres.SharedProposals, error) {
	if model, ok := c.lookUp(key, annotationID); ok {
		return model, nil
	}
	fitted, err, _ := c.fits.Do(fmt.Sprintf("%d %s %s", key.projectID, key.source, key.view), func() (any, error) {
		if model, ok := c.lookUp(key, annotationID); ok { // fitted since
			return model, nil
		}
		model, err := fit()
		if err == nil {
			c.store(key, fittedModel{model, annotationID, time.Now()})
		}
		return model, err
	})
	if err != nil {
		return nil, err
	}
	return fitted.(*postgres.SharedProposals), nil
}

func (c *proposalCache) lookUp(key proposalKey, annotationID int64) (*postgres.SharedProposals, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, ok := c.models[key]
	return m.model, ok && (m.annotationID == annotationID || time.Since(m.fittedAt) < maxProposalAge)
}

func (c *proposalCache) store(key proposalKey, m fittedModel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.models == nil || len(c.models) >= maxProposals {
		c.models = map[proposalKey]fittedModel{}
	}
	c.models[key] = m
}

func checkProposalSource(s report.ProposalSource) error {
	if s != "" && !slices.Contains(report.ProposalSources, s) {
		return fault.NotFound.Errorf("Decisions cannot start from “%s”. Choose none, majority, dawid-skene or dawid-skene-ordinal.", s)
	}
	return nil
}

// propose fills in the answers that a queue starts decisions from.
func (s *Server) propose(r *http.Request, p project.Project, item postgres.AdjudicationItem, d *page.AdjudicateData) error {
	if err := checkProposalSource(d.Start); err != nil {
		return err
	}
	var model *postgres.SharedProposals
	if d.Start.NeedsModel() {
		version, err := s.db.DataVersion(r.Context(), p)
		if err != nil {
			return err
		}
		view, err := s.db.ReportView(r.Context(), currentAccount(r).ID, p.ID)
		if err != nil {
			return err
		}
		model, err = s.proposals.get(proposalKey{p.ID, view.Key(), d.Start}, version.LastAnnotationID, func() (*postgres.SharedProposals, error) {
			return s.db.FitProposals(context.WithoutCancel(r.Context()), view, p, d.Start) // others may wait for it
		})
		if err != nil {
			return err
		}
	}
	start, err := s.db.ProposeStart(r.Context(), currentAccount(r).ID, p, item, model)
	if err != nil {
		return err
	}
	d.Proposed = &page.ProposedAnswers{Source: d.Start, Answers: start.Answers, Labels: start.Labels, WithoutModel: start.WithoutModel}
	d.Decision.Answers.Values = map[string]int{}
	for key, proposal := range start.Answers {
		d.Decision.Answers.Values[key] = proposal.Value
	}
	return nil
}
