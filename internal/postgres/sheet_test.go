package postgres

import (
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// TestSheet_EachProtocol_RoundTrip damages the sheet of each protocol in every way, then
// submits it, submits it again, and submits a changed one.
func TestSheet_EachProtocol_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, p := range protocol.Builtin() {
		t.Run(p.Key, func(t *testing.T) {
			c := newSheetCase(t, p.Key)
			c.checkMade(t)
			rows := c.fill(c.sheet)
			for name, d := range sheetDamages(c.project.Protocol) {
				t.Run(name, func(t *testing.T) { c.mustRefuse(t, d.apply(rows), d.want...) })
			}
			trial := SheetFile{Name: "a.csv", Content: strings.NewReader(toCSV(rows)), IsTrial: true}
			before := c.storedState()
			if result, err := c.SubmitSheet(t.Context(), c.annotator.ID, c.batch.ID, c.annotator.ID,
				trial); err != nil || result.Submitted != sheetItems || c.storedState() != before {
				t.Errorf("a trial: %+v, %v", result, err)
			}
			if result, err := c.submit(asExcelSaves(rows)); err != nil ||
				result != (SheetResult{Submitted: sheetItems}) {
				t.Fatalf("got %+v, %v; want 24 rows", result, err)
			}
			c.checkStored(t, rows)
			before = c.storedState()
			if result, err := c.submit(toCSV(rows)); err != nil || result != (SheetResult{Unchanged: sheetItems}) ||
				c.storedState() != before {
				t.Errorf("the same sheet again: %+v, %v", result, err)
			}
			field := c.project.Protocol.Fields[0].Key
			was, other := rows[3][2], "0"
			if was == "0" {
				other = "1"
			} else if c.project.Protocol.Key == "empathy" {
				other = "2"
			}
			if rows[3][2] = other; was == other {
				rows[3][2] = "4"
			}
			c.mustRefuse(t, toCSV(rows), fmt.Sprintf("4:%s: This is “%s”, but “%s” was submitted before.", field,
				rows[3][2], was))
		})
	}
}

// checkMade checks the sheet: every item once, under keys that differ in nothing.
func (c sheetCase) checkMade(t *testing.T) {
	t.Helper()
	texts, keys := map[string]int{}, map[string]bool{}
	for _, row := range c.sheet.Rows {
		texts[fmt.Sprint(row.Content)]++
		keys[row.ID] = true
		if !regexp.MustCompile(`^[b-z]{10}$`).MatchString(row.ID) {
			t.Errorf("key %q", row.ID)
		}
	}
	if len(texts) != sheetItems || len(keys) != sheetItems || len(c.sheet.Rows) != len(keys) {
		t.Errorf("%d rows with %d keys of %d items", len(c.sheet.Rows), len(keys), len(texts))
	}
	if again := c.createSheet(c.annotator); fmt.Sprint(again) != fmt.Sprint(c.sheet) {
		t.Error("the sheet differs when it is made again")
	}
}

// checkStored checks the annotations and counters after the sheet, and those of another annotator
// who submits the same items on the labeling screen, with hidden duplicates.
func (c sheetCase) checkStored(t *testing.T, rows [][]string) {
	t.Helper()
	answers := map[string]protocol.Answers{}
	for _, row := range rows[1:] {
		a := protocol.Answers{Values: map[string]int{}, Note: row[2+len(c.project.Protocol.Fields)]}
		for j, f := range c.project.Protocol.Fields {
			if value, err := strconv.Atoi(row[2+j]); err == nil {
				a.Values[f.Key] = value
			}
		}
		answers[row[0]] = a
	}
	stored, err := collectAll[struct {
		RowKey     string
		Answers    map[string]int
		Note       string
		ActiveMS   int64
		SequenceNo int
		RowNo      int
	}](c.pool.Query(t.Context(), `
		SELECT r.row_key, n.answers, n.note, n.active_ms, n.sequence_no, r.row_no
		FROM sheet_rows r
		JOIN sheets h ON h.id = r.sheet_id
		JOIN assignments a ON a.item_id = r.item_id AND a.account_id = h.account_id
		JOIN annotations n ON n.assignment_id = a.id`))
	if err != nil || len(stored) != sheetItems {
		t.Errorf("%d annotations, %v", len(stored), err)
	}
	for _, s := range stored {
		if want := answers[s.RowKey]; !maps.Equal(s.Answers, want.Values) || s.Note != want.Note || s.ActiveMS != 0 ||
			s.SequenceNo != s.RowNo {
			t.Errorf("%s: got %+v, want %+v", s.RowKey, s, want)
		}
	}
	for token := c.openItem(c.other); token != ""; token = c.openItem(c.other) {
		c.mustSubmit(c.other, token, labeling.Submission{Answers: c.answersFor(token, rows[1])})
		c.endBreak(c.other)
	}
	counters, err := collectColumn[string](c.pool.Query(t.Context(), `
		SELECT DISTINCT concat_ws(' ', waiting_count, last_sequence_no, presented_count, completed_count, label_count,
		(open_assignment_id IS NULL)::text,
		       (SELECT count(assignment_id) FROM hidden_items h WHERE h.batch_id = ba.batch_id
		       AND h.account_id = ba.account_id),
		       (SELECT count(*) FROM slots s JOIN assignments a USING (batch_id, item_id, account_id)
		       WHERE s.account_id = ba.account_id AND a.kind = 'work' AND a.state = 'submitted'),
		       (SELECT d.item_count FROM annotator_days d WHERE d.account_id = ba.account_id))
		FROM batch_annotators ba ORDER BY 1`))
	if want := []string{"0 24 24 24 24 true 0 24 24", "0 28 28 28 24 true 4 24 28"}; err != nil ||
		!slices.Equal(counters, want) {
		t.Errorf("counters %q, %v; want %q", counters, err, want)
	}
	c.expectColumn(t, []string{"0 0"}, `SELECT concat_ws(' ', items_since_break, items_since_completed_break)
		FROM batch_annotators WHERE account_id = $1`, c.annotator.ID)
	c.expectColumn(t, []string{"0"}, `SELECT count(*)::text FROM breaks WHERE account_id = $1`, c.annotator.ID)
}

func (c sheetCase) expectColumn(t *testing.T, want []string, sql string, args ...any) {
	t.Helper()
	if got, err := collectColumn[string](c.pool.Query(t.Context(), sql, args...)); err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// answersFor returns the answers of a row that apply to the item of that token.
func (c sheetCase) answersFor(token string, row []string) protocol.Answers {
	a := protocol.Answers{Values: map[string]int{}}
	for j, f := range c.project.Protocol.Fields {
		if f.AppliesTo(c.screen(c.other, token).Facts) {
			value, _ := strconv.Atoi(row[2+j])
			a.Values[f.Key] = value
		}
	}
	return a
}

// asExcelSaves returns rows in reverse order as UTF-16 with tabs, scores with a decimal, and
// empty columns and rows at the end.
func asExcelSaves(rows [][]string) string {
	ordered := [][]string{rows[0]}
	for i := len(rows) - 1; i > 0; i-- {
		row := slices.Clone(rows[i])
		for j := range row {
			if len(row[j]) == 1 {
				row[j] += ".0"
			}
		}
		ordered = append(ordered, row)
	}
	var text strings.Builder
	for _, row := range append(ordered, make([]string, len(rows[0]))) {
		for i, cell := range row {
			if i > 0 {
				text.WriteString("\t")
			}
			text.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
		text.WriteString("\t\t\r\n")
	}
	file := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text.String())) {
		file = binary.LittleEndian.AppendUint16(file, unit)
	}
	return string(file)
}

func TestSheet_WhatHappensInBetween(t *testing.T) {
	c := newSheetCase(t, "rag-generation")
	rows := c.fill(c.sheet)
	token := c.openItem(c.annotator)
	first := c.screen(c.annotator, token)
	c.mustSaveDraft(c.annotator, token, 1, helpfulSubmission)
	c.mustRefuse(t, toCSV(rows), "2:eval_id: This item has answers on the labeling screen")
	next := c.mustSubmit(c.annotator, token, helpfulSubmission)
	c.mustRefuse(t, toCSV(rows), "2:incomplete: was submitted before", "2:unsafe_content: was submitted before")
	copy(rows[1][2:7], []string{"1", "1", "1", "0", "0"})
	if first.SequenceNo != 1 {
		t.Fatal("the first item is not the first row")
	}
	c.skipItem(c.annotator, next, labeling.Skip{Reason: labeling.Distressing})
	c.mustRefuse(t, toCSV(rows), "3:eval_id: This item was skipped on the labeling screen. Delete the row.")
	withoutSkipped := slices.Delete(slices.Clone(rows), 2, 3)
	if result, err := c.submit(toCSV(withoutSkipped)); err != nil ||
		result != (SheetResult{Submitted: sheetItems - 2, Unchanged: 1}) {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestSheet_OfOthers_AndStates(t *testing.T) {
	c := newSheetCase(t, "rag-generation")
	rows := c.fill(c.sheet)
	if _, err := c.CreateSheet(t.Context(), c.other.ID, c.batch.ID, c.other.ID); !strings.Contains(fault.Message(err),
		"A lead makes the first sheet") {
		t.Errorf("an annotator without a sheet: %v", err)
	}
	others := c.createSheet(c.other)
	if own, err := c.CreateSheet(t.Context(), c.other.ID, c.batch.ID, c.other.ID); err != nil ||
		fmt.Sprint(own) != fmt.Sprint(others) {
		t.Errorf("the annotator makes another sheet, %v", err)
	}
	otherRows := c.fill(others)
	mixed := slices.Clone(rows)
	mixed[5] = otherRows[5]
	c.mustRefuse(t, toCSV(mixed), "6:eval_id: is not in a sheet of this annotator and batch",
		"6:annotator_id: but the sheet is of", fmt.Sprintf("0:eval_id: The row of “%s” is missing. It was row 6",
			rows[5][0]))
	file := func() SheetFile { return SheetFile{Name: "a.csv", Content: strings.NewReader(toCSV(rows))} }
	if _, err := c.SubmitSheet(t.Context(), c.other.ID, c.batch.ID, c.annotator.ID,
		file()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another annotator: %v", err)
	}
	if _, err := c.CreateSheet(t.Context(), c.other.ID, c.batch.ID, c.annotator.ID); fault.KindOf(
		err) != fault.NotFound {
		t.Errorf("another annotator: %v", err)
	}
	if result, err := c.SubmitSheet(t.Context(), 0, c.batch.ID, c.annotator.ID, file()); err != nil ||
		result.Submitted != sheetItems {
		t.Errorf("a command: %+v, %v", result, err)
	}
	if err := c.CloseBatch(t.Context(), c.admin.ID, c.project, "one",
		project.BatchClosing{Reason: "Done."}); err != nil {
		t.Fatal(err)
	}
	if result, err := c.SubmitSheet(t.Context(), 0, c.batch.ID, c.annotator.ID, file()); err != nil ||
		result.Unchanged != sheetItems {
		t.Errorf("the same sheet after closing: %+v, %v", result, err)
	}
	if _, err := c.CreateSheet(t.Context(), 0, c.batch.ID, c.other.ID); !strings.Contains(fault.Message(err),
		"is closed") {
		t.Errorf("a sheet of a closed batch: %v", err)
	}
}

func TestSheet_BeforeWork_Refused(t *testing.T) {
	env := newTestEnv(t)
	emails, accounts := env.newAnnotators(2)
	p := env.newProject("test", 12)
	env.addReferences(p, 2)
	calibrated := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 2, CalibrationCount: 2,
		Sample: project.Sample{Count: 6}})
	if _, err := env.CreateSheet(t.Context(), 0, calibrated.ID, accounts[0].ID); !strings.Contains(fault.Message(err),
		"calibration set comes first") {
		t.Errorf("before calibration: %v", err)
	}
	pool := env.newBatch(p, project.BatchSpec{Name: "two", Annotators: emails, Overlap: 2, Assignment: project.Pool,
		CalibrationCount: 0})
	if _, err := env.CreateSheet(t.Context(), 0, pool.ID, accounts[0].ID); !strings.Contains(fault.Message(err),
		"is a pool") {
		t.Errorf("a pool: %v", err)
	}
	env.execSQL(`DELETE FROM reading_acknowledgments`)
	env.submitSheetReading(t, p, emails)
}

func (env testEnv) submitSheetReading(t *testing.T, p project.Project, emails []string) {
	t.Helper()
	env.addItems(p, 12, 6)
	unread, err := env.OpenBatch(t.Context(), env.admin.ID, p, project.BatchSpec{Name: "three", Annotators: emails,
		Overlap: 2, FewerCalibration: "A test."})
	if err != nil {
		t.Fatal(err)
	}
	owner, err := env.SheetOwner(t.Context(), 0, p, unread.Name, strings.ToUpper(emails[0]))
	if err != nil || owner.BatchID != unread.ID {
		t.Fatal(owner, err)
	}
	if _, err := env.CreateSheet(t.Context(), 0, owner.BatchID, owner.AccountID); !strings.Contains(fault.Message(err),
		"required reading comes first") {
		t.Errorf("before the reading: %v", err)
	}
	if _, err := env.SheetOwner(t.Context(), 0, p, unread.Name, "unknown@example.org"); fault.KindOf(
		err) != fault.NotFound {
		t.Errorf("an unknown annotator: %v", err)
	}
}
