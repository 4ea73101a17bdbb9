package importer

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
)

// encodeUTF16 returns text as UTF-16 after a mark.
func encodeUTF16(text, mark string, order binary.AppendByteOrder) string {
	file := []byte(mark)
	for _, unit := range utf16.Encode([]rune(text)) {
		file = order.AppendUint16(file, unit)
	}
	return string(file)
}

// Characters at the ends of buffers are whole.
func TestReadItems_LongUTF16_SameItems(t *testing.T) {
	t.Parallel()
	file := strings.ReplaceAll(csvWithRows("id,user_statement,response\n", 60_000), ",a,", ",a😀ß,")
	want := readValidItems(t, "empathy", "a.csv", file)
	got := readValidItems(t, "empathy", "a.csv", encodeUTF16(file, "\xff\xfe", binary.LittleEndian))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d items, want the %d of UTF-8", len(got), len(want))
	}
}

// Blank rows of every length are left out, and rows after them keep their numbers.
func TestReadItems_BlankRows_RowsKeepTheirLines(t *testing.T) {
	t.Parallel()
	blank := strings.Repeat(",,\n", 3000) + strings.Repeat(" , ,\r\n", 2000) + strings.Repeat(",", 3000) + "\n\n"
	items, err := ReadItems(builtinProtocol(t, "empathy"), "a.csv", strings.NewReader("id,user_statement,response\n"+
		blank+"1,s,r\n"+blank+"2,s,r"))
	if err != nil || len(items) != 2 || items[0].Row != 5004 || items[1].Row != 10007 {
		t.Errorf("%+v, %v", items, err)
	}
}
