package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/ui"
)

// hidden is the form again, exactly as the plan was made from it.
func (d NewBatchData) hidden() []ui.Hidden {
	h := d.Handout
	fields := []ui.Hidden{
		{Name: "name", Value: h.Name},
		{Name: "overlap", Value: strconv.Itoa(h.Overlap)},
		{Name: "items", Value: strconv.Itoa(h.Items)},
		{Name: "break_every", Value: strconv.Itoa(h.BreakEvery)},
		{Name: "break_minutes", Value: strconv.Itoa(h.BreakMinutes)},
		{Name: "calibration", Value: strconv.Itoa(h.Calibration)},
		{Name: "duplicates", Value: strconv.Itoa(h.Duplicates)},
	}
	if h.Seed != 0 {
		fields = append(fields, ui.Hidden{Name: "seed", Value: strconv.FormatInt(h.Seed, 10)})
	}
	for _, address := range h.Annotators {
		fields = append(fields, ui.Hidden{Name: "annotators", Value: address})
	}
	return fields
}

func memberOptions(d NewBatchData) (options []ui.Option) {
	for _, m := range d.Members {
		if m.Disabled {
			continue
		}
		hint := m.Email
		if !m.Joined {
			hint += ", invited but not here yet"
		}
		options = append(options, ui.Option{Value: m.Email, Text: m.Name, Hint: hint, Chosen: among(d.Form.Annotators, m.Email)})
	}
	return options
}

func itemsHint(unassigned int) string {
	return fmt.Sprintf("Drawn by chance. 0 hands out all that are in no batch yet: %s.", figure(unassigned))
}

func calibrationHint(d NewBatchData) string {
	if d.References == 0 {
		return "Items with a reference, before the work. No item has one yet."
	}
	return fmt.Sprintf("Items with a reference, before the work; there are %s. Empty: %d.",
		figure(d.References), min(d.Project.Protocol.Plan.Calibration, d.References))
}

func duplicatesHint(d NewBatchData) string {
	return fmt.Sprintf("Items that come a second time, unmarked, for each annotator. Empty: up to %d, as many as the batch bears.", d.Project.Protocol.Plan.Duplicates)
}

// planTerms says what a batch would mean.
func planTerms(p project.Plan) []ui.Term {
	terms := []ui.Term{
		{Name: "Items", Detail: figure(p.Items)},
		{Name: "Labels in all", Detail: fmt.Sprintf("%s: %s for each item", figure(p.Slots), counted(p.Overlap, "annotator", "annotators"))},
		{Name: "For each annotator", Detail: eachSays(p)},
	}
	if p.Calibration+p.Duplicates > 0 {
		terms = append(terms, ui.Term{Name: "Besides, for each", Detail: besidesSays(p.Calibration, p.Duplicates)})
	}
	if p.Minutes.To > 0 {
		terms = append(terms, ui.Term{Name: "Time for each", Detail: timeSays(p)})
	}
	terms = append(terms, ui.Term{Name: "Shared by each pair", Detail: sharedSays(p)})
	if p.Width > 0 {
		terms = append(terms, ui.Term{Name: "Interval of κ", Detail: fmt.Sprintf(
			"about %.2f wide from end to end, by simulated batches in which people agree by %g; wider where items share a record", p.Width, report.ExpectedKappa)})
	}
	return terms
}

func eachSays(p project.Plan) string {
	if p.Annotators == 1 {
		return "all " + count(p.Items, "item")
	}
	return fmt.Sprintf("%s items, if %d people take even parts", span(p.Each), p.Annotators)
}

// besidesSays tells what comes besides the work.
func besidesSays(calibration, duplicates int) string {
	switch {
	case calibration == 0 && duplicates == 0:
		return "nothing"
	case calibration == 0:
		return count(duplicates, "hidden duplicate")
	case duplicates == 0:
		return count(calibration, "calibration item") + " before it"
	}
	return count(calibration, "calibration item") + " before it, and " + count(duplicates, "hidden duplicate") + " in it"
}

func timeSays(p project.Plan) string {
	says := hours(p.Minutes.From) + " to " + hours(p.Minutes.To) + " at the protocol's pace"
	if p.Breaks > 0 {
		says += ", and " + hours(p.Breaks) + " of breaks"
	}
	return says
}

// sharedSays tells what agreement will rest on.
func sharedSays(p project.Plan) string {
	switch {
	case p.Annotators < 2:
		return "nothing: agreement needs two annotators"
	case p.Shared == 0:
		return "nothing: with an overlap of 1 agreement cannot be measured"
	}
	about := strconv.FormatFloat(math.Round(p.Shared), 'f', 0, 64)
	if p.Shared < 10 {
		about = strconv.FormatFloat(p.Shared, 'f', 1, 64)
	}
	return "about " + about + " items"
}

func closingSays(b project.Batch) string {
	left := b.Slots - b.Submitted
	if left == 0 {
		return "Every label that was asked for is in. Nothing is lost by closing it."
	}
	return sentence(counted(left, "label of this batch has", "labels of this batch have")+" not been sent, and nobody will be asked for more", "")
}

func boardLead(b project.Batch) string {
	if b.ClosedAt != nil {
		return "Closed on " + day(*b.ClosedAt) + ". Nobody is given an item of it any more."
	}
	return sentence(fmt.Sprintf("%s, %s, each item labelled by %s", count(b.Items, "item"), count(b.Annotators, "annotator"), strconv.Itoa(b.Overlap)), "")
}

func boardFigures(b project.Batch) []ui.Term {
	return []ui.Term{
		{Name: "done", Detail: figure(b.Submitted)},
		{Name: "in somebody's hands", Detail: figure(max(b.Claimed-b.Submitted, 0))},
		{Name: "free", Detail: figure(b.Slots - b.Claimed)},
	}
}

func boardTerms(b project.Batch) []ui.Term {
	rest := "none planned"
	if b.BreakEvery > 0 {
		rest = fmt.Sprintf("%s after every %s", count(b.BreakMinutes, "minute"), count(b.BreakEvery, "item"))
	}
	return []ui.Term{
		{Name: "Opened", Detail: moment(b.OpenedAt) + " UTC"},
		{Name: "Overlap", Detail: strconv.Itoa(b.Overlap)},
		{Name: "Besides the work", Detail: besidesSays(b.Calibration, b.Duplicates)},
		{Name: "Breaks", Detail: rest},
		{Name: "Seed", Detail: strconv.FormatInt(b.Seed, 10)},
	}
}

func paceOf(s project.Share) string {
	if s.ActiveMS == 0 {
		return "–"
	}
	return figure(int((s.ActiveMS + 500) / 1000))
}
