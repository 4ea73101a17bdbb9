package stats

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

const csvHeader = "item,annotator,dimension,value\n"

func TestReadLongTable_Invalid_LocatesErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
	}{
		{"empty file", "", "f.csv:1:1: the file is empty; the first row must be item,annotator,dimension,value"},
		{"header alone", csvHeader, "f.csv:1:1: there is nothing under the first row; write one row for each judgement"},
		{"a column missing", "item,annotator,value\nx,A,1\n", `f.csv:1:1: the column "dimension" is missing; the first row must be item,annotator,dimension,value`},
		{"a column twice", "item,annotator,dimension,value,item\n", `f.csv:1:5: the column "item" is there twice; keep one`},
		{"a short row", csvHeader + "x,A,d,1\nx,B,d\n", "f.csv:3:4: the row has 3 values and the first row 4"},
		{"a long row", csvHeader + "x,A,d,1,7\n", "f.csv:2:5: the row has 5 values and the first row 4"},
		{"a number written oddly", csvHeader + "x,A,d,+3\n", `f.csv:2:4: the value "+3" is a number written in another way; write it as 3, -1 or 2.5`},
		{"a number with an exponent", csvHeader + "x,A,d,1e3\n", `f.csv:2:4: the value "1e3" is a number written in another way; write it as 3, -1 or 2.5`},
		{"a nothing with a sign", csvHeader + "x,A,d,-0.0\n", `f.csv:2:4: the value "-0.0" is a number written in another way; write it as 3, -1 or 2.5`},
		{"not a number", csvHeader + "x,A,d,NaN\n", `f.csv:2:4: the value "NaN" stands for none; a missing judgement is a missing row`},
		{"a number too long", csvHeader + "x,A,d,99999999999999999999\n", "f.csv:2:4: the value 99999999999999999999 is beyond ±1000000"},
		{"numbers too far apart to be told exactly", csvHeader + "x,A,d,100000\nx,B,d,0.001\n", "f.csv:1:4: d: the number 100000 is too long to be told apart exactly: round the values to fewer places"},
		{"a fraction off the scale", csvHeader + "x,A,safety,1.50\n", "f.csv:2:4: the value 1.5 is not on the scale 0..2 of safety"},
		{"a word off the scale", csvHeader + "x,A,safety,good\n", "f.csv:2:4: the value good is not on the scale 0..2 of safety"},
		{"a word that was not declared", csvHeader + "x,A,tone,Good\n", "f.csv:2:4: the value Good is not on the scale bad, fair, good of tone"},
		{"a number too large", csvHeader + "x,A,d,1000001\n", "f.csv:2:4: the value 1000001 is beyond ±1000000"},
		{"off the scale", csvHeader + "x,A,safety,3\n", "f.csv:2:4: the value 3 is not on the scale 0..2 of safety"},
		{"no value", csvHeader + "x,A,d,\n", "f.csv:2:4: the value is empty; a missing judgement is a missing row"},
		{"no annotator", csvHeader + "x,,d,1\n", "f.csv:2:2: this is empty; every row needs an item, an annotator and a dimension"},
		{"a space that hides", csvHeader + "x,A ,d,1\n", "f.csv:2:2: this begins or ends with a space; names are matched letter by letter"},
		{"NUL", csvHeader + "x\x00,A,d,1\n", "f.csv:2:1: this holds a character that cannot be seen, such as NUL or a line break; take it out"},
		{"a line break in a name", csvHeader + "\"x\ny\",A,d,1\n", "f.csv:2:1: this holds a character that cannot be seen, such as NUL or a line break; take it out"},
		{"two bytes a letter", "\xff\xfei\x00t\x00e\x00m\x00", "f.csv:1:1: this is not UTF-8; save the file as UTF-8"},
		{"not UTF-8", csvHeader + "x,A\xff,d,1\n", "f.csv:2:2: this is not UTF-8; save the file as UTF-8"},
		{"a stray quotation mark", csvHeader + "x\"y,A,d,1\n", `f.csv:2:1: a quotation mark stands inside a value or is never closed; put such a value in quotes and write its own as ""`},
		{"judged twice", csvHeader + "x,A,d,1\ny,A,d,2\nx,A,d,1\n", "f.csv:4:2: A judged x in d before, in row 2; keep one of the two"},
		{"two faults", csvHeader + "x,A,d,+1\n\ny, A,d,2\nz,A,d,2e1\n", "f.csv:2:4: the value \"+1\" is a number written in another way; write it as 3, -1 or 2.5\n" +
			"f.csv:4:2: this begins or ends with a space; names are matched letter by letter\nf.csv:5:4: the value \"2e1\" is a number written in another way; write it as 3, -1 or 2.5"},
		{"an item in two clusters", "item,annotator,dimension,value,cluster\nx,A,safety,1,r1\nx,B,safety,1,r2\n", "f.csv:3:5: x stands in another cluster further up; an item belongs to one"},
		{"a scale for nothing", csvHeader + "x,A,d,1\n", "f.csv:1:3: a scale is declared for safety, but no row is about it\nf.csv:1:3: a scale is declared for tone, but no row is about it"},
	} {
		scales, _ := ParseDeclaredScales([]string{"safety=0..2", "tone=bad,fair,good"})
		dimensions, err := ReadLongTable("f.csv", strings.NewReader(c.text), scales)
		if err == nil || err.Error() != c.want || dimensions.Dimensions != nil {
			t.Errorf("%s:\ngot  %v\nwant %s", c.name, err, c.want)
		}
		if !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: the file is not named as what is at fault", c.name)
		}
	}
}

func TestReadLongTable_SpreadsheetCSV(t *testing.T) {
	t.Parallel()
	text := "\ufeffvalue,cluster,item,annotator,dimension\r\n" +
		"3,rec1,x,Ana,tone\r\n\r\n-1,rec1,y,Ana,tone\r\n3,rec1,x,\"Bo, B\",tone\r\n5,,z,Ana,tone\r\n1,rec1,x,Ana,depth"
	scales, _ := ParseDeclaredScales([]string{"depth=0..2"})
	got, err := ReadLongTable("f.csv", strings.NewReader(text), scales)
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
	if tone.Table.clusterCount != 2 || tone.Table.Annotators()[1] != "Bo, B" {
		t.Errorf("tone has %d clusters, %q", tone.Table.clusterCount, tone.Table.Annotators())
	}
}

func TestReadLongTable_SeparatorsAndColumns(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Item,ANNOTATOR, dimension,value,comment,pass\nx,Ana,tone,3.0,\"\xffgood\n, so\",\ny,Ana,tone,-1.00,,2\n",
		"item;annotator;dimension;value;comment;pass\nx;Ana;tone;3;\"a;b\";\ny;Ana;tone;-1;;1\n",
		"comment\tpass\titem\tannotator\tdimension\tvalue\n\t\tx\tAna\ttone\t3\n\t\ty\tAna\ttone\t-1\n",
	} {
		got, err := ReadLongTable("f.csv", strings.NewReader(text), DeclaredScales{})
		if err != nil || len(got.Dimensions) != 1 || got.Dimensions[0].Table.Scale.String() != "-1 3" {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if !slices.Equal(got.IgnoredColumns, []string{"comment", "pass"}) {
			t.Errorf("%q: left aside %q", text, got.IgnoredColumns)
		}
	}
}

func TestReadLongTable_ManyErrors_Truncated(t *testing.T) {
	t.Parallel()
	_, err := ReadLongTable("f.csv", strings.NewReader(csvHeader+strings.Repeat("x,A,d,+1\n", maxCellErrors+5)), DeclaredScales{})
	if !strings.HasSuffix(err.Error(), "f.csv: and 5 more") {
		t.Error(err)
	}
}

func TestReadLongTable_ReaderFails(t *testing.T) {
	t.Parallel()
	_, err := ReadLongTable("f.csv", io.MultiReader(strings.NewReader(csvHeader+"x,A,d,1\n"), failingReader{}), DeclaredScales{})
	if !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func FuzzReadLongTable(estimate *testing.F) {
	estimate.Add(csvHeader+"x,A,d,1\nx,B,d,2\ny,A,d,1\n", "")
	estimate.Add("value,cluster,item,annotator,dimension\n3,r,\"x\",A,d\n", "d=1..5")
	estimate.Add("\ufeff"+csvHeader+"x,A,d,1\nx,A,d,1\n", "1..5")
	estimate.Add(csvHeader+"\"x\nA,d,-0\n,,,\n\x00\xff", "d=0..1")
	estimate.Add(csvHeader+"x,A,d,good\nx,B,d,bad\ny,A,d,3\n", "")
	estimate.Add(csvHeader+"x,A,d,low\nx,B,d,high\ny,A,d,middle\n", "d=low,middle,high")
	estimate.Add(csvHeader+"x,A,d,2.50\nx,B,d,-0.125\ny,A,d,3.0\n", "")
	estimate.Add(csvHeader+"x,A,d,0.5\nx,B,d,1\n", "d=0.5,1,1.5")
	estimate.Add(csvHeader+"x,A,d,NaN\nx,B,d,1e3\n", "d=,a")
	estimate.Fuzz(func(t *testing.T, text, scale string) {
		scales, err := ParseDeclaredScales([]string{scale})
		if err != nil {
			scales = DeclaredScales{}
		}
		table, err := ReadLongTable("f.csv", strings.NewReader(text), scales)
		dimensions := table.Dimensions
		if err != nil {
			cellErrors, ok := errors.AsType[CellErrors](err)
			if !ok || len(cellErrors.Errors) == 0 || dimensions != nil {
				t.Fatalf("%T %v with %d dimensions", err, err, len(dimensions))
			}
			for _, cellError := range cellErrors.Errors {
				if cellError.Row < 1 || cellError.Column < 1 || cellError.Message == "" {
					t.Fatalf("a fault without a place: %+v", cellError)
				}
			}
			return
		}
		ratings := 0
		for _, d := range dimensions {
			ratings += d.Table.Ratings()
			if len(d.Table.valueNames) > 0 && len(d.Table.valueNames) != len(d.Table.Scale) || !slices.IsSorted(d.Table.Scale) {
				t.Fatalf("the points %q stand for %v", d.Table.valueNames, d.Table.Scale)
			}
			for _, m := range everyMeasure() {
				if estimate := m.Compute(d.Table); estimate.Value != estimate.Value || estimate.Value > 1+1e-9 {
					t.Fatalf("%s of %s is %v", m.Coefficient, d.Name, estimate.Value)
				}
			}
		}
		if ratings == 0 || ratings > strings.Count(text, "\n")+1 {
			t.Fatalf("%d ratings out of %q", ratings, text)
		}
	})
}

// wordsCSV are one dimension of every kind: declared and not, with numbers among them.
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
		{"declared words in another order, one of them unused", wordsCSV, "tone=good,fair,poor,bad", "good, fair, poor, bad", false},
		{"fractions", csvHeader + "x,A,d,2.50\nx,B,d,10\ny,A,d,-1.25\ny,B,d,2.5\n", "", "-1.25, 2.5, 10", false},
		{"declared fractions", csvHeader + "x,A,d,0.5\nx,B,d,1.0\n", "0.5,1,1.50", "0.5, 1, 1.5", false},
		{"declared numbers with holes", csvHeader + "x,A,d,1\nx,B,d,5\n", "d=1,3,5", "1 3 5", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := readSingleDimension(t, c.text, c.scale)
			if got := d.namedScale().String(); got != c.points || d.Nominal != c.nominal {
				t.Errorf("the points are %q, nominal %v; want %q, %v", got, d.Nominal, c.points, c.nominal)
			}
		})
	}
}

// readSingleDimension reads a file of one dimension.
func readSingleDimension(t *testing.T, text string, declared ...string) Dimension {
	t.Helper()
	scales, err := ParseDeclaredScales(slices.DeleteFunc(declared, func(s string) bool { return s == "" }))
	if err != nil {
		t.Fatal(err)
	}
	table, err := ReadLongTable("f.csv", strings.NewReader(text), scales)
	if err != nil || len(table.Dimensions) != 1 {
		t.Fatalf("%d dimensions, %v", len(table.Dimensions), err)
	}
	return table.Dimensions[0]
}

func TestMeasures_Words_MatchNumbers(t *testing.T) {
	t.Parallel()
	numbers := readSingleDimension(t, strings.NewReplacer("bad", "1", "fair", "2", "good", "3").Replace(wordsCSV), "1..3").Table
	ordered := readSingleDimension(t, wordsCSV, "bad,fair,good").Table
	tenths := readSingleDimension(t, strings.NewReplacer("bad", "0.1", "fair", "0.2", "good", "0.3").Replace(wordsCSV)).Table
	nominal := readSingleDimension(t, wordsCSV).Table
	for _, m := range everyMeasure() {
		want := m.Compute(numbers)
		for name, table := range map[string]RatingTable{"declared words": ordered, "fractions": tenths, "words": nominal} {
			if got := m.Compute(table); got != want && (name != "words" || !m.needsOrder()) {
				t.Errorf("%s %s of %s is %+v, want %+v", m.Coefficient, m.Variant, name, got, want)
			}
		}
	}
}

func TestParseNamedScale_Invalid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"low,,high":     "has a point without a name",
		"low,low":       "twice",
		"1,1.0":         "twice",
		"3,1,2":         "not in order",
		"0,0.0000001,1": "too long",
	} {
		_, err := ParseNamedScale(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
