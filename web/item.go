package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/audit"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

func (s *Server) showItem(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderItem(w, r, http.StatusOK, p, func(*page.ItemPageData) {})
}

// renderItem shows an item with all that is known about it and adjust's changes. While the reader must not see its
// answers, the page has the text, the import and the exports.
func (s *Server) renderItem(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	adjust func(*page.ItemPageData)) error {
	item, err := s.db.Item(r.Context(), p.ID, pathID[project.ItemID](r))
	if err != nil {
		return err
	}
	actorID := currentAccount(r).ID
	listed, err := s.db.ListItems(r.Context(), actorID, p, project.ItemFilter{IDs: []project.ItemID{item.ID}}, "", 1)
	if err != nil {
		return err
	}
	d := page.ItemPageData{User: currentUser(r), Project: p, Item: item, Metadata: metadataRows(item)}
	if len(listed.Items) > 0 {
		d.Listed = listed.Items[0]
	}
	l := currentLocale(r)
	record, err := s.db.ItemRecord(r.Context(), actorID, p, item.ID)
	if err != nil {
		return err
	}
	d.History, d.Actions = itemEvents(l, p, record), itemPageActions(l, d.Listed, len(record.Batches) > 0)
	if !d.Listed.IsBlinded {
		if err := s.addItemAnswers(r, p, &d, record); err != nil {
			return err
		}
	}
	slices.SortStableFunc(d.History, func(a, b page.ItemEvent) int { return b.At.Compare(a.At) })
	adjust(&d)
	return render(w, r, status, page.ItemPage(d))
}

// itemPageActions are those of a list that the item allows: one that a batch includes as work becomes a calibration
// item only with its decision.
func itemPageActions(l *locale.Locale, item project.ListedItem, isInBatch bool) []page.ListAction {
	actions := slices.DeleteFunc(itemActions(l, project.ItemFilter{State: item.State}), func(a page.ListAction) bool {
		return a.Value == actionTag // the page has its own form
	})
	i := slices.IndexFunc(actions, func(a page.ListAction) bool { return a.Value == actionCalibrate })
	switch {
	case i < 0:
	case item.State == project.ItemCalibration:
		actions[i].Text = l.T("Edit reference answers")
	case item.IsBlinded || isInBatch && item.DecidedAt == nil:
		actions = slices.Delete(actions, i, i+1)
	}
	return actions
}

// addItemAnswers adds what an account must not see while it labels the item. Reading the answers records that it has
// seen them.
func (s *Server) addItemAnswers(r *http.Request, p project.Project, d *page.ItemPageData,
	record postgres.ItemRecord) error {
	ctx, actorID, l := r.Context(), currentAccount(r).ID, currentLocale(r)
	labels := map[string]string{}
	for _, w := range record.Work {
		labels[w.Pseudonym] = w.Annotator
		d.Work = append(d.Work, page.ItemWork{Annotator: w.Annotator, Pseudonym: w.Pseudonym, Batch: w.BatchName,
			State: workState(l, w)})
	}
	d.Answers = page.SideBySideData{Project: p, Item: d.Item}
	answers, err := s.db.ItemAnnotations(ctx, actorID, p, d.Item.ID)
	if err != nil {
		return err
	}
	for _, a := range answers {
		shown := toPageAnswers(a)
		shown.Label = labels[a.Annotator]
		d.Answers.Answers = append(d.Answers.Answers, shown)
	}
	judgments, err := s.db.ItemJudgments(ctx, actorID, p, d.Item.ID)
	if err != nil {
		return err
	}
	for _, j := range judgments {
		d.Answers.Judgments = append(d.Answers.Judgments, toPageAnswers(j))
	}
	rounds, err := s.db.ItemRounds(ctx, actorID, p, d.Item.ID)
	if err != nil {
		return err
	}
	for _, round := range rounds {
		shown := page.RoundAnswers{Batch: round.Batch, Protocol: round.Protocol}
		for _, a := range round.Answers {
			answers := toPageAnswers(a)
			answers.Label = labels[a.Annotator]
			shown.Answers = append(shown.Answers, answers)
		}
		d.Rounds = append(d.Rounds, shown)
	}
	found, err := s.db.ItemConsensus(ctx, actorID, p, []project.ItemID{d.Item.ID})
	if err != nil {
		return err
	}
	d.Answers.Consensus = found[d.Item.ID]
	if d.Tags, err = s.db.ItemTags(ctx, actorID, p, d.Item.ID); err != nil {
		return err
	}
	notes, err := s.db.ItemNotes(ctx, actorID, p, d.Item.ID)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if n.WrittenBy == "" {
			n.WrittenBy = l.T("A command")
		}
		d.Notes = append(d.Notes, page.ItemNote(n))
	}
	questions, err := s.db.ItemQuestions(ctx, actorID, p.ID, d.Item.ID)
	if err != nil {
		return err
	}
	d.Questions = toPageQuestions(questions)
	for _, q := range questions {
		d.History = append(d.History, page.ItemEvent{At: q.CreatedAt, Text: l.T("%s asked a question.", q.Annotator)})
	}
	for _, receiver := range record.Receivers {
		d.Receivers = append(d.Receivers, ui.Option{Value: receiver.Pseudonym, Text: receiver.Annotator})
	}
	for _, c := range record.Corrections {
		d.Corrections = append(d.Corrections, page.ItemCorrection{ID: c.ID, Annotator: c.Annotator, Batch: c.BatchName,
			Message: c.Message, CreatedAt: c.CreatedAt, Outcome: correctionOutcome(l, postgres.CorrectionRequest{
				ResolvedAt: c.ResolvedAt, Reopened: c.IsReopened, Reply: c.Reply, ByLead: c.IsByLead})})
	}
	skips, err := s.db.ItemSkips(ctx, actorID, p, []project.ItemID{d.Item.ID})
	if err != nil {
		return err
	}
	for _, k := range skips[d.Item.ID] {
		d.History = append(d.History, page.ItemEvent{At: k.SkippedAt, Text: l.T("Skipped: %s. %s",
			l.Translate(locale.Text(k.Reason.LeadText())), k.Comment)})
	}
	entries, err := s.db.ProjectAuditLog(ctx, actorID, p, audit.Filter{Item: d.Item.SourceID}, 0, rowsPerPage)
	for _, e := range entries {
		d.History = append(d.History, page.ItemEvent{At: e.CreatedAt, Entry: &e})
	}
	return err
}

func itemEvents(l *locale.Locale, p project.Project, record postgres.ItemRecord) []page.ItemEvent {
	imported := l.T("Imported from %s by a command.", record.FileName)
	if record.ImportedBy != "" {
		imported = l.T("Imported from %s by %s.", record.FileName, record.ImportedBy)
	}
	events := []page.ItemEvent{{At: record.ImportedAt, Text: imported, Path: page.ProjectPath(p.Key, "imports")}}
	for _, b := range record.Batches {
		path := page.ProjectPath(p.Key, "batches", b.Name)
		events = append(events, page.ItemEvent{At: b.OpenedAt, Text: l.T("The batch %s with this item was opened.",
			b.Name), Path: path})
		if b.ClosedAt != nil {
			events = append(events, page.ItemEvent{At: *b.ClosedAt, Text: l.T("The batch %s was closed.", b.Name),
				Path: path})
		}
	}
	for _, w := range record.Work {
		if w.SubmittedAt != nil {
			events = append(events, page.ItemEvent{At: *w.SubmittedAt, Text: l.T("%s labeled it in %d s.", w.Annotator,
				int(w.ActiveMS/1000))})
		}
	}
	for _, c := range record.Corrections {
		if !c.IsByLead {
			events = append(events, page.ItemEvent{At: c.CreatedAt, Text: l.T("%s reported a mistake.", c.Annotator)})
		}
	}
	for _, e := range record.Exports {
		events = append(events, page.ItemEvent{At: e.CreatedAt, Text: l.T("Exported by %s.", e.ExportedBy),
			Path: page.ProjectPath(p.Key, "exports", formatID(e.ID))})
	}
	return events
}

// workState says how far an annotator is with an item.
func workState(l *locale.Locale, w postgres.ItemWork) string {
	switch {
	case w.SubmittedAt != nil && w.IsReopened:
		return l.T("reopened, labeled %s before", l.Time(*w.SubmittedAt))
	case w.SubmittedAt != nil:
		return l.T("labeled %s", l.Time(*w.SubmittedAt))
	case w.DraftSavedAt != nil:
		return l.T("open since %s, draft of %s", l.Time(w.OpenedAt), l.Time(*w.DraftSavedAt))
	}
	return l.T("open since %s", l.Time(w.OpenedAt))
}

func toPageAnswers(a postgres.ItemAnnotation) page.AnnotatorAnswers {
	return page.AnnotatorAnswers{AnnotationID: a.AnnotationID, Annotator: a.Annotator, Batch: a.Batch,
		Values: a.Values, Observations: a.Observations, Unsure: a.Unsure, Note: a.Note}
}

// metadataRows returns the metadata of an item sorted by name: strings as they
// are, other values as JSON.
func metadataRows(item project.Item) (rows []ui.SummaryRow) {
	for _, key := range slices.Sorted(maps.Keys(item.Meta)) {
		var text string
		if err := json.Unmarshal(item.Meta[key], &text); err != nil {
			text = string(item.Meta[key])
		}
		rows = append(rows, ui.SummaryRow{Label: key, Value: text})
	}
	return rows
}

// saveItemNotes gives an item the tags of the form, and adds its note.
func (s *Server) saveItemNotes(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id, actorID := pathID[project.ItemID](r), currentAccount(r).ID
	note := r.PostFormValue("note")
	err := s.saveItemTags(r, p, id)
	if err == nil && strings.TrimSpace(note) != "" {
		_, err = s.db.NoteItems(r.Context(), actorID, p, project.ItemFilter{IDs: []project.ItemID{id}}, note)
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderItem(w, r, status, p, func(d *page.ItemPageData) {
			d.Tags, d.Note = []string{r.PostFormValue("tags")}, note
			d.Errors = toFormErrors(currentLocale(r), err, "note")
		})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "items", formatID(id))+"#notes")
}

// giveItem gives an item to an annotator of its open batch.
func (s *Server) giveItem(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id, actorID := pathID[project.ItemID](r), currentAccount(r).ID
	change := project.BatchChange{Reason: r.PostFormValue("reason"), GiveTo: r.PostFormValue("give_to"),
		LabelItems: &project.ItemFilter{IDs: []project.ItemID{id}}}
	batch, err := s.db.OpenBatchOf(r.Context(), p, change.LabelItems.IDs)
	if err == nil {
		_, err = s.db.ChangeBatch(r.Context(), actorID, p, batch, change)
	}
	if status := formErrorStatus(err); status != 0 {
		return s.renderItem(w, r, status, p, func(d *page.ItemPageData) {
			d.Reason, d.Errors = change.Reason, toFormErrors(currentLocale(r), err, "give_to")
			for i := range d.Receivers {
				d.Receivers[i].Chosen = d.Receivers[i].Value == change.GiveTo
			}
		})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "items", formatID(id)))
}

func (s *Server) saveItemTags(r *http.Request, p project.Project, id project.ItemID) error {
	actorID := currentAccount(r).ID
	before, err := s.db.ItemTags(r.Context(), actorID, p, id)
	if err != nil {
		return err
	}
	after := splitTags(r.PostFormValue("tags"))
	isIn := func(list []string) func(string) bool {
		return func(tag string) bool { return slices.Contains(list, tag) }
	}
	t := postgres.Tagging{Add: slices.DeleteFunc(slices.Clone(after), isIn(before)),
		Remove: slices.DeleteFunc(before, isIn(after))}
	if len(t.Add)+len(t.Remove) == 0 {
		return nil
	}
	_, err = s.db.TagItems(r.Context(), actorID, p, project.ItemFilter{IDs: []project.ItemID{id}}, t)
	return err
}

// splitTags reads tags that commas separate.
func splitTags(text string) (tags []string) {
	for tag := range strings.SplitSeq(text, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}
