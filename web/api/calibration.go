package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Reference is a calibration item with its reference answers.
type Reference struct {
	ID        project.ItemID  `json:"id" doc:"Number of the item."`
	Item      string          `json:"item" doc:"The item's own id."`
	Parts     project.Content `json:"parts" doc:"The texts by part of the protocol."`
	CreatedAt time.Time       `json:"created_at"`
	NewReference
}

// A NewReference is the correct answers of a calibration item, and the reasons.
type NewReference struct {
	Answers      map[string]int    `json:"answers" doc:"By field; all fields that apply."`
	Observations []string          `json:"observations,omitempty" maxItems:"100"`
	Unsure       []string          `json:"unsure,omitempty" maxItems:"100" doc:"Fields answered between two values, of which the lower is sent."`
	Note         string            `json:"note,omitempty" maxLength:"10000"`
	Reasons      map[string]string `json:"reasons" doc:"Why the answers are correct, by field; under note for the whole item. At least one. Annotators read them next to their own answers."`
}

// A ReferenceList lists calibration items.
type ReferenceList struct {
	References []Reference `json:"references"`
}

func newReference(r postgres.Reference) Reference {
	return Reference{r.ID, r.SourceID, r.Content, r.CreatedAt.UTC(),
		NewReference{r.Answers.Values, r.Answers.Observations, r.Answers.Unsure, r.Answers.Note, r.Reasons}}
}

// A CalibrationAttempt is the last attempt of an annotator at the calibration set of a batch.
type CalibrationAttempt struct {
	Annotator     string                     `json:"annotator" doc:"Pseudonym."`
	Name          string                     `json:"name"`
	AttemptNo     int                        `json:"attempt_no"`
	Status        labeling.CalibrationStatus `json:"status" enum:"labeling,reading,can_continue,must_retake,waits_for_lead,continued"`
	AnsweredItems int                        `json:"answered_items"`
	TotalItems    int                        `json:"total_items"`
	MissedFields  []string                   `json:"missed_fields" doc:"Fields on which the answers are far from the reference."`
	Reason        string                     `json:"reason" doc:"Of the lead who let the annotator start work."`
	Biases        []CalibrationBias          `json:"biases"`
}

// A CalibrationBias is the mean difference from the reference answers on a field.
type CalibrationBias struct {
	Field string   `json:"field"`
	Items int      `json:"items"`
	Bias  *float64 `json:"bias" doc:"null: too few items."`
}

// A CalibrationList lists attempts.
type CalibrationList struct {
	Calibrations []CalibrationAttempt `json:"calibrations"`
}

func newCalibrationAttempt(s postgres.CalibrationSummary) CalibrationAttempt {
	return CalibrationAttempt{s.Pseudonym, s.Name, s.AttemptNo, s.Status(), s.AnsweredItems, s.TotalItems,
		notNil(s.MissedFields), s.Reason,
		mapped(s.Biases, func(b labeling.Bias) CalibrationBias {
			bias := CalibrationBias{Field: b.Field.Key, Items: b.N}
			if b.Sufficient() {
				bias.Bias = &b.Mean
			}
			return bias
		})}
}

// A CalibrationPath is the input of an operation on the calibration of an annotator.
type CalibrationPath struct {
	BatchPath
	Member string `path:"member" maxLength:"254" doc:"Pseudonym or email address of the annotator." example:"a-k3v9q2xw"`
}

// A CalibrationBody is the input of an operation on a calibration with a body.
type CalibrationBody[B any] struct {
	CalibrationPath
	Body B
}

// The operations on calibrations.
var (
	ListReferences = newRead(endpoint{id: "list-references", path: "/projects/{project}/references", tag: "Calibration",
		scope:   account.ScopeRead,
		summary: "List the calibration items with their reference answers"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (ReferenceList, error) {
			references, err := a.DB.References(ctx, c.project.ID)
			return ReferenceList{mapped(references, newReference)}, err
		})

	ShowReference = newRead(endpoint{id: "show-reference", path: "/projects/{project}/references/{item}",
		tag: "Calibration", scope: account.ScopeRead,
		summary: "Show a calibration item"},
		func(ctx context.Context, a *API, c caller, in *ItemPath) (Reference, error) {
			r, err := a.DB.Reference(ctx, c.project.ID, in.Item)
			return newReference(r), err
		})

	SetReference = newWrite(endpoint{id: "set-reference", method: http.MethodPut,
		path: "/projects/{project}/references/{item}", tag: "Calibration", scope: account.ScopeManage,
		summary: "Set the reference answers of an item",
		text:    "The item becomes a calibration item. If it is adjudicated and a batch includes it, a copy does. An item that a batch includes as work is refused otherwise."},
		func(ctx context.Context, a *API, c caller, in *ItemBody[NewReference]) (NewReference, error) {
			b := in.Body
			answers := protocol.Answers{Values: b.Answers, Observations: notNil(b.Observations),
				Unsure: notNil(b.Unsure), Note: b.Note}
			return b, a.DB.SetReference(ctx, c.id(), c.project, in.Item, labeling.Reference{Answers: answers,
				Reasons: b.Reasons})
		})

	RemoveReference = newWrite(endpoint{id: "remove-reference", method: http.MethodDelete,
		path: "/projects/{project}/references/{item}", tag: "Calibration",
		scope: account.ScopeManage, summary: "Make a calibration item an ordinary item again",
		text: "Unless a batch includes it."},
		func(ctx context.Context, a *API, c caller, in *ItemPath) (ChangedItems, error) {
			return ChangedItems{1}, a.DB.RemoveReference(ctx, c.id(), c.project, in.Item)
		})

	ImportReferences = newUpload(endpoint{id: "import-references", method: http.MethodPost,
		path: "/projects/{project}/references", tag: "Calibration", scope: account.ScopeManage,
		summary: "Import calibration items with reference answers",
		text: "The body has one JSON object per line, or CSV with a header: an item as in import-items, with the answers by field in `reference`, and why they are correct in `reason`, a text or an object of texts by field. " +
			"All are imported or none. The same body again adds nothing. Up to 8 MiB."},
		rowBody("One calibration item per row."), importReferences)
)

// A FileInput is the input of an upload of rows into a project.
type FileInput struct {
	ProjectPath
	FileParams
}

func importReferences(ctx context.Context, a *API, c caller, in *FileInput, file uploadedFile) (
	ImportResult, error) {
	name, err := file.name(in.FileParams, "references")
	if err != nil {
		return ImportResult{}, err
	}
	items, err := importer.ReadReferences(c.project.Protocol, name, bytes.NewReader(file.content))
	if err != nil {
		return ImportResult{}, err
	}
	err = a.DB.ImportReferences(ctx, c.id(), c.project, postgres.File{Name: name, SHA256: sha256.Sum256(file.content)},
		items)
	if errors.Is(err, postgres.ErrAlreadyImported) {
		return ImportResult{AlreadyImported: true}, nil
	}
	return ImportResult{Items: len(items)}, err
}

// The operations on calibrations.
var (
	ListCalibrations = newRead(endpoint{id: "list-calibrations",
		path: "/projects/{project}/batches/{batch}/calibrations", tag: "Calibration", scope: account.ScopeRead,
		summary: "List the calibration results of a batch",
		text:    "The last attempt of each annotator, by name. Empty: the batch has no calibration set."},
		func(ctx context.Context, a *API, c caller, in *BatchPath) (CalibrationList, error) {
			_, summaries, err := a.listCalibrations(ctx, c, in.Batch)
			return CalibrationList{mapped(summaries, newCalibrationAttempt)}, err
		})

	OverrideCalibration = newWrite(endpoint{id: "override-calibration", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/calibrations/{member}/override",
		tag:  "Calibration", scope: account.ScopeManage,
		summary: "Let an annotator start work regardless of the result"},
		func(ctx context.Context, a *API, c caller, in *CalibrationBody[Reason]) (CalibrationAttempt, error) {
			return a.changeCalibration(ctx, c, in.CalibrationPath, func(b project.Batch, annotatorID account.ID) error {
				return a.DB.OverrideCalibration(ctx, c.id(), c.project, b.ID, annotatorID, in.Body.Reason)
			})
		})

	RetakeCalibration = newWrite(endpoint{id: "retake-calibration", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/calibrations/{member}/retake", tag: "Calibration",
		scope: account.ScopeManage, summary: "Ask an annotator to label the calibration set again",
		text: "It comes before any other item."},
		func(ctx context.Context, a *API, c caller, in *CalibrationPath) (CalibrationAttempt, error) {
			return a.changeCalibration(ctx, c, *in, func(b project.Batch, annotatorID account.ID) error {
				return a.DB.RequestRetake(ctx, c.id(), c.project, b, annotatorID)
			})
		})
)

func (a *API) listCalibrations(ctx context.Context, c caller, batch string) (project.Batch,
	[]postgres.CalibrationSummary, error) {
	b, err := a.DB.Batch(ctx, c.id(), c.project.ID, batch)
	if err != nil {
		return b, nil, err
	}
	summaries, err := a.DB.CalibrationSummaries(ctx, c.project, b.ID)
	return b, summaries, err
}

// changeCalibration decides on the calibration of an annotator, and returns it as it is then.
func (a *API) changeCalibration(ctx context.Context, c caller, path CalibrationPath, change func(project.Batch,
	account.ID) error) (CalibrationAttempt, error) {
	b, before, err := a.findCalibration(ctx, c, path)
	if err != nil {
		return CalibrationAttempt{}, err
	}
	if err := change(b, before.AccountID); err != nil {
		return CalibrationAttempt{}, err
	}
	_, after, err := a.findCalibration(ctx, c, path)
	return newCalibrationAttempt(after), err
}

func (a *API) findCalibration(ctx context.Context, c caller, path CalibrationPath) (project.Batch,
	postgres.CalibrationSummary, error) {
	b, summaries, err := a.listCalibrations(ctx, c, path.Batch)
	if err != nil {
		return b, postgres.CalibrationSummary{}, err
	}
	if path.Member, err = a.findPseudonym(ctx, c, path.Member); err != nil {
		return b, postgres.CalibrationSummary{}, err
	}
	for _, s := range summaries {
		if s.Pseudonym == path.Member {
			return b, s, nil
		}
	}
	return b, postgres.CalibrationSummary{}, fault.NotFound.Errorf(
		"The batch “%s” has no annotator “%s” with a calibration.", b.Name, path.Member)
}
