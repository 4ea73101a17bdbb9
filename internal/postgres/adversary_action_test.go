package postgres

import (
	"errors"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
)

// handle does with an item what the habit suggests.
func (a *adversary) handle(token string, item *observedItem) {
	switch roll := a.rng.IntN(100); {
	case roll < a.habit.breaks:
		a.takeBreak(token, item)
		a.submit(token, item, "break")
	case roll < a.habit.breaks+a.habit.waits:
		a.passTime(25)
		a.submit(token, item, "wait")
	case roll < a.habit.breaks+a.habit.waits+a.habit.skips:
		a.skip(token, item)
	case roll < a.habit.breaks+a.habit.waits+a.habit.skips+a.habit.reopens:
		a.submit(token, item, "reopen")
		a.reopen(token)
	case roll < a.habit.breaks+a.habit.waits+a.habit.skips+a.habit.reopens+a.habit.abandons:
		a.abandon(token, item)
	case roll < a.habit.breaks+a.habit.waits+a.habit.skips+a.habit.reopens+a.habit.abandons+a.habit.undos:
		a.submit(token, item, "submit")
		a.undo(item)
	case roll < a.habit.sum()-a.habit.sheets:
		a.ask(token, item)
		a.submit(token, item, "ask")
	case roll < a.habit.sum():
		a.getSheet(item)
		a.submit(token, item, "sheet")
	default:
		a.submit(token, item, "submit")
	}
}

// takeBreak takes a break before an open item, and compares all counters.
func (a *adversary) takeBreak(token string, item *observedItem) {
	before := a.work
	a.must(a.StartBreak(a.t.Context(), a.account.ID, token))
	during := a.progress()
	_, err := a.EndBreak(a.t.Context(), a.account.ID)
	a.must(err)
	again := a.openNext()
	item.observe("break: work %+v, page %+v, same item %v", difference(during.Progress, before.Progress),
		difference(a.screen(again).Progress, before.Progress), again == token)
}

func (a *adversary) submit(token string, item *observedItem, action string) {
	before := a.work
	result, err := a.Submit(a.t.Context(), a.account.ID, token, helpfulSubmission)
	a.must(err)
	var started labeling.Break
	if a.next = result.NextToken; a.next == "" {
		started, _ = a.CurrentBreak(a.t.Context(), a.account.ID)
	}
	after := a.progress()
	item.observe("%s: next %v, planned break %v, work %+v", action, a.next != "", started.Planned,
		difference(after.Progress, before.Progress))
	item.observe("%s, then more %v", action, after.HasMore)
	a.last = action
	if started.Planned {
		_, err = a.EndBreak(a.t.Context(), a.account.ID)
		a.must(err)
		a.last = "planned break"
	}
}

func (a *adversary) skip(token string, item *observedItem) {
	before := a.work
	next, err := a.Skip(a.t.Context(), a.account.ID, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
	a.must(err)
	after := a.progress()
	item.skips++
	item.observe("skip: next %v, more %v, work %+v", next != "", after.HasMore, difference(after.Progress,
		before.Progress))
	a.last, a.next = "skip", next
}

// undo looks at the next item, takes back the submit of item, and submits it again.
func (a *adversary) undo(item *observedItem) {
	before, open := a.progress(), a.openNext()
	next := item
	if open != "" {
		next = a.observeScreen(a.screen(open))
	}
	token, err := a.UndoSubmit(a.t.Context(), a.account.ID, a.batch.ID, open)
	next.observe("undo: refused %v", err)
	if a.next = open; err != nil {
		return
	}
	s := a.screen(token)
	next.observe("undo: stage %v %v, draft %d, page %+v", s.Reopened, s.IsUndone, s.DraftVersion, difference(s.Progress,
		before.Progress))
	item.observe("undone: stage %v %v, draft %d, page %+v", s.Reopened, s.IsUndone, s.DraftVersion,
		difference(s.Progress, before.Progress))
	a.last = "undo"
	a.submit(token, item, "submit again")
	next.observe("undo, then the same item %v, none %v", a.next == open, a.next == "")
}

// reopen asks to reopen a submitted item, and the lead agrees.
func (a *adversary) reopen(token string) {
	err := a.RequestCorrection(a.t.Context(), a.account.ID, token, "I meant no")
	a.must(err)
	requests, err := a.CorrectionRequests(a.t.Context(), a.admin.ID, a.batch.ID)
	a.must(err)
	for _, r := range requests {
		if err := a.AcceptCorrection(a.t.Context(), a.admin.ID, a.project, a.batch, r.ID); !errors.Is(err,
			fault.Conflict) {
			a.must(err)
		}
	}
}

// abandon leaves an item open until it is released.
func (a *adversary) abandon(token string, item *observedItem) {
	a.passTime(35)
	_, err := a.ReleaseAbandoned(a.t.Context())
	a.must(err)
	a.away, a.left, a.leftItem, a.last = 1+a.rng.IntN(12), token, item, "abandon"
}

// returnToAbandoned looks at the page that was left open, and at Work.
func (a *adversary) returnToAbandoned() {
	_, pageErr := a.LabelingScreen(a.t.Context(), a.account.ID, a.left)
	work := a.progress()
	next := a.openNext()
	a.leftItem.observe("abandon: page %v, open on Work %v, more %v", pageErr, work.OpenToken != "", work.HasMore)
	a.leftItem.observe("abandon: same item %v, none %v", next == a.left, next == "")
}
