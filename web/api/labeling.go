package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/problem"
)

// An AnnotatorWork is what an annotator can do next.
type AnnotatorWork struct {
	OnBreak           bool       `json:"on_break" doc:"Until end-break, nothing is opened or submitted."`
	HasUnreadMessages bool       `json:"has_unread_messages" doc:"The annotator reads them on the page /work before the next item opens."`
	Batches           []OwnBatch `json:"batches" doc:"Open batches: last used first, finished ones last."`
}

// An OwnBatch is how far the annotator is in a batch. The counters count hidden items like all others.
type OwnBatch struct {
	Batch        project.BatchID `json:"batch" doc:"Number of the batch."`
	Project      string          `json:"project" doc:"Key of the project."`
	ProjectTitle string          `json:"project_title"`
	Counters
	Open                   string         `json:"open" doc:"Token of the open item. Empty: none."`
	HasMore                bool           `json:"has_more" doc:"Something is left to label."`
	Paused                 bool           `json:"paused" doc:"By a lead or by the batch."`
	Limit                  labeling.Limit `json:"limit" enum:",day,session" doc:"The limit because of which nothing opens now. Empty: none."`
	InCalibration          bool           `json:"in_calibration"`
	NeedsCalibrationReview bool           `json:"needs_calibration_review" doc:"The annotator reviews the result on the page /work/calibration before the work starts."`
	CanUndo                bool           `json:"can_undo" doc:"No item is open, and undo-submit takes back the last submit."`
}

// Counters are the counters of an annotator in a batch.
type Counters struct {
	CompletedItems int `json:"completed_items"`
	ExpectedItems  int `json:"expected_items" doc:"Completed ones and what is left. 0: not known."`
	ItemsToBreak   int `json:"items_to_break" doc:"Until the next planned break. 0: none."`
}

// An OpenItem is an item while its annotator labels it, with what the labeling page shows.
type OpenItem struct {
	Token   string          `json:"token"`
	Project string          `json:"project" doc:"Key of the project."`
	Batch   project.BatchID `json:"batch" doc:"Number of the batch."`
	Stage   string          `json:"stage" enum:"work,calibration,retake,reopened" doc:"retake: of another calibration attempt. reopened: by a lead."`
	Parts   project.Content `json:"parts" doc:"The texts by part of the protocol."`
	Counters
	Fields       []ProtocolField    `json:"fields" doc:"The questions that apply to the item."`
	Observations []ObservationField `json:"observations" doc:"What can be observed of the item."`
	Draft        ItemAnswers        `json:"draft" doc:"The answers saved so far."`
	Questions    []AskedQuestion    `json:"questions" doc:"Of the annotator about the item."`
	IsUndone     bool               `json:"is_undone" doc:"Its submit was taken back. Until it is submitted again, the earlier answers count."`
	CanUndo      bool               `json:"can_undo" doc:"undo-submit takes back the submit before this item."`
}

// An ObservationField is something that can be observed of an item.
type ObservationField struct {
	Key     string `json:"key"`
	Title   string `json:"title"`
	Subject string `json:"subject" doc:"What it is about."`
}

// An AskedQuestion is a question of the annotator to the leads.
type AskedQuestion struct {
	Question string `json:"question"`
	Answer   string `json:"answer" doc:"Empty: not answered."`
}

// ItemAnswers are the answers to an item.
type ItemAnswers struct {
	Answers      map[string]int `json:"answers" doc:"By field."`
	Observations []string       `json:"observations,omitempty" maxItems:"200"`
	Unsure       []string       `json:"unsure,omitempty" maxItems:"200" doc:"Fields whose answer is between this value and the next."`
	Note         string         `json:"note,omitempty" maxLength:"100000"`
}

// A LabelBody submits or saves answers.
type LabelBody struct {
	ItemAnswers
	ActiveMS int64 `json:"active_ms,omitempty" minimum:"0" maximum:"43200000" doc:"Milliseconds that the annotator worked on the item, in all. At most the time since it opened counts."`
}

// A NextItem is what follows.
type NextItem struct {
	Next             string `json:"next" doc:"Token of the open item. Empty: nothing opened, for a reason that show-work has."`
	AlreadySubmitted bool   `json:"already_submitted" doc:"The item was submitted before, and the first answers count."`
	Differs          bool   `json:"differs" doc:"These answers differ from the ones that count."`
	Reference        bool   `json:"reference" doc:"The reference answer of this calibration item is on the page /work/{token}/reference."`
}

// A NewSkip is the body that skips an item.
type NewSkip struct {
	Reason  labeling.SkipReason `json:"reason" enum:"unclear,invalid_or_unrealistic,outside_expertise,distressing" doc:"After distressing, show the next item only when the annotator asks for it."`
	Comment string              `json:"comment,omitempty" maxLength:"1000" doc:"What is wrong with the item. Not for outside_expertise and distressing, which no lead can tell apart."`
}

// A QuestionBody asks the leads, or reports a mistake.
type QuestionBody struct {
	Message string `json:"message" minLength:"1" maxLength:"1000"`
}

// A BatchChoice names one of the annotator's batches.
type BatchChoice struct {
	Batch project.BatchID `json:"batch,omitempty" minimum:"0" doc:"Number of the batch. Missing: any, and for a break the one used last."`
}

// An OpenItemPath is the input of an operation on an item of the annotator.
type OpenItemPath struct {
	Token string `path:"token" maxLength:"63" doc:"Token of the item, from open-next-item or show-work." example:"bcdfghjkmn"`
}

// An OpenItemBody is the input of an operation on an item of the annotator with a body.
type OpenItemBody[B any] struct {
	OpenItemPath
	Body B
}

func newCounters(p labeling.Progress) Counters {
	return Counters{p.CompletedItems, p.ExpectedItems, p.ItemsToBreak}
}

func (b LabelBody) submission() labeling.Submission {
	values := b.Answers
	if values == nil {
		values = map[string]int{}
	}
	return labeling.Submission{RequiresReading: true, Tab: "api", ActiveMS: b.ActiveMS, Answers: protocol.Answers{
		Values: values, Observations: notNil(b.Observations), Unsure: notNil(b.Unsure), Note: b.Note}}
}

// showWork returns what the annotator can do next. It changes nothing.
func (a *API) showWork(ctx context.Context, c caller) (AnnotatorWork, error) {
	if c.id() == 0 {
		return AnnotatorWork{}, fault.Invalid.Errorf("Labeling needs an account: name it with --as.")
	}
	start, err := a.DB.WorkStart(ctx, c.id())
	return AnnotatorWork{start.OnBreak, len(start.Unread) > 0, mapped(start.Batches,
		func(b labeling.BatchProgress) OwnBatch {
			return OwnBatch{b.BatchID, b.ProjectKey, b.ProjectTitle, newCounters(b.Progress), b.OpenToken, b.HasMore,
				b.Paused, b.Limit, b.InCalibration, b.NeedsCalibrationReview, b.CanUndo}
		})}, err
}

// openNext opens the next item, unless messages are to be read first.
func openNext(ctx context.Context, a *API, c caller, in *BodyInput[BatchChoice]) (NextItem, error) {
	work, err := a.showWork(ctx, c)
	if err != nil || work.HasUnreadMessages {
		return NextItem{}, err
	}
	token, err := a.DB.OpenNext(ctx, c.id(), in.Body.Batch)
	return NextItem{Next: token}, err
}

// openItem returns an item that the annotator can submit now.
func (a *API) openItem(ctx context.Context, c caller, token string) (postgres.LabelingScreen, error) {
	s, err := a.DB.LabelingScreen(ctx, c.id(), token)
	switch {
	case err != nil:
		return s, err
	case s.OnBreak:
		return s, labeling.ErrOnBreak
	case s.MustRead:
		return s, labeling.ErrMustRead
	}
	return s, nil
}

func newOpenItem(s postgres.LabelingScreen) OpenItem {
	item := OpenItem{Token: s.Token, Project: s.ProjectKey, Batch: s.BatchID, Stage: "work", Parts: s.Content,
		Counters: newCounters(s.Progress), Fields: []ProtocolField{},
		Observations: mapped(s.Protocol.Observations, func(o protocol.Observation) ObservationField {
			return ObservationField{o.Key, o.Title, o.Subject}
		}),
		Draft: ItemAnswers{s.Draft.Values, s.Draft.Observations, s.Draft.Unsure, s.Draft.Note},
		Questions: mapped(s.Questions, func(q postgres.OwnQuestion) AskedQuestion {
			return AskedQuestion{q.Message, q.Answer}
		}), IsUndone: s.IsUndone, CanUndo: s.CanUndo}
	if item.Draft.Answers == nil {
		item.Draft.Answers = map[string]int{}
	}
	for _, f := range s.Protocol.Fields {
		if f.AppliesTo(s.Facts) {
			item.Fields = append(item.Fields, newProtocolField(f))
		}
	}
	switch {
	case s.IsRetake:
		item.Stage = "retake"
	case s.IsCalibration:
		item.Stage = "calibration"
	case s.Reopened:
		item.Stage = "reopened"
	}
	return item
}

// submit submits answers. Where the annotator cannot submit now, they are saved as a draft, as the
// error says.
func submit(ctx context.Context, a *API, c caller, in *OpenItemBody[LabelBody]) (NextItem, error) {
	s := in.Body.submission()
	result, err := a.DB.Submit(ctx, c.id(), in.Token, s)
	if labeling.KeepsAnswers(err) {
		if saveErr := a.DB.SaveFormAsDraft(ctx, in.Token, s); saveErr != nil {
			return NextItem{}, saveErr
		}
	}
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		err = problem.ToFault(problems) // which says what is wrong in a command, too
	}
	return NextItem{result.NextToken, result.AlreadySubmitted, result.Differs, result.ShowsReference}, err
}

// The operations of annotators on their own work.
var (
	ShowWork = newRead(endpoint{id: "show-work", path: "/work", tag: "Labeling", scope: account.ScopeLabel,
		summary: "Show what to label next",
		text: "The batches of the account with their counters. Required reading, messages and the result of the calibration are " +
			"read and confirmed by the annotator on the pages of the site; until then, nothing is opened or submitted."},
		func(ctx context.Context, a *API, c caller, _ *NoInput) (AnnotatorWork, error) {
			return a.showWork(ctx, c)
		})

	OpenNextItem = newWrite(endpoint{id: "open-next-item", method: http.MethodPost, path: "/work/next", tag: "Labeling",
		scope: account.ScopeLabel, summary: "Open the next item",
		text: "The open item, or else the next one. Its text is read with show-open-item."}, openNext)

	ShowOpenItem = newRead(endpoint{id: "show-open-item", path: "/work/items/{token}", tag: "Labeling",
		scope: account.ScopeLabel, summary: "Show an open item",
		text: "Its texts and questions, as the labeling page shows them. During a break, or before the required reading, it is a conflict."},
		func(ctx context.Context, a *API, c caller, in *OpenItemPath) (OpenItem, error) {
			s, err := a.openItem(ctx, c, in.Token)
			return newOpenItem(s), err
		})

	SaveDraft = newWrite(endpoint{id: "save-draft", method: http.MethodPut, path: "/work/items/{token}/draft",
		tag: "Labeling", scope: account.ScopeLabel, summary: "Save the answers to an open item as a draft"},
		func(ctx context.Context, a *API, c caller, in *OpenItemBody[LabelBody]) (NextItem, error) {
			if _, err := a.openItem(ctx, c, in.Token); err != nil {
				return NextItem{}, err
			}
			return NextItem{Next: in.Token}, a.DB.SaveFormAsDraft(ctx, in.Token, in.Body.submission())
		})

	SubmitLabel = newWrite(endpoint{id: "submit-label", method: http.MethodPost, path: "/work/items/{token}/label",
		tag: "Labeling", scope: account.ScopeLabel, summary: "Submit the label of an open item",
		text: "The answers are checked by the rules of the protocol. The next item opens, unless a break starts or nothing is left. " +
			"Submitted twice, the first answers count."}, submit)

	SkipItem = newWrite(endpoint{id: "skip-item", method: http.MethodPost, path: "/work/items/{token}/skip",
		tag: "Labeling", scope: account.ScopeLabel, summary: "Skip an open item", text: "The next item opens."},
		func(ctx context.Context, a *API, c caller, in *OpenItemBody[NewSkip]) (NextItem, error) {
			next, err := a.DB.Skip(ctx, c.id(), in.Token, labeling.Skip{Reason: in.Body.Reason,
				Comment: in.Body.Comment})
			return NextItem{Next: next}, err
		})

	AskLead = newWrite(endpoint{id: "ask-lead", method: http.MethodPost, path: "/work/items/{token}/question",
		tag: "Labeling", scope: account.ScopeLabel, summary: "Ask the leads about an open item",
		text: "The item stays open. The answer is among its questions, and the annotator reads it on the page /work."},
		func(ctx context.Context, a *API, c caller, in *OpenItemBody[QuestionBody]) (NextItem, error) {
			return NextItem{Next: in.Token}, a.DB.AskLead(ctx, c.id(), in.Token, in.Body.Message)
		})

	ReportMistake = newWrite(endpoint{id: "report-mistake", method: http.MethodPost,
		path: "/work/items/{token}/correction", tag: "Labeling", scope: account.ScopeLabel,
		summary: "Report a mistake in a submitted item", text: "A lead decides whether the item is reopened."},
		func(ctx context.Context, a *API, c caller, in *OpenItemBody[QuestionBody]) (AnnotatorWork, error) {
			if err := a.DB.RequestCorrection(ctx, c.id(), in.Token, in.Body.Message); err != nil {
				return AnnotatorWork{}, err
			}
			return a.showWork(ctx, c)
		})

	UndoSubmit = newWrite(endpoint{id: "undo-submit", method: http.MethodPost, path: "/work/undo", tag: "Labeling",
		scope: account.ScopeLabel, summary: "Take back the last submit",
		text: "In projects that allow it, until the next submit. The item opens again under a new token, with its answers as draft; the open item comes after it."},
		func(ctx context.Context, a *API, c caller, in *BodyInput[Undo]) (NextItem, error) {
			next, err := a.DB.UndoSubmit(ctx, c.id(), in.Body.Batch, in.Body.Open)
			return NextItem{Next: next}, err
		})

	StartBreak = newWrite(endpoint{id: "start-break", method: http.MethodPost, path: "/work/break", tag: "Labeling",
		scope: account.ScopeLabel, summary: "Start a break", text: "The open item stays open."},
		func(ctx context.Context, a *API, c caller, in *BodyInput[BatchChoice]) (AnnotatorWork, error) {
			work, err := a.showWork(ctx, c)
			if err != nil {
				return work, err
			}
			batchID := in.Body.Batch
			if batchID == 0 && len(work.Batches) > 0 {
				batchID = work.Batches[0].Batch // used last
			}
			if err := a.DB.StartBreakInBatch(ctx, c.id(), batchID); err != nil {
				return work, err
			}
			return a.showWork(ctx, c)
		})

	EndBreak = newWrite(endpoint{id: "end-break", method: http.MethodPost, path: "/work/break/end", tag: "Labeling",
		scope: account.ScopeLabel, summary: "End the break"},
		func(ctx context.Context, a *API, c caller, _ *NoInput) (AnnotatorWork, error) {
			if _, err := a.DB.EndBreak(ctx, c.id()); err != nil {
				return AnnotatorWork{}, err
			}
			return a.showWork(ctx, c)
		})
)

// An Undo is the body that takes back a submit.
type Undo struct {
	Batch project.BatchID `json:"batch" minimum:"1" doc:"Number of the batch."`
	Open  string          `json:"open,omitempty" maxLength:"63" doc:"Token of the open item, if one is open."`
}
