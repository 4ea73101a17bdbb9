package page_test

import (
	"maps"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/ratereffect"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// annotatorPages are samplePages and more states of these pages, without pages that no
// annotator sees. Texts that a handler passes are in marks of the catalog.
func annotatorPages(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := samplePages(t)
	delete(all, "/components")
	delete(all, "/confirm-password")
	for _, states := range []map[string]templ.Component{labelStates(t), workStates(), correctionStates(t),
		calibrationStates(t), otherStates(t)} {
		maps.Copy(all, states)
	}
	return all
}

func labelStates(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := map[string]templ.Component{}
	for _, p := range protocol.Builtin() {
		refused := newLabelData(t, p.Key)
		refused.Answers = protocol.Answers{Values: longestAnswers(p), Note: " "}
		for _, o := range p.Observations {
			refused.Answers.Observations = append(refused.Answers.Observations, o.Key)
		}
		delete(refused.Answers.Values, p.Fields[0].Key)
		refused.Answers.Unsure = append(refused.Answers.Unsure, "kindness")
		refused.Problems = append(p.Check(refused.Facts, refused.Answers), protocol.Problem{Key: "edge_cases",
			Message: page.FilledMessage})
		refused.Draft = page.Draft{Version: 3}
		all["/work/"+p.Key+"-refused"] = page.Label(refused)
	}
	d := newLabelData(t, "ambiguity")
	one := 1
	d.Answers = protocol.Answers{Values: map[string]int{"a": 3, "b": 2}, Unsure: []string{"a"}}
	d.Filled = []protocol.Filled{{Field: "a", Before: &one}, {Field: "b"}}
	d.Stage, d.Notice, d.HasUnreadMessages, d.ShortcutsDisabled = "⟦Reopened⟧", "⟦You already submitted this item.⟧",
		true, true
	d.Progress = page.Progress{Done: 3}
	d.Questions = []page.OwnQuestion{{Message: "Why?"}, {Message: "How?", Answer: "So."}}
	d.Project.Instructions, d.Project.Session = sampleInstructions, sessionFacts()
	d.Content["turns"] = project.PartContent{Turns: []project.Turn{{Role: "", Text: ""},
		{Role: "assistant", Text: "**Bold**"}}}
	all["/work/states"] = page.Label(d)
	d = newLabelData(t, "rag-generation")
	d.Content = project.Content{"query": {Text: "Q?"}, "answer": {Text: ""}, "context_set": {}}
	d.Progress.ItemsToBreak = 0
	all["/work/empty-parts"] = page.Label(d)
	return all
}

func workStates() map[string]templ.Component {
	now := time.Date(2026, 11, 22, 8, 4, 0, 0, time.UTC)
	month := page.NewHours("/work", "2026-02", now)
	days := []page.WorkDay{{ProjectTitle: "Pilot", Day: now, Items: 40, ActiveMS: 3_600_000}, {Day: now, Items: 1}}
	full := page.WorkHomeData{
		User: annotator, Notice: "⟦This batch is closed.⟧",
		AlreadySubmittedNotice: "⟦You already submitted this item.⟧", Days: days,
		Hours:            page.NewHours("/work", "", now),
		ThankYous:        []page.ThankYou{{ProjectTitle: "Pilot", EndedAt: now, Message: "Well done."}},
		RaterEffectLinks: []ui.Link{{Path: "/work/rater-effects", Text: "⟦Your rater effects⟧"}},
		Declined: []page.DeclinedRequest{{ProjectTitle: "Pilot", Message: "A 2.", Reply: "A 3.",
			DeclinedAt: now}},
		Closed: []page.ClosedBatch{{ProjectTitle: "Pilot", Completed: 1033, ClosedAt: now,
			CalibrationPath: "/work/calibration"}},
		Queues: []page.Queue{
			{Batch: "3", Project: sampleProject, BatchName: "second", IsNew: true, GuidePath: "/work/guide",
				Progress: page.Progress{Total: 160}, Pace: labeling.Pace{Seconds: 74, Words: 180,
					TargetMin: 60, TargetMax: 90},
				ReturningItems: 1},
			{Batch: "4", Project: sampleProject, Progress: page.Progress{Done: 12},
				ReopenedItems: []page.ReopenedItem{{Message: "Meant a 2."}, {Message: "See the guide.", ByLead: true}}},
			{Batch: "5", Project: sampleProject, Stage: "⟦Calibration⟧", Progress: page.Progress{Done: 2, Total: 12},
				CalibrationPath: "/work/calibration"},
			{Batch: "6", Project: sampleProject, Progress: page.Progress{Done: 12, Total: 12},
				BlockedReason: "⟦No items are left.⟧", CalibrationPath: "/work/calibration"},
		},
	}
	for _, kind := range []string{"removed", "open_item_reassigned", "items_reassigned", "items_added", "paused",
		"resumed", "closed", "reopened"} {
		full.WorkNotices = append(full.WorkNotices, page.WorkNotice{ProjectTitle: "Pilot", Kind: kind, ItemCount: 3,
			DraftToken: "t"}, page.WorkNotice{ProjectTitle: "Pilot", Kind: kind})
	}
	return map[string]templ.Component{
		"/work-full":  page.WorkHome(full),
		"/work-month": page.WorkHome(page.WorkHomeData{User: annotator, Hours: month}),
		"/done-more": page.Done(page.DoneData{User: annotator, Project: sampleProject, Next: &page.Queue{Batch: "4", BatchName: "third"}, Batch: "3",
			CalibrationPath: "/work/calibration", Pace: labeling.Pace{Seconds: 74, Words: 180},
			Notice: "⟦You already submitted this item.⟧"}),
		"/item-skipped": page.Pause(page.PauseData{User: annotator, Project: sampleProject}),
		"/break-limited": page.Break(page.BreakData{User: annotator, Remaining: time.Minute,
			Notice: "⟦You are on a break.⟧", EndPath: "/work/break/end"}),
	}
}

func correctionStates(t testing.TB) map[string]templ.Component {
	t.Helper()
	p := builtinProtocol(t, "empathy")
	d := page.CorrectionsData{User: annotator, Project: sampleProject, Protocol: p, Batch: "3",
		EarlierPath: "/work/corrections?number=3",
		Errors:      page.FormErrors{{FieldID: "message", Message: "⟦Describe the mistake.⟧"}},
		Items: []page.SubmittedItem{
			{Token: "a", Number: 1033, HasRequest: true, Title: "I got the promotion",
				Answers: &protocol.Answers{Values: longestAnswers(p), Observations: []string{p.Observations[0].Key},
					Note: "Odd."}},
			{Token: "b", Number: 12},
		},
		Requests:     []page.OwnCorrection{{Number: 9, Message: "A 2.", Outcome: "⟦Sent to your lead.⟧"}},
		OtherBatches: []ui.Link{{Path: "/work/corrections?batch=4", Text: "Pilot"}}}
	kept := page.KeptDraftData{User: annotator, Message: "⟦Not submitted.⟧", ProjectTitle: "Pilot", Protocol: p,
		Answers: *d.Items[0].Answers}
	return map[string]templ.Component{
		"/corrections":       page.Corrections(d),
		"/corrections-empty": page.Corrections(page.CorrectionsData{User: annotator}),
		"/corrections-not-found": page.Corrections(page.CorrectionsData{User: annotator, Project: sampleProject,
			Number: "99"}),
		"/kept-draft": page.KeptDraft(kept),
		"/kept-draft-empty": page.KeptDraft(page.KeptDraftData{User: annotator, ProjectTitle: "Pilot",
			Message: "⟦Not submitted.⟧"}),
	}
}

func calibrationStates(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := map[string]templ.Component{}
	for _, key := range []string{"empathy", "rag-retrieval"} {
		label := newLabelData(t, key)
		p := label.Protocol
		low, high := protocol.Answers{Values: map[string]int{}, Note: "Mine."},
			protocol.Answers{Values: map[string]int{}, Note: "Theirs."}
		for _, f := range p.Fields {
			low.Values[f.Key], high.Values[f.Key] = f.Scale[0].Value, f.Scale[len(f.Scale)-1].Value
		}
		for _, o := range p.Observations {
			low.Observations, high.Observations = []string{o.Key}, []string{o.Key}
		}
		item := page.CalibrationItem{ID: "1", Content: label.Content, Facts: label.Facts, IsAnswered: true,
			OwnAnswers: low, ReferenceAnswers: high,
			Reasons:  map[string]string{p.Fields[0].Key: "Clear.", protocol.NoteKey: "See the guide."},
			Comments: []page.CalibrationComment{{Message: "Look again."}, {Author: "Heron", Message: "Why?"}},
			Others:   []page.SharedAnswers{{Pseudonym: "Heron", Values: low.Values}}}
		equal, unanswered := item, item
		equal.ID, equal.ReferenceAnswers, equal.Comments = "2", low, nil
		unanswered.ID, unanswered.IsAnswered, unanswered.OwnAnswers = "3", false, protocol.Answers{}
		pairs := []labeling.AnswerPair{{Own: low, Reference: high}, {Own: low, Reference: high},
			{Own: low, Reference: low}, {Own: low, Reference: high}, {Own: low, Reference: high}}
		d := page.CalibrationData{User: annotator, Project: sampleProject, Batch: "3", Protocol: p,
			Biases: labeling.ComputeBiases(p, pairs), Items: []page.CalibrationItem{item, equal, unanswered},
			CanComment: true, ApprovalReason: "We talked.",
			Attempt: labeling.CalibrationAttempt{Completed: true, MissedFields: []string{p.Fields[0].Key,
				p.Fields[1].Key}, ReadSections: []string{p.Fields[1].Key}}}
		for _, policy := range []labeling.MissPolicy{labeling.MissContinue, labeling.MissRetake, labeling.MissWait} {
			d.Attempt.MissPolicy = policy
			all["/calibration-"+key+"-"+string(policy)] = page.Calibration(d)
		}
		d.Attempt.ReadSections = d.Attempt.MissedFields
		all["/calibration-"+key+"-waits"] = page.Calibration(d)
		d.Attempt.MissedFields, d.CanComment = nil, false
		all["/calibration-"+key+"-passed"] = page.Calibration(d)
		d.Biases = labeling.ComputeBiases(p, []labeling.AnswerPair{{Own: low, Reference: low}})
		all["/calibration-"+key+"-few"] = page.Calibration(d)
		d.Biases = labeling.ComputeBiases(p, []labeling.AnswerPair{{Own: low, Reference: low},
			{Own: low, Reference: low}, {Own: low, Reference: low}, {Own: low, Reference: low},
			{Own: low, Reference: low}})
		all["/calibration-"+key+"-equal"] = page.Calibration(d)
	}
	return all
}

func otherStates(t testing.TB) map[string]templ.Component {
	t.Helper()
	all := map[string]templ.Component{
		"/account-new-browser": page.Account(page.AccountData{User: annotator, Settings: account.DefaultSettings(),
			SignIns: []account.SignIn{{ID: 1, Browser: account.UnknownBrowser}}}),
		"/rater-effects-none": page.RaterEffects(page.RaterEffectsData{User: annotator, ProjectTitle: "Pilot"}),
		"/rater-effects-wait": page.RaterEffects(page.RaterEffectsData{User: annotator, ProjectTitle: "Pilot",
			HasClosedBatch: true, IsComputing: true}),
		"/rater-effects-empty": page.RaterEffects(page.RaterEffectsData{User: annotator, ProjectTitle: "Pilot",
			HasClosedBatch: true}),
		"/error-kept": page.ErrorPage(page.ErrorPageData{Title: "⟦Not available⟧", Message: "⟦Try again.⟧",
			KeptForm: []ui.HiddenField{{Name: "a", Value: "b"}}, RetryPath: "/work", User: annotator}),
	}
	errs := importer.FileErrors{
		{File: "sheet.csv", Row: 3, Column: "empathy", Message: "7 is not on the scale 1–5.",
			Format: "%s is not on the scale %s.", Args: []any{"7", "1–5"}},
		{File: "sheet.csv", Message: "The sheet has no rows.", Format: "The sheet has no rows."},
	}
	all["/sheets"] = page.OwnSheet(page.OwnSheetData{User: annotator, Project: sampleProject, Batch: "3",
		Progress: page.Progress{Done: 37, Total: 160}, Notice: page.SheetResultText(locale.Pseudo, 12, 1)})
	all["/sheets-refused"] = page.OwnSheet(page.OwnSheetData{User: annotator, Project: sampleProject, Batch: "3",
		FileErrors: errs, Errors: page.FormErrors{{FieldID: "file", Message: "⟦The form contains no file.⟧"}}})
	tests := ratereffect.Result{}
	for _, effect := range ratereffect.Effects() {
		tests.Powers = append(tests.Powers, ratereffect.Power{Effect: effect, Annotators: 3, Detectable: 0.3})
	}
	all["/rater-effects-not-found"] = page.RaterEffects(page.RaterEffectsData{User: annotator, ProjectTitle: "Pilot",
		HasClosedBatch: true, Annotator: &report.Annotator{}, Tests: tests})
	all["/rater-effects-few"] = page.RaterEffects(page.RaterEffectsData{User: annotator, ProjectTitle: "Pilot",
		HasClosedBatch: true, Annotator: &report.Annotator{}})
	all["/rater-effects"] = page.RaterEffects(page.RaterEffectsData{User: annotator, ProjectTitle: "Pilot",
		HasClosedBatch: true, Annotator: raterEffects()})
	project := sampleProject
	project.Instructions, project.Session = sampleInstructions, sessionFacts()
	for _, p := range protocol.Builtin() {
		all["/guide-of-"+p.Key] = page.Guide(page.GuideData{Protocol: p, Project: project, User: annotator})
	}
	return all
}

// raterEffects are findings of each kind for each effect.
func raterEffects() *report.Annotator {
	share := 0.5
	a := &report.Annotator{Name: "Heron", SelfConsistency: []report.FieldSelfConsistency{{Field: "empathy",
		Duplicates: 12, Exact: study.Number{Value: &share}, WithinOnePoint: study.Number{Value: &share}}}}
	for _, effect := range ratereffect.Effects() {
		for n := range 8 {
			f := ratereffect.FoundEffect{Effect: effect, Other: "Crane", IsEither: n&1 > 0, HasReferences: n&2 > 0,
				Value: 0.4, Low: 0.2, High: 0.6, Others: 0.1, Items: 1033}
			if n&4 > 0 {
				f.Value, f.Low, f.High = -f.Value, -f.High, -f.Low
			}
			a.RaterEffects = append(a.RaterEffects, f)
		}
	}
	return a
}

func sessionFacts() *project.SessionFacts {
	return &project.SessionFacts{CalibrationItems: 12, HiddenDuplicates: 10, BreakEvery: 20, BreakMinutes: 5,
		BreakAfterMinutes: 60}
}
