package api

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Decision is the current decision on an item.
type Decision struct {
	ID             project.ItemID             `json:"id" doc:"Number of the item."`
	Item           string                     `json:"item" doc:"The item's own id."`
	Answers        map[string]int             `json:"answers"`
	DecisionNo     int                        `json:"decision_no"`
	DecidedBy      string                     `json:"decided_by" doc:"Name; empty: a command."`
	DecidedAt      time.Time                  `json:"decided_at"`
	Cause          labeling.DisagreementCause `json:"cause"`
	Reason         string                     `json:"reason"`
	HasNewerLabels bool                       `json:"has_newer_labels" doc:"The item was labeled after the decision."`
}

// A DecisionList is a part of a list of decisions.
type DecisionList struct {
	Adjudications []Decision `json:"adjudications"`
	NextCursor    string     `json:"next_cursor,omitempty"`
}

// An AdjudicationItem is an item to decide, with the answers of the annotators.
type AdjudicationItem struct {
	ID               project.ItemID  `json:"id"`
	Item             string          `json:"item"`
	Parts            project.Content `json:"parts"`
	Fields           []string        `json:"fields" doc:"Keys of the fields that apply to the item."`
	Labels           []ItemLabel     `json:"labels"`
	MissingLabels    int             `json:"missing_labels" doc:"Labels that annotators still owe."`
	LastAnnotationID int64           `json:"last_annotation_id" doc:"Send it with the decision."`
	DecisionNo       int             `json:"decision_no" doc:"Of the last decision; 0: none. Send it with the decision."`
}

// An ItemLabel is the answers of one annotator.
type ItemLabel struct {
	Annotator    string         `json:"annotator"`
	Answers      map[string]int `json:"answers"`
	Observations []string       `json:"observations"`
	Unsure       []string       `json:"unsure"`
	Note         string         `json:"note"`
}

// A NewDecision is the body that decides an item.
type NewDecision struct {
	Answers          map[string]int             `json:"answers" doc:"By field; all fields that apply."`
	Observations     []string                   `json:"observations,omitempty"`
	Unsure           []string                   `json:"unsure,omitempty" doc:"Fields answered between two values, of which the lower is sent."`
	Note             string                     `json:"note,omitempty"`
	Cause            labeling.DisagreementCause `json:"cause,omitempty" enum:"unclear_guideline,annotator_mistake,ambiguous_item,bad_data" doc:"Required for an answer that no annotator gave."`
	Reason           string                     `json:"reason,omitempty" doc:"Required to override the annotators, and to replace a decision."`
	LastAnnotationID int64                      `json:"last_annotation_id" minimum:"0" doc:"As the item had it when you decided. The decision is refused if labels came since."`
	DecisionNo       int                        `json:"decision_no" minimum:"0" maximum:"1000000" doc:"As the item had it when you decided."`
}

// ListAdjudicationsInput is the input of ListAdjudications.
type ListAdjudicationsInput struct {
	ProjectPath
	PageParams
}

// The operations on adjudications.
var (
	ListAdjudications = newRead(endpoint{id: "list-adjudications", path: "/projects/{project}/adjudications",
		tag:   "Adjudications",
		scope: account.ScopeRead, summary: "List the current decisions, latest first"}, listDecisions)

	ShowAdjudication = newRead(endpoint{id: "show-adjudication", path: "/projects/{project}/adjudications/{item}",
		tag:   "Adjudications",
		scope: account.ScopeManage, summary: "Get an item to decide",
		text: "With the answers of the annotators. Items with a disagreement are listed at items with `state=disagreement`."},
		func(ctx context.Context, a *API, c caller, in *ItemPath) (AdjudicationItem, error) {
			return a.showAdjudication(ctx, c, in.Item)
		})

	Adjudicate = newWrite(endpoint{id: "adjudicate", method: http.MethodPost,
		path: "/projects/{project}/adjudications/{item}",
		tag:  "Adjudications", scope: account.ScopeManage, status: http.StatusCreated, summary: "Decide an item",
		text: "The account is the adjudicator. Earlier decisions are kept."}, adjudicate)

	DrawSpotChecks = newWrite(endpoint{id: "draw-spot-checks", method: http.MethodPost,
		path: "/projects/{project}/spot-checks", tag: "Adjudications", scope: account.ScopeManage,
		summary: "Draw agreed items to check",
		text:    "Draws items with all labels and no disagreement at random. The next decision on an item is its check."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[SpotCheckDraw]) (SpotChecks, error) {
			if _, err := a.DB.DrawSpotChecks(ctx, c.id(), c.project, in.Body.Items); err != nil {
				return SpotChecks{}, err
			}
			return a.showSpotChecks(ctx, c)
		})

	ShowSpotChecks = newRead(endpoint{id: "show-spot-checks", path: "/projects/{project}/spot-checks",
		tag: "Adjudications", scope: account.ScopeRead, summary: "Show how often agreed answers are wrong"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (SpotChecks, error) {
			return a.showSpotChecks(ctx, c)
		})

	ImportAdjudications = newUpload(endpoint{id: "import-adjudications", method: http.MethodPost,
		path: "/projects/{project}/adjudications", tag: "Adjudications", scope: account.ScopeManage,
		summary: "Decide several items",
		text: "The body has one JSON object per line, or CSV with a header: `item`, the item's own id; `answers` by field; `cause` and `reason` where adjudicate needs them; optionally `note`, `observations`, `unsure`, and the email address of a lead as `adjudicator`. " +
			"All are stored or none. Up to 8 MiB."}, rowBody("One decision per row."), importAdjudications)
)

// A SpotCheckDraw is the body that draws items to check.
type SpotCheckDraw struct {
	Items int `json:"items" minimum:"1" maximum:"1000"`
}

// SpotChecks are agreed items that were drawn at random, and how often a lead corrected them.
type SpotChecks struct {
	Drawn      int             `json:"drawn"`
	Items      SpotCheckRate   `json:"items" doc:"Checked items; wrong are those with a corrected answer."`
	Fields     []SpotCheckRate `json:"fields" doc:"By key."`
	Annotators []SpotCheckRate `json:"annotators" doc:"By pseudonym."`
}

// A SpotCheckRate is the share of checked answers that were wrong.
type SpotCheckRate struct {
	Name    string   `json:"name,omitempty"`
	Checked int      `json:"checked"`
	Wrong   int      `json:"wrong"`
	Low     *float64 `json:"low" doc:"Of the 95% confidence interval of the share; null: none is checked."`
	High    *float64 `json:"high"`
}

func newSpotCheckRate(r labeling.SpotCheckRate) SpotCheckRate {
	rate := SpotCheckRate{Name: r.Name, Checked: r.Wrong.Total, Wrong: r.Wrong.Hits}
	if r.Wrong.Total > 0 {
		rate.Low, rate.High = &r.Wrong.Interval.Low, &r.Wrong.Interval.High
	}
	return rate
}

func (a *API) showSpotChecks(ctx context.Context, c caller) (SpotChecks, error) {
	r, err := a.DB.SpotChecks(ctx, c.id(), c.project)
	return SpotChecks{r.Drawn, newSpotCheckRate(labeling.SpotCheckRate{Wrong: r.Corrected}),
		mapped(r.Fields, newSpotCheckRate), mapped(r.Annotators, newSpotCheckRate)}, err
}

// An AdjudicationImport is what an import of decisions stored.
type AdjudicationImport struct {
	Items    int `json:"items"`
	Replaced int `json:"replaced" doc:"Items that had a decision before."`
}

func importAdjudications(ctx context.Context, a *API, c caller, in *FileInput, file uploadedFile) (
	AdjudicationImport, error) {
	name, err := file.name(in.FileParams, "adjudications")
	if err != nil {
		return AdjudicationImport{}, err
	}
	scope, err := a.DB.AdjudicationScope(ctx, c.project)
	if err != nil {
		return AdjudicationImport{}, err
	}
	scope.Default = strings.ToLower(c.Account.Email)
	rows, err := importer.ReadAdjudications(c.project.Protocol, scope, name, bytes.NewReader(file.content))
	if err != nil {
		return AdjudicationImport{}, err
	}
	replaced, err := a.DB.ImportAdjudications(ctx, c.id(), c.project, name, rows)
	return AdjudicationImport{len(rows), replaced}, err
}

func listDecisions(ctx context.Context, a *API, c caller, in *ListAdjudicationsInput) (DecisionList, error) {
	found, err := a.DB.ListItems(ctx, c.id(), c.project, project.ItemFilter{Sort: project.SortDecided}, in.Cursor,
		in.Limit)
	if err != nil {
		return DecisionList{}, err
	}
	ids := mapped(found.Items, func(i project.ListedItem) project.ItemID { return i.ID })
	decisions, err := a.DB.CurrentDecisions(ctx, c.id(), c.project, ids)
	list := DecisionList{Adjudications: []Decision{}, NextCursor: found.Next}
	for _, i := range found.Items {
		if d, ok := decisions[i.ID]; ok {
			list.Adjudications = append(list.Adjudications, Decision{i.ID, i.SourceID, d.Answers, d.DecisionNo,
				d.DecidedBy, d.CreatedAt.UTC(), d.Cause, d.Reason, d.HasNewerLabels})
		}
	}
	return list, err
}

func (a *API) showAdjudication(ctx context.Context, c caller, id project.ItemID) (AdjudicationItem, error) {
	i, err := a.DB.AdjudicationItem(ctx, c.id(), c.project, id)
	if err != nil {
		return AdjudicationItem{}, err
	}
	return AdjudicationItem{ID: i.ID, Item: i.SourceID, Parts: i.Content, Fields: applicableFields(i.Protocol,
		i.Item.Facts), MissingLabels: i.MissingLabels,
		LastAnnotationID: i.LastAnnotationID(), DecisionNo: i.CurrentDecisionNo(),
		Labels: mapped(i.Annotations, func(n postgres.ItemAnnotation) ItemLabel {
			return ItemLabel{n.Annotator, n.Values, notNil(n.Observations), notNil(n.Unsure), n.Note}
		})}, nil
}

func adjudicate(ctx context.Context, a *API, c caller, in *ItemBody[NewDecision]) (AdjudicationItem, error) {
	n := in.Body
	seen := postgres.SeenVersion{LastAnnotationID: n.LastAnnotationID, DecisionNo: n.DecisionNo}
	d := labeling.Decision{Answers: protocol.Answers{Values: n.Answers, Observations: notNil(n.Observations),
		Unsure: notNil(n.Unsure), Note: n.Note}, Cause: n.Cause, Reason: n.Reason}
	if err := a.DB.Adjudicate(ctx, c.id(), c.project, in.Item, seen, d); err != nil {
		return AdjudicationItem{}, err
	}
	return a.showAdjudication(ctx, c, in.Item)
}
