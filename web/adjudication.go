package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/page"
)

// queuedOf reads which disputes somebody goes through.
func queuedOf(r *http.Request) page.Queued {
	return page.Queued{Batch: asked(r, "batch"), Tied: asked(r, "show") == "tied"}
}

// A queue is what people differ on, the worst first.
type queue struct {
	list   []page.DisputeLine
	closed int // items that stay closed to whoever looks
}

func (s *Server) queue(r *http.Request, p project.Project, q page.Queued) (queue, error) {
	disputes, err := s.disputes.ask(r.Context(), s.db, p, q.Batch)
	if err != nil {
		return queue{}, err
	}
	blind, err := s.db.BlindItems(r.Context(), p, who(r).ID)
	if err != nil {
		return queue{}, err
	}
	settled, err := s.db.Settlements(r.Context(), p)
	if err != nil {
		return queue{}, err
	}
	found := queue{closed: len(blind)}
	for _, d := range disputes {
		if q.Tied && len(d.Tied) == 0 || slices.Contains(blind, d.ItemID) {
			continue
		}
		line := page.DisputeLine{Dispute: d}
		if one, is := settled[d.ItemID]; is {
			line.Settled = &page.Settlement{N: one.N, Who: one.Who, At: one.At, Cause: one.Cause, Reason: one.Reason, Newer: one.Newer}
		}
		found.list = append(found.list, line)
	}
	return found, nil
}

// parted returns what is open, the worst first, and what is settled, the last
// first.
func (q queue) parted() (open, settled []page.DisputeLine) {
	for _, l := range q.list {
		if l.Settled == nil {
			open = append(open, l)
		} else {
			settled = append(settled, l)
		}
	}
	slices.SortStableFunc(settled, func(a, b page.DisputeLine) int { return b.Settled.At.Compare(a.Settled.At) })
	return open, settled
}

// after returns the open item that follows one in the queue, or else the first
// that is open; 0: none but that one.
func (q queue) after(itemID int64) int64 {
	at := slices.IndexFunc(q.list, func(l page.DisputeLine) bool { return l.ItemID == itemID })
	for _, l := range slices.Concat(q.list[at+1:], q.list[:max(at, 0)]) {
		if l.Settled == nil {
			return l.ItemID
		}
	}
	return 0
}

// adjudication lists what is to be settled.
func (s *Server) adjudication(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	d := page.AdjudicationData{Visitor: visitor(r), Project: p, Queued: queuedOf(r)}
	batches, err := s.db.Batches(r.Context(), p.ID)
	if err != nil {
		return err
	}
	for _, b := range batches {
		d.Batches = append(d.Batches, b.Name)
	}
	found, err := s.queue(r, p, d.Queued)
	if err != nil {
		return err
	}
	d.Open, d.Settled = found.parted()
	d.Closed = found.closed
	if asked(r, "after") == "settled" {
		d.Notice = "Settled. It counts in the report from now on."
	}
	return show(w, r, http.StatusOK, page.Adjudication(d))
}

// adjudicatePage asks for a decision on an item: with what was typed before,
// with what most say where that is asked for, as it was decided before, or with
// nothing filled in.
func (s *Server) adjudicatePage(w http.ResponseWriter, r *http.Request) error {
	return s.askDecision(w, r, http.StatusOK, func(c postgres.Case, d *page.AdjudicateData) {
		switch {
		case asked(r, "take") == "most":
			d.Taken, d.Decision.Answers.Values = true, c.Consensus(d.Project.Protocol)
		case c.Draft.Version > 0 && asked(r, "take") != "anew":
			d.Drafted, d.Decision = true, c.Draft.Decision
		case len(c.History) > 0:
			last := c.History[0]
			d.Decision.Answers = protocol.Answers{Values: last.Answers, Observations: last.Observations, Unsure: last.Unsure, Note: last.Note}
		}
	})
}

// askDecision shows an item as it stands, with the form as fill has it.
func (s *Server) askDecision(w http.ResponseWriter, r *http.Request, status int, fill func(postgres.Case, *page.AdjudicateData)) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	c, err := s.db.Case(r.Context(), who(r).ID, p, numberOf(r))
	if err != nil {
		return err
	}
	d := page.AdjudicateData{Visitor: visitor(r), Project: p, Queued: queuedOf(r), Item: c.Item, Dispute: c.Dispute, Missing: c.Missing,
		Seen: c.Seen(), Version: c.Draft.Version, Key: c.FormKey, KeysOff: s.sessions.GetBool(r.Context(), sessionKeysOff)}
	for _, g := range c.Givens {
		d.Answers = append(d.Answers, page.Given(g))
	}
	for _, h := range c.History {
		d.History = append(d.History, page.Settlement{N: h.N, Who: h.Who, At: h.At, Cause: h.Cause, Reason: h.Reason})
	}
	found, err := s.queue(r, p, d.Queued)
	if err != nil {
		return err
	}
	open, settled := found.parted()
	d.Done, d.Total, d.Later = len(settled), len(open)+len(settled), found.after(d.Item.ID)
	fill(c, &d)
	return show(w, r, status, page.Adjudicate(d))
}

// A decisionForm is the form of a decision as it was sent.
type decisionForm struct {
	form
	decision labeling.Decision
	saw      postgres.Sight
	key      string // whose form it is
}

func readDecision(r *http.Request) (decisionForm, error) {
	fields, err := readFields(r)
	if err != nil {
		return decisionForm{}, err
	}
	sent := decisionForm{decision: labeling.Decision{Cause: labeling.Cause(fields.Get(labeling.CauseKey)),
		Reason: strings.ReplaceAll(fields.Get(labeling.ReasonKey), "\r\n", "\n")}}
	sent.saw.Seen = versionOf(fields.Get("decision.seen"))
	sent.saw.Stands, _ = strconv.Atoi(fields.Get("decision.stands"))
	sent.key = fields.Get("decision.key")
	for _, key := range []string{labeling.CauseKey, labeling.ReasonKey, "decision.seen", "decision.stands", "decision.key"} {
		r.PostForm.Del(key)
	}
	sent.form, err = readForm(r)
	sent.decision.Answers = sent.Answers
	return sent, err
}

// adjudicate takes a decision, and leads on to the next item that is open.
func (s *Server) adjudicate(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	sent, err := readDecision(r)
	if err != nil {
		return err
	}
	s.keepKeys(r, sent.form)
	if err = sent.err(); err == nil {
		err = s.db.Adjudicate(r.Context(), who(r).ID, p, numberOf(r), sent.saw, sent.decision)
	}
	problems, wrong := errors.AsType[protocol.Problems](err)
	switch unseen := errors.Is(err, postgres.ErrUnseen); {
	case wrong:
		return s.askDecisionAgain(w, r, p, http.StatusUnprocessableEntity, sent, func(d *page.AdjudicateData) { d.Problems = problems })
	case unseen:
		return s.askDecisionAgain(w, r, p, http.StatusConflict, sent, func(d *page.AdjudicateData) { d.Changed = fault.Message(err) })
	case err != nil:
		return err
	}
	return s.nextDispute(w, r, p)
}

// askDecisionAgain shows what was sent and could not be taken, and keeps it.
func (s *Server) askDecisionAgain(w http.ResponseWriter, r *http.Request, p project.Project, status int, sent decisionForm, why func(*page.AdjudicateData)) error {
	version, err := s.db.KeepDecision(r.Context(), who(r).ID, p, numberOf(r), sent.decision)
	if err != nil {
		return err
	}
	return s.askDecision(w, r, status, func(_ postgres.Case, d *page.AdjudicateData) {
		d.Decision, d.Version = sent.decision, version
		why(d)
	})
}

// decisionDraft keeps what a lead types about an item, as it is typed.
func (s *Server) decisionDraft(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	sent, err := readDecision(r)
	if err != nil {
		return err
	}
	s.keepKeys(r, sent.form)
	return kept(w, s.db.SaveDecision(r.Context(), who(r).ID, p, numberOf(r), postgres.DecisionDraft{
		Decision: sent.decision, Version: sent.version, From: sent.From, Tab: sent.Tab, Stands: sent.saw.Stands}))
}

// keepDecision keeps what a lead sent whose session was over, for them.
func (s *Server) keepDecision(r *http.Request) error {
	sent, err := readDecision(r)
	if err != nil {
		return err
	}
	return s.db.KeepUnsignedDecision(r.Context(), param(r, "key"), numberOf(r), sent.key, sent.version, sent.decision)
}

func (s *Server) nextDispute(w http.ResponseWriter, r *http.Request, p project.Project) error {
	q := queuedOf(r)
	found, err := s.queue(r, p, q)
	if err != nil {
		return err
	}
	if next := found.after(numberOf(r)); next != 0 {
		return seeOther(w, r, page.AdjudicationPath(p.Key, q, strconv.FormatInt(next, 10)))
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "adjudication")+"?"+url.Values{"after": {"settled"}}.Encode())
}

// unblinded is the report without the answers that stay closed to whoever asks:
// those of an open batch in which they label themselves.
func (s *Server) unblinded(r *http.Request, d page.ReportData) (*report.Report, error) {
	blind, err := s.db.BlindItems(r.Context(), d.Project, who(r).ID)
	if err != nil || d.Report == nil || len(blind) == 0 {
		return d.Report, err
	}
	own := *d.Report
	own.Disagreements = slices.DeleteFunc(slices.Clone(own.Disagreements), func(one report.Disagreement) bool { return slices.Contains(blind, one.ItemID) })
	own.Consensus = slices.DeleteFunc(slices.Clone(own.Consensus), func(one report.Settled) bool { return slices.Contains(blind, one.ItemID) })
	return &own, nil
}
