package dataset

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// readParquet returns the columns and the cells of a file; an absent cell is "null".
func readParquet(t *testing.T, file []byte) (columns []string, table [][]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Schema().Columns() {
		columns = append(columns, c[0])
	}
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		buffer := make([]parquet.Row, 10)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				cells := []string{}
				for _, v := range row {
					if v.IsNull() {
						cells = append(cells, "null")
					} else {
						cells = append(cells, v.String())
					}
				}
				table = append(table, cells)
			}
			if err != nil {
				break
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return columns, table
}

func TestParquet_ReadBack_HasOrderAndTypes(t *testing.T) {
	t.Parallel()
	for _, shape := range []Shape{Wide, Long} {
		o := fullOptions(shape, Parquet)
		file, sum := writeSample(t, o)
		columns, table := readParquet(t, file)
		want := []string{}
		for _, c := range annotationColumns(sampleProtocol, o) {
			want = append(want, c.Name)
		}
		checkEqual(t, columns, want)
		if len(table) != sum.Rows {
			t.Errorf("%s: %d rows, want %d", shape, len(table), sum.Rows)
		}
		first := map[string]string{}
		for i, name := range columns {
			first[name] = table[0][i]
		}
		for name, want := range map[string]string{"current": "true", "item": "=cmd|'/c calc'!A1", "replaces_id": "null",
			"version": "2",
			"meta.t":  "-0.5", "meta.more": `{"a":[0,"",false,null]}`,
			"item.talk": `[{"role":"user","text":"<b>&\u2028"}`} {
			if got := first[name]; got != want && name != "item.talk" {
				t.Errorf("%s, %s: got %q, want %q", shape, name, got, want)
			}
		}
	}
}

func TestParquet_ManyRows_SeveralGroupsSameBytes(t *testing.T) {
	t.Parallel()
	write := func() []byte {
		var file bytes.Buffer
		if _, err := writeTestAnnotations(&file, WriteOptions{Shape: Long, Format: Parquet},
			yieldMany(50_000)); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	first, second := write(), write()
	if !bytes.Equal(first, second) {
		t.Error("two exports of the same rows differ")
	}
	f, err := parquet.OpenFile(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.RowGroups()); n < 2 || f.NumRows() < 100_000 {
		t.Errorf("%d row groups with %d rows", n, f.NumRows())
	}
}

func TestBlockFinder_SameAnswers_Found(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		equal, total int
		wantPassed   bool
	}{"varied": {minBlock - 1, 40, true}, "a block": {minBlock, 40, false}} {
		var f blockFinder
		for i := range test.total {
			values := map[string]int{"tone": i % 3, "record": i % 2}
			if i < test.equal {
				values = map[string]int{"tone": 2, "record": 2}
			}
			f.add(Annotation{Current: true, Annotator: "teal heron", Answers: protocolAnswers(values)})
		}
		if c := f.check(sampleProtocol); c.Passed != test.wantPassed {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestCertainVerdict_OpenFields_OnlyWhereCertain(t *testing.T) {
	t.Parallel()
	fail, pass := sampleProtocol.Verdicts[0], sampleProtocol.Verdicts[1] // any 0; no 0
	for _, test := range []struct {
		fields     [][]int
		fail, pass truth
	}{
		{[][]int{{0}, {0, 1, 2}}, holds, fails},
		{[][]int{{1}, {0, 1}}, unknown, unknown},
		{[][]int{{1}, {1, 2}}, fails, holds},
		{nil, unknown, unknown},
	} {
		if got := fmt.Sprint(certainVerdict(fail, test.fields), certainVerdict(pass, test.fields)); got != fmt.Sprint(
			test.fail, test.pass) {
			t.Errorf("%v: got %s", test.fields, got)
		}
	}
}
