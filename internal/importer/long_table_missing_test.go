package importer

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats"
)

// A table is read as spreadsheets and programs save it; a value that is missing is left out.
func TestReadLongTable_AsSaved_MissingLeftOut(t *testing.T) {
	t.Parallel()
	file := "item,annotator,dimension,value\n1,a,d,1\n1,b,d,2\n"
	for _, missing := range []string{"NA", "N/A", "null", "NaN", "inf", "-inf"} {
		file += missing + ",a,d," + missing + "\n"
	}
	for name, content := range map[string]string{"UTF-8": file, "UTF-16": encodeUTF16(file, "\xff\xfe", binary.LittleEndian), "gzip": zip(t, file)} {
		table, err := ReadLongTable("f.csv", strings.NewReader(content), stats.DeclaredScales{})
		if err != nil || len(table.Dimensions) != 1 {
			t.Errorf("%s: %+v, %v", name, table, err)
		}
	}
}
