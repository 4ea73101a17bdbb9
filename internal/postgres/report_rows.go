package postgres

import (
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/report/study"
)

// readItems reads the rows of selectReportItems.
func readItems(results pgx.BatchResults) (items []study.ItemData, err error) {
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	facts, texts, metaValues := interner[protocol.Facts]{}, interner[string]{}, report.NewMetadataReader()
	var i study.ItemData
	var record, fact, meta, matchKey []byte
	_, err = pgx.ForEachRow(rows, []any{&i.ID, &i.SourceID, &record, &fact, &meta, &matchKey, &i.Rank, &i.TextLength},
		func() (err error) {
			if i.RecordID, err = texts.get(record, parseText); err != nil {
				return err
			}
			if i.MatchKey, err = texts.get(matchKey, parseText); err != nil {
				return err
			}
			if i.Facts, err = facts.get(fact, parseJSON[protocol.Facts]); err != nil {
				return err
			}
			values, err := parseJSON[map[string]json.RawMessage](meta)
			if err != nil {
				return err
			}
			metaValues.Read(&i, values)
			items = append(items, i)
			return nil
		})
	return items, err
}

// readLabels adds the rows of selectReportLabels to a source.
func readLabels(results pgx.BatchResults, source *study.LabelSource) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	values, observations, texts := interner[map[string]int]{}, interner[[]string]{}, interner[string]{}
	var l study.Label
	var annotator, kind, answers, observed []byte
	_, err = pgx.ForEachRow(rows, []any{&l.ID, &l.ItemID, &annotator, &kind, &answers, &observed, &l.ItemsSinceBreak,
		&l.ActiveMS, &l.SubmittedAt, &l.Revision}, func() (err error) {
		if l.Annotator, err = texts.get(annotator, parseText); err != nil {
			return err
		}
		kindText, err := texts.get(kind, parseText)
		if err != nil {
			return err
		}
		l.Kind = study.LabelKind(kindText)
		if l.Values, err = values.get(answers, parseJSON[map[string]int]); err != nil {
			return err
		}
		if l.Observations, err = observations.get(observed, parseJSON[[]string]); err != nil {
			return err
		}
		return source.Add(l)
	})
	return err
}

func readAdjudications(results pgx.BatchResults, d *study.Data) error {
	rows, err := collectAll[adjudicatedAnswers](results.Query())
	d.Adjudicated, d.AdjudicatedObservations = make(map[project.ItemID]map[string]int, len(rows)),
		make(map[project.ItemID][]string, len(rows))
	d.AdjudicationCauses = map[project.ItemID]string{}
	for _, row := range rows {
		d.Adjudicated[row.ItemID], d.AdjudicatedObservations[row.ItemID] = row.Values, row.Observations
		if row.Cause != "" {
			d.AdjudicationCauses[row.ItemID] = row.Cause
		}
	}
	return err
}

type adjudicatedAnswers struct {
	ItemID       project.ItemID
	Values       map[string]int
	Observations []string
	Cause        string
}

type itemValues struct {
	ItemID project.ItemID
	Values map[string]int
}

func valuesByItem(rows []itemValues) map[project.ItemID]map[string]int {
	values := make(map[project.ItemID]map[string]int, len(rows))
	for _, row := range rows {
		values[row.ItemID] = row.Values
	}
	return values
}

// reportParts groups the parts of an item by their use in a report.
type reportParts struct {
	judged     []string
	supporting []string
	hasTurns   bool     // a judged part is a conversation
	hasChunks  bool     // a judged part has chunks
	chunks     []string // single chunks, which have a rank
	role       string   // of the judged turns of a conversation
}

func classifyParts(p protocol.Protocol) reportParts {
	parts := reportParts{judged: []string{}, supporting: []string{}, chunks: []string{}, role: "assistant"}
	for _, part := range p.Unit.Parts {
		switch {
		case part.Judged:
			parts.judged = append(parts.judged, part.Key)
			parts.hasTurns = parts.hasTurns || part.Kind == protocol.PartConversation
			parts.hasChunks = parts.hasChunks || part.Kind == protocol.PartChunk || part.Kind == protocol.PartChunks
		case part.Supporting:
			parts.supporting = append(parts.supporting, part.Key)
		}
		if part.Kind == protocol.PartChunk {
			parts.chunks = append(parts.chunks, part.Key)
		}
	}
	for _, f := range p.Facts {
		if f.Role != "" && slices.Contains(parts.judged, f.Part) {
			parts.role = f.Role
		}
	}
	return parts
}
