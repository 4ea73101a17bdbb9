package importer

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/stats"
)

const csvHeader = "item,annotator,dimension,value\n"

func TestReadLongTable_Invalid_LocatesErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
	}{
		{"empty file", "", "f.csv:1: The file is empty. The first row must be item,annotator,dimension,value."},
		{"header alone", csvHeader, "f.csv:1: The file has no rows below the first. Write one row for each label."},
		{"missing column", "item,annotator,value\nx,A,1\n",
			`f.csv:1: The column "dimension" is missing. The first row must be item,annotator,dimension,value.`},
		{"repeated column", "item,annotator,dimension,value,item\n",
			"f.csv:1:item: The column occurs twice. Keep one."},
		{"short row", csvHeader + "x,A,d,1\nx,B,d\n",
			"f.csv:3: The row has 3 values, the first row has 4. Give every row the same number."},
		{"long row", csvHeader + "x,A,d,1,7\n",
			"f.csv:2: The row has 5 values, the first row has 4. Give every row the same number."},
		{"plus sign", csvHeader + "x,A,d,+3\n",
			"f.csv:2:value: “+3” is a number in another notation. Write it like 3, -1 or 2.5."},
		{"exponent", csvHeader + "x,A,d,1e3\n",
			"f.csv:2:value: “1e3” is a number in another notation. Write it like 3, -1 or 2.5."},
		{"negative zero", csvHeader + "x,A,d,-0.0\n",
			"f.csv:2:value: “-0.0” is a number in another notation. Write it like 3, -1 or 2.5."},
		{"too many digits", csvHeader + "x,A,d,99999999999999999999\n",
			"f.csv:2:value: 99999999999999999999 is too large. The limit is ±1,000,000."},
		{"too many decimal places", csvHeader + "x,A,d,100000\nx,B,d,0.001\n",
			"f.csv:1:value: The values of d do not make a scale: the number 100000 has too many digits; round the values to fewer places."},
		{"fraction off the scale", csvHeader + "x,A,safety,1.50\n",
			"f.csv:2:value: 1.5 is not on the scale 0..2 of safety. Correct the value or the declared scale."},
		{"word off the scale", csvHeader + "x,A,safety,good\n",
			"f.csv:2:value: good is not on the scale 0..2 of safety. Correct the value or the declared scale."},
		{"undeclared word", csvHeader + "x,A,tone,Good\n",
			"f.csv:2:value: Good is not on the scale bad, fair, good of tone. Correct the value or the declared scale."},
		{"too large", csvHeader + "x,A,d,1000001\n", "f.csv:2:value: 1000001 is too large. The limit is ±1,000,000."},
		{"number off the scale", csvHeader + "x,A,safety,3\n",
			"f.csv:2:value: 3 is not on the scale 0..2 of safety. Correct the value or the declared scale."},
		{"empty value", csvHeader + "x,A,d,\n",
			"f.csv:2:value: The value is empty. Leave the row out if there is no label."},
		{"empty annotator", csvHeader + "x,,d,1\n",
			"f.csv:2:annotator: The cell is empty. Every row needs an item, an annotator and a dimension."},
		{"trailing space", csvHeader + "x,A ,d,1\n",
			"f.csv:2:annotator: The text starts or ends with a space. Remove it: names must match exactly."},
		{"NUL", csvHeader + "x\x00,A,d,1\n",
			"f.csv:2:item: The text has an invisible character, such as NUL or a line break. Remove it."},
		{"line break in a name", csvHeader + "\"x\ny\",A,d,1\n",
			"f.csv:2:item: The text has an invisible character, such as NUL or a line break. Remove it."},
		{"not UTF-8", csvHeader + "x,A\xff,d,1\n", "f.csv:2:annotator: The text is not UTF-8. Save the file as UTF-8, or name its encoding, such as windows-1252."},
		{"stray quotation mark", csvHeader + "x\"y,A,d,1\n",
			"f.csv:2: A quotation mark is inside a value or is never closed. Put the value in quotes, and double the quotation marks in it."},
		{"labeled twice", csvHeader + "x,A,d,1\ny,A,d,2\nx,A,d,1\n",
			"f.csv:4:annotator: A already labeled x in d, in row 2. Keep one of the two rows."},
		{"three errors", csvHeader + "x,A,d,+1\n\ny, A,d,2\nz,A,d,2e1\n",
			"f.csv:2:value: “+1” is a number in another notation. Write it like 3, -1 or 2.5.\n" +
				"f.csv:4:annotator: The text starts or ends with a space. Remove it: names must match exactly.\n" +
				"f.csv:5:value: “2e1” is a number in another notation. Write it like 3, -1 or 2.5."},
		{"item in two clusters", "item,annotator,dimension,value,cluster\nx,A,safety,1,r1\nx,B,safety,1,r2\n",
			"f.csv:3:cluster: x is in another cluster in an earlier row. Give an item one cluster."},
		{"unused scale", csvHeader + "x,A,d,1\n",
			"f.csv:1:dimension: A scale is declared for safety, but no row has this dimension.\n" +
				"f.csv:1:dimension: A scale is declared for tone, but no row has this dimension."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			scales, _ := stats.ParseDeclaredScales([]string{"safety=0..2", "tone=bad,fair,good"})
			table, err := ReadLongTable("f.csv", "", strings.NewReader(c.text), scales)
			if err == nil || err.Error() != c.want || table.Dimensions != nil {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if !errors.Is(err, fault.Invalid) {
				t.Errorf("%v is not invalid input", err)
			}
		})
	}
}

func TestReadLongTable_SpreadsheetCSV(t *testing.T) {
	t.Parallel()
	text := "\ufeffvalue,cluster,item,annotator,dimension\r\n" +
		"3,rec1,x,Ana,tone\r\n\r\n-1,rec1,y,Ana,tone\r\n3,rec1,x,\"Bo, B\",tone\r\n5,,z,Ana,tone\r\n1,rec1,x,Ana,depth"
	scales, _ := stats.ParseDeclaredScales([]string{"depth=0..2"})
	got, err := ReadLongTable("f.csv", "", strings.NewReader(text), scales)
	if err != nil {
		t.Fatal(err)
	}
	depth, tone := got.Dimensions[0], got.Dimensions[1]
	if depth.Name != "depth" || !depth.Declared || depth.Table.Scale.String() != "0..2" || depth.Table.Ratings() != 1 {
		t.Errorf("depth: %+v", depth)
	}
	if tone.Name != "tone" || tone.Declared || tone.Table.Scale.String() != "-1 3 5" || tone.Table.Ratings() != 4 {
		t.Errorf("tone: %+v", tone)
	}
	interval := stats.ComputeEstimates(tone.Table, stats.IntervalOptions{Resamples: 1, Method: stats.Expanded},
		stats.PercentAgreement())[0].Interval
	if tone.Table.Annotators()[1] != "Bo, B" || interval.Units != 1 || !interval.IsShared || !interval.IsClustered {
		t.Errorf("annotators %q, interval %+v", tone.Table.Annotators(), interval)
	}
}

func TestReadLongTable_SeparatorsAndColumns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Item,ANNOTATOR, dimension,value,comment,pass\nx,Ana,tone,3.0,\"\xffgood\n, so\",\ny,Ana,tone,-1.00,,2\n",
		"item;annotator;dimension;value;comment;pass\nx;Ana;tone;3;\"a;b\";\ny;Ana;tone;-1;;1\n",
		"comment\tpass\titem\tannotator\tdimension\tvalue\n\t\tx\tAna\ttone\t3\n\t\ty\tAna\ttone\t-1\n",
	} {
		got, err := ReadLongTable("f.csv", "", strings.NewReader(text), stats.DeclaredScales{})
		if err != nil || len(got.Dimensions) != 1 || got.Dimensions[0].Table.Scale.String() != "-1 3" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if !slices.Equal(got.IgnoredColumns, []string{"comment", "pass"}) {
			t.Errorf("%q: ignored %q", text, got.IgnoredColumns)
		}
	}
}

func TestReadLongTable_Export_CurrentWorkOnly(t *testing.T) {
	t.Parallel()
	text := "kind,current,item,record,annotator,dimension,value,note\n" +
		"work,false,x,r1,Ana,tone,5,\nwork,true,x,r1,Ana,tone,3,\nwork,true,y,r1,Ana,tone,1,\n" +
		"duplicate,true,x,r1,Ana,tone,4,\ncalibration,true,c,,Ana,tone,2,\nwork,true,x,r1,Ana,depth,,\nwork,true,z,,Ana,tone,1,\n"
	d := readSingleDimension(t, text)
	if got := slices.Collect(d.Table.ByItem()); len(got) != 3 || got[0].Cluster != got[1].Cluster ||
		got[1].Cluster == got[2].Cluster || d.Table.Scale.String() != "1 3" {
		t.Errorf("%+v on %s", got, d.Table.Scale)
	}
	plain, err := ReadLongTable("f.csv", "", strings.NewReader(
		"item,annotator,dimension,value,kind,cluster,record\nx,A,d,1,duplicate,c,r\n"), stats.DeclaredScales{})
	if err != nil || !slices.Equal(plain.IgnoredColumns, []string{"kind", "record"}) ||
		plain.Dimensions[0].Table.Ratings() != 1 {
		t.Errorf("a table that is no export: %+v, %v", plain, err)
	}
}

// Cells that decide whether a row of an export counts must be readable, also in rows that do not.
func TestReadLongTable_InvalidExport_LocatesErrors(t *testing.T) {
	t.Parallel()
	const header = "annotation,kind,current,item,annotator,dimension,value\n1,work,TRUE,x,Ana,tone,1\n"
	for _, c := range []struct{ row, want string }{
		{"2,wrok,TRUE,y,Ana,tone,1", "f.csv:3:kind: “wrok” is no kind of label. Write work, duplicate or calibration."},
		{"2,,TRUE,y,Ana,tone,1", "f.csv:3:kind: “” is no kind of label."},
		{"2,work,maybe,y,Ana,tone,1", "f.csv:3:current: “maybe” is neither true nor false. Write TRUE"},
		{"2,work,,y,Ana,tone,1", "f.csv:3:current: “” is neither true nor false."},
		{"2,calibration,no,y,Ana,tone,1", "f.csv:3:current: “no” is neither true nor false."},
		{"1,work,TRUE,y,Ana,tone,1", "f.csv:3:annotation: Annotation 1 belongs to x by Ana, in row 2. Give each annotation its own id."},
		{"1,work,FALSE,x,Bo,tone,1", "f.csv:3:annotation: Annotation 1 belongs to x by Ana, in row 2."},
		{",work,TRUE,y,Ana,tone,1", "f.csv:3:annotation: The cell is empty. Every row of an export needs the id"},
		{"2,calibration,TRUE,,Ana,tone,1", "f.csv:3:item: The cell is empty."},
	} {
		_, err := ReadLongTable("f.csv", "", strings.NewReader(header+c.row+"\n"), stats.DeclaredScales{})
		if errs, ok := errors.AsType[FileErrors](err); !ok || len(errs) != 1 ||
			!strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.row, err, c.want)
		}
	}
	table, err := ReadLongTable("f.csv", "", strings.NewReader(header+
		"1,work,TRUE,x,Ana,depth,\n2,work,false,x,Bo,tone,\n3,work,True,x,Bo,tone,2\n"), stats.DeclaredScales{})
	if err != nil || len(table.Dimensions) != 1 || table.Dimensions[0].Table.Ratings() != 2 ||
		len(table.IgnoredColumns) > 0 {
		t.Errorf("a valid export: %+v, %v", table, err)
	}
}

func TestReadLongTable_ManyErrors_Truncated(t *testing.T) {
	t.Parallel()
	_, err := ReadLongTable("f.csv", "", strings.NewReader(csvHeader+strings.Repeat("x,A,d,+1\n", ErrorLimit+5)),
		stats.DeclaredScales{})
	errs, _ := errors.AsType[FileErrors](err)
	if len(errs) != ErrorLimit+1 || !strings.HasPrefix(errs[ErrorLimit].Message, "5 more") {
		t.Errorf("%d errors, %v", len(errs), err)
	}
}

func TestReadLongTable_ReaderFails(t *testing.T) {
	t.Parallel()
	_, err := ReadLongTable("f.csv", "", io.MultiReader(strings.NewReader(csvHeader+"x,A,d,1\n"), failingReader{}),
		stats.DeclaredScales{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func FuzzReadLongTable(f *testing.F) {
	f.Add(csvHeader+"x,A,d,1\nx,B,d,2\ny,A,d,1\n", "")
	f.Add("value,cluster,item,annotator,dimension\n3,r,\"x\",A,d\n", "d=1..5")
	f.Add("\ufeff"+csvHeader+"x,A,d,1\nx,A,d,1\n", "1..5")
	f.Add(csvHeader+"\"x\nA,d,-0\n,,,\n\x00\xff", "d=0..1")
	f.Add(csvHeader+"x,A,d,good\nx,B,d,bad\ny,A,d,3\n", "")
	f.Add(csvHeader+"x,A,d,low\nx,B,d,high\ny,A,d,middle\n", "d=low,middle,high")
	f.Add(csvHeader+"x,A,d,2.50\nx,B,d,-0.125\ny,A,d,3.0\n", "")
	f.Add(csvHeader+"x,A,d,0.5\nx,B,d,1\n", "d=0.5,1,1.5")
	f.Add(csvHeader+"x,A,d,NaN\nx,B,d,1e3\n", "d=,a")
	f.Fuzz(func(t *testing.T, text, scale string) {
		scales, err := stats.ParseDeclaredScales([]string{scale})
		if err != nil {
			scales = stats.DeclaredScales{}
		}
		table, err := ReadLongTable("f.csv", "", strings.NewReader(text), scales)
		dimensions := table.Dimensions
		if err != nil {
			errs, ok := errors.AsType[FileErrors](err)
			if !ok || len(errs) == 0 || dimensions != nil {
				t.Fatalf("%T %v with %d dimensions", err, err, len(dimensions))
			}
			for _, e := range errs {
				if e.Row < 1 && len(errs) <= ErrorLimit || e.Message == "" {
					t.Fatalf("an error without a place: %+v", e)
				}
			}
			return
		}
		ratings := 0
		for _, d := range dimensions {
			ratings += d.Table.Ratings()
			if scale := d.NamedScale(); len(scale.Names) > 0 && len(scale.Names) != len(scale.Scale) ||
				!slices.IsSorted(scale.Scale) {
				t.Fatalf("the points are %q for %v", scale.Names, scale.Scale)
			}
			for _, m := range stats.AllMeasures() {
				if estimate := m.Compute(d.Table); estimate.Value != estimate.Value || estimate.Value > 1+1e-9 {
					t.Fatalf("%s of %s is %v", m.Coefficient, d.Name, estimate.Value)
				}
			}
		}
		if ratings == 0 || ratings > strings.Count(text, "\n")+1 {
			t.Fatalf("%d ratings from %q", ratings, text)
		}
	})
}

// wordsCSV is a dimension whose values are words.
const wordsCSV = csvHeader + `x,A,tone,good
x,B,tone,good
y,A,tone,bad
y,B,tone,fair
z,A,tone,good
z,B,tone,bad
`

func TestReadLongTable_Words_BuildScale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, scale, points string
		nominal                   bool
	}{
		{"words", wordsCSV, "", "bad, fair, good", true},
		{"words and numbers", strings.Replace(wordsCSV, "fair", "2.0", 1), "", "2, bad, good", true},
		{"declared words", wordsCSV, "bad,fair,good", "bad, fair, good", false},
		{"declared words in another order, one of them unused", wordsCSV, "tone=good,fair,poor,bad",
			"good, fair, poor, bad", false},
		{"fractions", csvHeader + "x,A,d,2.50\nx,B,d,10\ny,A,d,-1.25\ny,B,d,2.5\n", "", "-1.25, 2.5, 10", false},
		{"declared fractions", csvHeader + "x,A,d,0.5\nx,B,d,1.0\n", "0.5,1,1.50", "0.5, 1, 1.5", false},
		{"declared numbers with holes", csvHeader + "x,A,d,1\nx,B,d,5\n", "d=1,3,5", "1 3 5", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := readSingleDimension(t, c.text, c.scale)
			if got := d.NamedScale().String(); got != c.points || d.Nominal != c.nominal {
				t.Errorf("the points are %q, nominal %v; want %q, %v", got, d.Nominal, c.points, c.nominal)
			}
		})
	}
}

// readSingleDimension reads a file of one dimension.
func readSingleDimension(t *testing.T, text string, declared ...string) stats.Dimension {
	t.Helper()
	scales, err := stats.ParseDeclaredScales(slices.DeleteFunc(declared, func(s string) bool { return s == "" }))
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadLongTable("f.csv", "", strings.NewReader(text), scales)
	if err != nil || len(table.Dimensions) != 1 {
		t.Fatalf("%d dimensions, %v", len(table.Dimensions), err)
	}
	return table.Dimensions[0]
}
