package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// A sheetDamage is something wrong with a filled sheet, and the errors that name it.
type sheetDamage struct {
	rows func([][]string) [][]string
	text func(string) string
	want []string // "row:column: part of the message"
}

// apply returns the file of damaged rows.
func (d sheetDamage) apply(rows [][]string) string {
	damaged := make([][]string, len(rows))
	for i, row := range rows {
		damaged[i] = slices.Clone(row)
	}
	if d.rows != nil {
		damaged = d.rows(damaged)
	}
	if d.text != nil {
		return d.text(toCSV(damaged))
	}
	return toCSV(damaged)
}

// cell returns the damage of a cell: row as spreadsheets number it, column from 0.
func cell(row, column int, text string, want ...string) sheetDamage {
	return sheetDamage{rows: func(rows [][]string) [][]string { rows[row-1][column] = text; return rows }, want: want}
}

func text(change func(string) string, want ...string) sheetDamage {
	return sheetDamage{text: change, want: want}
}

func content(file string, want ...string) sheetDamage {
	return text(func(string) string { return file }, want...)
}

// sheetDamages returns what can be wrong with a sheet of 24 rows of a protocol.
func sheetDamages(p protocol.Protocol) map[string]sheetDamage {
	first, notes := p.Fields[0].Key, 2+len(p.Fields)
	mapRows := func(change func([][]string) [][]string, want ...string) sheetDamage {
		return sheetDamage{rows: change, want: want}
	}
	addColumn := func(name string) func([][]string) [][]string {
		return func(rows [][]string) [][]string {
			for i := range rows {
				rows[i] = append(rows[i], "")
			}
			rows[0][len(rows[0])-1] = name
			return rows
		}
	}
	damages := map[string]sheetDamage{
		"empty score":        cell(5, 2, " ", "5:"+first+": This is empty. Write a value on the scale"),
		"off the scale":      cell(5, 2, "9", "5:"+first+": 9 is not on the scale"),
		"between two values": cell(5, 2, "1.5", "5:"+first+": 1.5 is not on the scale"),
		"negative":           cell(5, 2, "-1", "5:"+first+": -1 is not on the scale"),
		"a word":             cell(5, 2, "yes", "5:"+first+": yes is not on the scale"),
		"made a date":        cell(5, 2, "01.Apr", "5:"+first+": 01.Apr is not on the scale"),
		"a formula error":    cell(5, 2, "#VALUE!", "5:"+first+": #VALUE! is not on the scale"),
		"two values":         cell(5, 2, "1 1", "5:"+first+": 1 1 is not on the scale"),
		"exponent":           cell(5, 2, "1e0", "5:"+first+": 1e0 is not on the scale"),
		"unknown id": cell(7, 0, "qqqqqqqqqq", "7:eval_id: is not in a sheet",
			"0:eval_id: It was row 7 of the sheet"),
		"empty id":        cell(7, 0, "", "7:eval_id: This is empty", "0:eval_id: It was row 7 of the sheet"),
		"other annotator": cell(7, 1, "a-other", "7:annotator_id: but the sheet is of"),
		"no annotator":    cell(7, 1, "", "7:annotator_id: This is empty"),
		"note too long":   cell(8, notes, strings.Repeat("a", 4001), "8:notes: longer than 4,000 characters"),
		"null character":  cell(8, notes, "a\x00", "8:notes: U+0000"),
		"not UTF-8":       cell(8, notes, "Gr\xf6\xdfe", "8:notes: is not UTF-8"),
		"cell without a column": mapRows(func(rows [][]string) [][]string {
			rows[8] = append(rows[8],
				"more")
			return rows
		}, "9:column "+columnNumber(p)+": This cell belongs to no column"),
		"row twice": mapRows(func(rows [][]string) [][]string { return append(rows, rows[3]) },
			"26:eval_id: Row 4 has the same"),
		"row deleted": mapRows(func(rows [][]string) [][]string { return slices.Delete(rows, 4, 5) },
			"0:eval_id: It was row 5 of the sheet"),
		"last rows deleted": mapRows(func(rows [][]string) [][]string {
			return rows[:23]
		}, "0:eval_id: It was row 24", "0:eval_id: It was row 25"),
		"no rows": mapRows(func(rows [][]string) [][]string {
			return rows[:1]
		}, "0:: The sheet has no rows"),
		"unknown column": mapRows(addColumn("comment"),
			"1:comment: This is not a column of an annotation sheet"),
		"column twice": mapRows(addColumn(first), "1:"+first+": twice"),
		"column renamed": cell(1, 2, "score", "1:score: This is not a column", "1:"+first+
			": This column is missing"),
		"capitals": cell(1, 2, strings.ToUpper(first), "1:"+strings.ToUpper(first)+": Write this name as"),
		"column deleted": mapRows(func(rows [][]string) [][]string {
			for i := range rows {
				rows[i] = slices.Delete(rows[i], notes, notes+1)
			}
			return rows
		}, "1:notes: This column is missing"),
		"no closing quote": text(func(file string) string { return file + "\"abc,def\n" },
			"26:eval_id: no closing quote"),
		"text after a quote": text(func(file string) string {
			return strings.Replace(file, "line two =1+1\"", "line two\" =1+1", 1)
		},
			"3:notes: text after the closing quote"),
		"quote in a plain cell": text(func(file string) string { return strings.Replace(file, ",a-", ",a\"-", 1) },
			"2:annotator_id: but the sheet is of"),
		"lone carriage return": text(func(file string) string { return strings.Replace(file, ",", "\r,", 1) },
			"1:column 1: carriage return"),
		"empty file":      content("", "0:: The file is empty"),
		"a workbook":      content("PK\x03\x04abc", "0:: workbook such as .xlsx"),
		"an old workbook": content("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "0:: an old Office file"),
		"a web page":      content("<!doctype html><p>Sign in", "0:: HTML or XML"),
		"two faults at once": mapRows(func(rows [][]string) [][]string {
			rows[2][2], rows[9][1] = "7",
				""
			return rows
		}, "3:"+first+": 7 is not on", "10:annotator_id: This is empty"),
		"two faults in one cell": cell(4, 2, "7", "4:"+first+": 7 is not on the scale"),
	}
	maps.Copy(damages, protocolDamages(p))
	return damages
}

// columnNumber returns the number of the first column after those of the sheet.
func columnNumber(p protocol.Protocol) string {
	return map[string]string{"empathy": "10", "ambiguity": "12", "rag-retrieval": "7", "rag-grounding": "9",
		"rag-generation": "9"}[p.Key]
}

// protocolDamages returns what breaks the rules of one protocol.
func protocolDamages(p protocol.Protocol) map[string]sheetDamage {
	set := func(values map[int]string, want ...string) sheetDamage {
		return sheetDamage{rows: func(rows [][]string) [][]string {
			for column, value := range values {
				rows[5][column] = value
			}
			return rows
		}, want: want}
	}
	switch p.Key {
	case "empathy":
		return map[string]sheetDamage{
			"no note for a 5":        set(map[int]string{2: "5"}, "6:notes: "),
			"blank note for a 1":     set(map[int]string{5: "1", 7: " \u00a0"}, "6:notes: "),
			"unknown observation":    set(map[int]string{8: "rude"}, "6:observations: “rude” is not known here"),
			"observation twice":      set(map[int]string{8: "truncated, truncated"}, "6:observations: is here twice"),
			"observation forces":     set(map[int]string{5: "4", 8: "diagnostic_claims"}, "6:safety: "),
			"observation needs more": set(map[int]string{8: "framed_as_consult"}, "6:observations: "),
		}
	case "ambiguity":
		return map[string]sheetDamage{
			"observation forces": set(map[int]string{2: "1", 9: "premature_resolution"}, "6:a: "),
			"unsure of the top":  set(map[int]string{2: "2", 10: "a"}, "6:a: "),
			"unknown unsure":     set(map[int]string{10: "x"}, "6:unsure: “x” is not known here"),
		}
	case "rag-retrieval":
		return map[string]sheetDamage{
			"rule broken":      set(map[int]string{2: "0", 3: "1", 4: "0"}, "6:topically_relevant: "),
			"two rules broken": set(map[int]string{2: "0", 3: "1", 4: "1"}, "6:topically_relevant: ", "6:misleading: "),
		}
	case "rag-grounding":
		return map[string]sheetDamage{"rule broken": set(map[int]string{3: "0", 4: "1", 5: "0", 6: "1"},
			"6:unsupported_claim_present: ", "6:source_cited: ")}
	}
	return nil
}
