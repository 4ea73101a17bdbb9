package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/judging"
)

// A Judge is a model whose judgments a project has.
type Judge struct {
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

// A JudgeList lists judges.
type JudgeList struct {
	Judges []Judge `json:"judges"`
}

// A JudgePath is the input of an operation on a judge.
type JudgePath struct {
	ProjectPath
	Judge string `path:"judge" maxLength:"100" doc:"Name of the judge, with its version and prompt." example:"judge-4 prompt 2"`
}

// A Work is a part of the items that a judge has not judged.
type Work struct {
	Items      []WorkItem `json:"items"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// A WorkItem is an item to judge. Like annotators, a judge gets no metadata.
type WorkItem struct {
	Item   string          `json:"item" doc:"The item's own id, for the judgment."`
	Parts  project.Content `json:"parts" doc:"The texts by part of the protocol."`
	Fields []string        `json:"fields" doc:"Keys of the fields that apply to the item."`
}

// A SubmitResult is what a submission stored.
type SubmitResult struct {
	Added     int `json:"added"`
	Unchanged int `json:"unchanged" doc:"Judgments that were stored before, with the same answers."`

	LeftOut importer.JudgmentOmission `json:"left_out" doc:"What of the body is not stored."`
}

// A Judgment is the answers of a judge to an item.
type Judgment struct {
	Item      string         `json:"item" doc:"The item's own id."`
	Answers   map[string]int `json:"answers"`
	Rationale string         `json:"rationale" doc:"The judge's reason; empty: none was submitted."`
	CreatedAt time.Time      `json:"created_at"`
}

// A JudgmentList is a part of a list of judgments.
type JudgmentList struct {
	Judgments  []Judgment `json:"judgments"`
	NextCursor string     `json:"next_cursor,omitempty"`
}

// NextLabels are items to label next.
type NextLabels struct {
	Judge      string            `json:"judge"`
	By         project.DrawOrder `json:"by" enum:"random,disagreement"`
	Seed       int64             `json:"seed"`
	Draw       string            `json:"draw" doc:"For open-batch: opens exactly these items, or nothing if they can no longer be drawn."`
	Candidates int               `json:"candidates" doc:"Items that could be drawn."`
	Items      []DrawnItem       `json:"items" doc:"By disagreement largest first."`
}

// A DrawnItem is an item to label next.
type DrawnItem struct {
	Item     string         `json:"item" doc:"The item's own id."`
	Title    string         `json:"title" doc:"Its first line."`
	Answers  map[string]int `json:"answers" doc:"The judge's answers."`
	Distance float64        `json:"distance" doc:"How far the answers of judges are apart: mean over the fields, as a share of the scale. 0 in a random draw."`
}

func newNextLabels(p judging.Proposal) NextLabels {
	return NextLabels{p.Judge, p.By, p.Seed, p.Token(), p.Candidates,
		mapped(p.Items, func(i judging.ProposedItem) DrawnItem {
			return DrawnItem{i.SourceID, i.Title, i.Answers[0], i.Distance}
		})}
}

// ListWorkInput is the input of ListWork.
type ListWorkInput struct {
	JudgePath
	PageParams
	Batch string `query:"batch" maxLength:"100" doc:"Name of a batch. Default: the whole project."`
}

// ListJudgmentsInput is the input of ListJudgments.
type ListJudgmentsInput struct {
	JudgePath
	PageParams
}

// GetNextLabelsInput is the input of GetNextLabels.
type GetNextLabelsInput struct {
	JudgePath
	By   project.DrawOrder `query:"by" enum:"random,disagreement" default:"random" doc:"How items are chosen."`
	Size int               `query:"size" minimum:"1" maximum:"100000" default:"50" doc:"Number of items."`
	Seed int64             `query:"seed" minimum:"0" maximum:"9007199254740991" doc:"Seed of the draw. Default: random, and part of the draw."`
}

// SubmitJudgmentsInput is the input of SubmitJudgments.
type SubmitJudgmentsInput struct {
	JudgePath
	FileParams
}

// The operations on judges.
var (
	ListJudges = newRead(endpoint{id: "list-judges", path: "/projects/{project}/judges", tag: "Judges",
		scope:   account.ScopeRead,
		summary: "List the model judges"},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (JudgeList, error) {
			judges, err := a.DB.Judges(ctx, c.id(), c.project)
			return JudgeList{mapped(judges, func(j postgres.Judge) Judge { return Judge{j.Name, j.CreatedAt.UTC()} })},
				err
		})

	ListWork = newRead(endpoint{id: "list-work", path: "/projects/{project}/judges/{judge}/work", tag: "Judges",
		scope: account.ScopeJudge, summary: "Get items to judge",
		text: "Items that the judge has not judged, without metadata, in the order of import. Calibration items and archived ones are left out. " +
			"Any name of a judge will do: its first judgments add it to the project."}, listWork)

	ListJudgments = newRead(endpoint{id: "list-judgments", path: "/projects/{project}/judges/{judge}/judgments",
		tag:   "Judges",
		scope: account.ScopeRead, summary: "List the judgments of a judge"}, listJudgments)

	GetNextLabels = newRead(endpoint{id: "get-next-labels", path: "/projects/{project}/judges/{judge}/next-labels",
		tag:   "Judges",
		scope: account.ScopeRead, summary: "Get what to label next",
		text: "Draws items that the judge has answered, no annotator has labeled and no open batch has: at random, or those on which judges differ most. " +
			"Nothing is stored: open a batch with the draw. Labels of a draw by disagreement are kept out of comparisons with judges."},
		func(ctx context.Context, a *API, c caller, in *GetNextLabelsInput) (NextLabels, error) {
			proposal, err := a.DB.ProposeLabels(ctx, c.id(), c.project, project.JudgeDraw{Judge: in.Judge, By: in.By,
				Size: in.Size, Seed: in.Seed})
			return newNextLabels(proposal), err
		})

	StreamJudgments = newIDStream(endpoint{id: "stream-judgments",
		path: "/projects/{project}/stream/judgments/{judge}", tag: "Judges", scope: account.ScopeRead,
		summary: "Stream all judgments of a judge",
		text:    "One object as of list-judgments per line, by the number of the item. To continue an interrupted stream, send the `id` of the last line as `cursor`."},
		func(ctx context.Context, a *API, c caller, in *JudgmentStreamInput, after project.ItemID) ([]StreamedJudgment,
			project.ItemID, error) {
			found, err := a.DB.Judgments(ctx, c.id(), c.project, in.Judge, after, streamPageSize)
			if len(found) > 0 {
				after = found[len(found)-1].ItemID
			}
			return mapped(found, func(j postgres.Judgment) StreamedJudgment {
				return StreamedJudgment{j.ItemID, Judgment{j.SourceID, j.Answers, j.Rationale, j.CreatedAt.UTC()}}
			}), after, err
		}, func(in *JudgmentStreamInput) string { return in.Cursor })

	SubmitJudgments = newUpload(endpoint{id: "submit-judgments", method: http.MethodPost,
		path: "/projects/{project}/judges/{judge}/judgments", tag: "Judges", scope: account.ScopeJudge,
		summary: "Submit judgments",
		text: "The body has one JSON object per line, or CSV with a header: `item` and the answers by field, such as `{\"item\":\"a-17\",\"warmth\":4,\"rationale\":\"Names the feeling.\"}`. The answers are checked like those of annotators; fields may be missing. " +
			"`rationale`, `note` or `reason` is the judge's reason; other keys are left out, and named in the answer. " +
			"All are stored or none. A judgment that is stored already is left as it is; a different one for the same item is a conflict. Up to 8 MiB."},
		rowBody("One judgment per row."), submitJudgments)
)

// A StreamedJudgment is a line of the stream of judgments.
type StreamedJudgment struct {
	ID project.ItemID `json:"id" doc:"Number of the item."`
	Judgment
}

// A JudgmentStreamInput is the input of StreamJudgments.
type JudgmentStreamInput struct {
	JudgePath
	Cursor string `query:"cursor" maxLength:"20" doc:"The id of the last line that was read."`
}

// parseIDCursor reads a cursor that is the number of an item.
func parseIDCursor(text string) (project.ItemID, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.Invalid.Errorf("“%s” is not a cursor. Use next_cursor of the page before.", text)
	}
	return project.ItemID(id), nil
}

func formatIDCursor(id project.ItemID, count, limit int) string {
	if count < limit {
		return ""
	}
	return strconv.FormatInt(int64(id), 10)
}

func listWork(ctx context.Context, a *API, c caller, in *ListWorkInput) (Work, error) {
	after, err := parseIDCursor(in.Cursor)
	if err != nil {
		return Work{}, err
	}
	items, err := a.DB.ItemsToJudge(ctx, c.id(), c.project, in.Judge, in.Batch, after, in.Limit)
	if err != nil {
		return Work{}, err
	}
	work := Work{Items: mapped(items, func(i project.Item) WorkItem {
		return WorkItem{i.SourceID, i.Content, applicableFields(c.project.Protocol, i.Facts)}
	})}
	if len(items) > 0 {
		work.NextCursor = formatIDCursor(items[len(items)-1].ID, len(items), in.Limit)
	}
	return work, nil
}

func applicableFields(p protocol.Protocol, facts protocol.Facts) []string {
	keys := []string{}
	for _, f := range p.Fields {
		if f.AppliesTo(facts) {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

func listJudgments(ctx context.Context, a *API, c caller, in *ListJudgmentsInput) (JudgmentList, error) {
	after, err := parseIDCursor(in.Cursor)
	if err != nil {
		return JudgmentList{}, err
	}
	found, err := a.DB.Judgments(ctx, c.id(), c.project, in.Judge, after, in.Limit)
	list := JudgmentList{Judgments: mapped(found, func(j postgres.Judgment) Judgment {
		return Judgment{j.SourceID, j.Answers, j.Rationale, j.CreatedAt.UTC()}
	})}
	if len(found) > 0 {
		list.NextCursor = formatIDCursor(found[len(found)-1].ItemID, len(found), in.Limit)
	}
	return list, err
}

func submitJudgments(ctx context.Context, a *API, c caller, in *SubmitJudgmentsInput, file uploadedFile) (
	SubmitResult, error) {
	name, err := file.name(in.FileParams, "judgments")
	if err != nil {
		return SubmitResult{}, err
	}
	var ids []string // nil: all
	if strings.HasSuffix(name, ".jsonl") {
		ids = namedItems(file.content)
	}
	items, err := a.DB.JudgedItems(ctx, c.id(), c.project, ids)
	if err != nil {
		return SubmitResult{}, err
	}
	judgments, err := importer.ReadJudgments(c.project.Protocol, items, name, bytes.NewReader(file.content))
	if err != nil {
		return SubmitResult{}, err
	}
	count, err := a.DB.SubmitJudgments(ctx, c.id(), c.project, in.Judge, judgments.Answers)
	return SubmitResult{count.Added, count.Unchanged, judgments.LeftOut}, err
}

// namedItems returns the items that judgments name. Lines that cannot be read are left to the
// importer, which says what is wrong with them.
func namedItems(content []byte) []string {
	ids := []string{}
	for line := range bytes.Lines(content) {
		var row struct {
			Item any `json:"item"`
		}
		if json.Unmarshal(line, &row) != nil {
			continue
		}
		switch item := row.Item.(type) {
		case string:
			ids = append(ids, item)
		case float64:
			ids = append(ids, strconv.FormatFloat(item, 'f', -1, 64))
		}
	}
	return ids
}
