package importer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
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

func decodeTestCSV(file string) (csvText, error) {
	in, _, err := decodeText(bufio.NewReaderSize(strings.NewReader(file), lineLimit), nil)
	if err != nil {
		return csvText{}, err
	}
	return decodeCSV(in)
}

func TestDecodeCSV_AsSaved(t *testing.T) {
	t.Parallel()
	const text = "id,note\r\n1,\"größer, 😀 1;2;3\"\r\n"
	semicolons, tabs := strings.Replace(text, "id,note\r\n1,", "id;note\r\n1;", 1), strings.Replace(text,
		"id,note\r\n1,", "id\tnote\r\n1\t", 1)
	for name, tt := range map[string]struct {
		file, want string
		delimiter  byte
	}{
		"UTF-8":                    {text, text, ','},
		"UTF-8 with a mark":        {byteOrderMark + text, text, ','},
		"semicolons":               {byteOrderMark + semicolons, semicolons, ';'},
		"UTF-16 LE, tabs":          {encodeUTF16(tabs, "\xff\xfe", binary.LittleEndian), tabs, '\t'},
		"UTF-16 BE":                {encodeUTF16(text, "\xfe\xff", binary.BigEndian), text, ','},
		"UTF-16 LE without a mark": {encodeUTF16(text, "", binary.LittleEndian), text, ','},
		"UTF-16 BE without a mark": {encodeUTF16(text, "", binary.BigEndian), text, ','},
		"half a character":         {"\xff\xfea\x00\x00\xd8b\x00", "a\xffb", ','},
		"half a code unit":         {"\xff\xfea\x00b", "a\xff", ','},
		"line ends of old Macs":    {"id;note\r1;\"a\rb\"\r", "id;note\n1;\"a\rb\"\n", ';'},
		"declared delimiter":       {"sep=;\r\nid,a;b\n", "id,a;b\n", ';'},
		"quoted delimiters":        {"\"a;b;c\",d\n1,2\n", "\"a;b;c\",d\n1,2\n", ','},
		"one column":               {"id\n1\n", "id\n1\n", ','},
		"empty":                    {"", "", ','},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decoded, err := decodeTestCSV(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(decoded.in); err != nil || string(got) != tt.want ||
				decoded.delimiter != tt.delimiter {
				t.Errorf("got %q with %q, %v; want %q with %q", got, decoded.delimiter, err, tt.want, tt.delimiter)
			}
		})
	}
}

func TestDecodeCSV_LongUTF16_KeepsAllCharacters(t *testing.T) {
	t.Parallel()
	text := "id\n" + strings.Repeat("a😀ß\n", lineLimit/4)
	decoded, err := decodeTestCSV(encodeUTF16(text, "\xff\xfe", binary.LittleEndian))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(decoded.in); err != nil || !bytes.Equal(got, []byte(text)) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(text))
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
