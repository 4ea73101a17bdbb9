// Package fromexport reads the data of a report from the files of an export, so that a dataset
// gives the same report without its database.
package fromexport

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A Limit is why some figures of an export differ from those of the project.
type Limit string

// The limits.
const (
	Blinded      Limit = "blinded"       // without a comparison, and with other ids of items
	RoundedTimes Limit = "rounded_times" // days, and active times in steps of 5 seconds
)

// Read reads the export in a folder, with the labels of one batch or, if batch is empty, of all.
// The limits say which figures differ from those of the project.
func Read(folder fs.FS, batch string) (d study.Data, limits []Limit, err error) {
	in, err := dataset.NewReader(folder)
	if err != nil {
		return d, nil, err
	}
	if limits, err = check(in, batch); err != nil {
		return d, nil, err
	}
	r := &reader{Reader: in, data: study.Data{Project: in.Manifest.Project, Batch: batch, Protocol: in.Protocol,
		TieRule: in.Manifest.TieRule, References: map[project.ItemID]map[string]int{},
		Adjudicated: map[project.ItemID]map[string]int{}, AdjudicatedObservations: map[project.ItemID][]string{},
		AdjudicationCauses: map[project.ItemID]string{}, KeptOut: map[project.ItemID]bool{}},
		ids: map[string]project.ItemID{}, rules: tableRules(in)}
	labels, _ := in.Table("annotations")
	r.data.IsOrderUnknown = !hasExactTimes(labels)
	for _, read := range []func() error{r.readItems, r.readLabels, r.readJudgments, r.readDecisions, r.readReferences} {
		if err := read(); err != nil {
			return d, nil, err
		}
	}
	return r.data, limits, nil
}

// check returns the limits of an export, or an error if it gives no report.
func check(in *dataset.Reader, batch string) (limits []Limit, err error) {
	labels, hasLabels := in.Table("annotations")
	if !hasLabels {
		return nil, fault.Invalid.Errorf(
			"The export has no table of labels. Export again with --contents raw or both, and with --layout plain or huggingface.")
	}
	if batch != "" && !slices.ContainsFunc(in.Manifest.Batches, func(b dataset.BatchCard) bool {
		return b.Name == batch
	}) {
		return nil, fault.NotFound.Errorf("The export has no batch “%s”.", batch)
	}
	if in.Manifest.Blinded {
		limits = append(limits, Blinded)
	}
	if !hasExactTimes(labels) {
		limits = append(limits, RoundedTimes)
	}
	return limits, nil
}

func hasExactTimes(labels dataset.ManifestFile) bool {
	return slices.ContainsFunc(labels.Columns, func(c dataset.Column) bool { return c.Name == "submitted_at" })
}

// A reader collects the data of a report.
type reader struct {
	*dataset.Reader
	data  study.Data
	ids   map[string]project.ItemID // by the item's id in the export
	rules map[string]tableRule
}

func (r *reader) item(row dataset.Row) (project.ItemID, error) {
	id, isKnown := r.ids[row.Text("item")]
	if !isKnown {
		return 0, row.Errorf("item", "%s is not in the table of items. Correct the cell, or export again.",
			dataset.Quote(row.Text("item")))
	}
	return id, nil
}

func (r *reader) readItems() error {
	metadata, ids := report.NewMetadataReader(), rowIndex{}
	return r.rows("items", func(row dataset.Row) (err error) {
		if err := ids.add(row, "item", row.Text("item"), dataset.Quote(row.Text("item"))); err != nil {
			return err
		}
		id := project.ItemID(len(r.ids) + 1)
		r.ids[row.Text("item")] = id
		if row.Bool("calibration") {
			return nil
		}
		item := study.ItemData{ID: id, SourceID: row.Text("item"), RecordID: row.Text("record"),
			MatchKey: row.Text("match_key"),
			Rank:     intOf(row, "rank"), TextLength: intOf(row, "text_length"), Facts: protocol.Facts{}}
		meta := map[string]json.RawMessage{}
		for _, c := range row.Columns() {
			if key, isFact := strings.CutPrefix(c.Name, "fact."); isFact {
				item.Facts[key] = row.Bool(c.Name)
			}
			if key, isMeta := strings.CutPrefix(c.Name, "meta."); isMeta && row.Text(c.Name) != "" {
				if meta[key], err = rawJSON(c, row.Text(c.Name)); err != nil {
					return err
				}
			}
		}
		metadata.Read(&item, meta)
		r.data.Items = append(r.data.Items, item)
		return nil
	})
}

// rawJSON returns the JSON that a cell of metadata was made of.
func rawJSON(c dataset.Column, text string) (json.RawMessage, error) {
	if c.Type != dataset.TextColumn {
		return json.RawMessage(text), nil
	}
	return jsontext.AppendQuote(nil, text)
}

func intOf(row dataset.Row, column string) int { n, _ := row.Int(column); return int(n) }

// readLabels reads the current labels of all kinds, in the order of their submission.
func (r *reader) readLabels() error {
	ids := rowIndex{} // of all tables
	for _, table := range []struct {
		name string
		kind study.LabelKind
	}{{"annotations", study.Work}, {"duplicates", study.Duplicate}, {"not_blind", study.NotBlind},
		{"calibration", study.Calibration}, {"gold", study.Gold}} {
		err := r.readAnswers(table.name, "annotation", ids, func(row dataset.Row, id project.ItemID, a answers) error {
			number, _ := row.Int("annotation") // checked by its rule
			if slices.ContainsFunc(r.Manifest.Batches, func(b dataset.BatchCard) bool {
				return b.DrawnByDisagreement && b.Name == row.Text("batch")
			}) {
				r.data.KeptOut[id] = true
			}
			if !row.Bool("current") || r.data.Batch != "" && row.Text("batch") != r.data.Batch {
				return nil
			}
			r.data.Labels = append(r.data.Labels, study.Label{ID: number, ItemID: id, Annotator: row.Text("annotator"),
				Kind: table.kind, Values: a.values, Observations: a.observations,
				ItemsSinceBreak: intOf(row, "items_since_completed_break"), ActiveMS: activeMS(row),
				SubmittedAt: a.submittedAt, Revision: intOf(row, "revision")})
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(r.data.Labels, func(a, b study.Label) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

func activeMS(row dataset.Row) int64 {
	if ms, isExact := row.Int("active_ms"); isExact {
		return ms
	}
	seconds, _ := row.Int("active_s")
	return seconds * 1000
}

func (r *reader) readJudgments() error {
	return r.readAnswers("judgments", "judge", rowIndex{}, func(row dataset.Row, id project.ItemID, a answers) error {
		r.data.Judgments = append(r.data.Judgments, study.Judgment{ItemID: id, Judge: row.Text("judge"),
			Values: a.values, Rationale: row.Text("rationale")})
		return nil
	})
}

func (r *reader) readDecisions() error {
	current := rowIndex{}
	return r.readAnswers("adjudications", "decision", rowIndex{}, func(row dataset.Row, id project.ItemID,
		a answers) error {
		if row.Bool("current") {
			if err := current.add(row, "current", row.Text("item"), "The current decision on "+
				dataset.Quote(row.Text("item"))); err != nil {
				return err
			}
			r.data.Adjudicated[id], r.data.AdjudicatedObservations[id] = a.values, a.observations
			if cause := row.Text("cause"); cause != "" {
				r.data.AdjudicationCauses[id] = cause
			}
		}
		return nil
	})
}

func (r *reader) readReferences() error {
	return r.readAnswers("references", "item", rowIndex{}, func(_ dataset.Row, id project.ItemID, a answers) error {
		r.data.References[id] = a.values
		return nil
	})
}

// formatScale returns the points of a scale for messages: "1–5" or "0, 2, 4".
func formatScale(values []int) string {
	first, last := values[0], values[len(values)-1]
	if last-first == len(values)-1 {
		return fmt.Sprintf("%d–%d", first, last)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]")
}
