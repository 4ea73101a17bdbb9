package postgres

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A sheetCase is a planned batch of 24 items with four hidden duplicates for each of two
// annotators, and the sheet of the first one.
type sheetCase struct {
	testEnv
	project   project.Project
	batch     project.Batch
	annotator account.Account
	other     account.Account
	sheet     dataset.Sheet
}

const sheetItems, sheetDuplicates = 24, 4

func newSheetCase(t *testing.T, protocolKey string) sheetCase {
	t.Helper()
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p, err := env.CreateProject(t.Context(), env.admin, project.Spec{Key: "test", Title: "Test", Protocol: protocolKey,
		Instructions: testInstructions})
	if err != nil {
		t.Fatal(err)
	}
	items := make([]project.Item, sheetItems)
	for i := range items {
		items[i] = newItemOf(p.Protocol, i)
	}
	if err := env.Import(t.Context(), env.admin.ID, p, File{Name: "items.jsonl", SHA256: [32]byte{1}},
		items); err != nil {
		t.Fatal(err)
	}
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, Seed: 5,
		DuplicateCount: sheetDuplicates, BreakEvery: 5, BreakMinutes: 5})
	env.execSQL(`
		INSERT INTO reading_acknowledgments (project_id, account_id, document, version)
		SELECT r.project_id, ba.account_id, r.document, r.version
		FROM batch_annotators ba JOIN required_reading r ON r.batch_id = ba.batch_id ON CONFLICT DO NOTHING`)
	c := sheetCase{testEnv: env, project: p, batch: b, annotator: accounts[0], other: accounts[1]}
	c.sheet = c.createSheet(c.annotator)
	return c
}

// newItemOf returns an item with content for each part of a protocol.
func newItemOf(p protocol.Protocol, i int) project.Item {
	content, text := project.Content{}, fmt.Sprintf("=Text %d, \"größer\"\nnext line", i)
	for _, part := range p.Unit.Parts {
		switch part.Kind {
		case protocol.PartConversation:
			turns := []project.Turn{{Role: "user", Text: text}, {Role: "assistant", Text: text}}
			if i%2 == 0 {
				turns = append(turns, turns...)
			}
			content[part.Key] = project.PartContent{Turns: turns}
		case protocol.PartChunk:
			content[part.Key] = project.PartContent{Chunks: []project.Chunk{{ID: "c1", Source: "doc", Rank: 1,
				Text: text}}}
		case protocol.PartChunks:
			content[part.Key] = project.PartContent{Chunks: []project.Chunk{{ID: "c1", Rank: 1, Text: text},
				{ID: "c2", Rank: 2, Text: text}}}
		case protocol.PartText:
			content[part.Key] = project.PartContent{Text: text}
		}
	}
	return project.Item{SourceID: fmt.Sprintf("item-%d", i), RecordID: fmt.Sprintf("r-%d", i), Content: content,
		Facts: project.DeriveFacts(p, content)}
}

func (c sheetCase) createSheet(a account.Account) dataset.Sheet {
	c.t.Helper()
	sheet, err := c.CreateSheet(c.t.Context(), c.admin.ID, c.batch.ID, a.ID)
	if err != nil {
		c.t.Fatal(err)
	}
	return sheet
}

// fill returns the rows of the annotation sheet with valid answers, its header first.
func (c sheetCase) fill(sheet dataset.Sheet) [][]string {
	c.t.Helper()
	var file bytes.Buffer
	if err := sheet.WriteAnnotations(&file); err != nil {
		c.t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file.String(), "\ufeff"))).ReadAll()
	if err != nil {
		c.t.Fatal(err)
	}
	for i, row := range rows[1:] {
		for j, f := range c.project.Protocol.Fields {
			if row[2+j] == "" {
				row[2+j] = strconv.Itoa(f.Scale.Values()[len(f.Scale)/2-(i+j)%2*(len(f.Scale)/4)])
			}
		}
		if c.project.Protocol.Key == "rag-retrieval" {
			row[2], row[3], row[4] = strconv.Itoa(i%2), "0", "1"
		}
		if c.project.Protocol.Key == "rag-grounding" {
			row[2], row[3], row[4], row[5], row[6] = "1", strconv.Itoa(i%2), "0", "1", "0"
		}
	}
	rows[2][2+len(c.project.Protocol.Fields)] = "Größe; „gut“, line one\nline two =1+1"
	return rows
}

func toCSV(rows [][]string) string {
	var file strings.Builder
	w := csv.NewWriter(&file)
	_ = w.WriteAll(rows)
	return file.String()
}

func (c sheetCase) submit(file string) (SheetResult, error) {
	return c.SubmitSheet(c.t.Context(), c.annotator.ID, c.batch.ID, c.annotator.ID, SheetFile{Name: "a.csv",
		Content: strings.NewReader(file)})
}

// mustRefuse checks that a file is refused with these errors, as "row:column: part of the
// message", and that nothing was stored.
func (c sheetCase) mustRefuse(t *testing.T, file string, want ...string) {
	t.Helper()
	before := c.storedState()
	_, err := c.submit(file)
	errs, ok := errors.AsType[importer.FileErrors](err)
	if !ok {
		t.Errorf("got %v, want errors of the file", err)
		return
	}
	for _, w := range want {
		location, message, _ := strings.Cut(strings.Replace(w, ":eval_id:", ":"+c.project.Protocol.SheetIDColumn()+
			":", 1), ": ")
		found := false
		for _, e := range errs {
			found = found || fmt.Sprintf("%d:%s", e.Row, e.Column) == location && strings.Contains(e.Message, message)
		}
		if !found {
			t.Errorf("no error %q in\n%v", w, errs)
		}
	}
	if len(errs) != len(want) {
		t.Errorf("%d errors, want %d:\n%v", len(errs), len(want), errs)
	}
	if after := c.storedState(); after != before {
		t.Errorf("a refused sheet changed the database from %s to %s", before, after)
	}
}

// storedState returns everything that submitting a sheet changes.
func (c sheetCase) storedState() (state string) {
	c.t.Helper()
	err := c.pool.QueryRow(c.t.Context(), `
		SELECT concat_ws(' | ', (SELECT count(*) FROM annotations), (SELECT string_agg(a::text, ',' ORDER BY a.id)
		FROM assignments a),
		       (SELECT string_agg(ba::text, ',' ORDER BY ba.account_id)
		       FROM batch_annotators ba), (SELECT string_agg(h::text, ',' ORDER BY h.account_id, h.position)
		       FROM hidden_items h),
		       (SELECT string_agg(d::text, ',') FROM annotator_days d), (SELECT count(*) FROM audit_log))`).Scan(&state)
	if err != nil {
		c.t.Fatal(err)
	}
	return state
}
