package importer

import (
	"bufio"
	"bytes"
	"path"
	"strings"
)

// A fileFormat is how rows are written in an uploaded file.
type fileFormat string

const (
	formatCSV     fileFormat = "csv"
	formatJSONL   fileFormat = "jsonl"
	formatJSON    fileFormat = "json"
	formatParquet fileFormat = "parquet"
)

// fileReaders pass the rows of a file to a builder.
var fileReaders = map[fileFormat]func(*bufio.Reader, *builder) error{
	formatCSV: readCSV, formatJSONL: readJSONL, formatJSON: readJSON, formatParquet: readParquet,
}

const (
	gzipSignature    = "\x1f\x8b"
	parquetSignature = "PAR1"
)

// formatOf returns the format of a file that starts with head. The name "-", and one without
// an extension, leave it to the content.
func formatOf(name string, head []byte) fileFormat {
	if format := formatFromName(name); format != "" && name != stdinName {
		return format
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(head), byteOrderMark), " \t\r\n")
	switch {
	case isUTF32(head):
		return utf32Message
	case strings.HasPrefix(text, parquetSignature):
		return formatParquet
	case strings.HasPrefix(text, "["):
		return formatJSON
	case strings.HasPrefix(text, "{"):
		if checkJSONLines(text) != "" {
			return formatJSON
		}
		return formatJSONL
	}
	return formatCSV
}

// formatFromName returns the format given by the extension of a file name. It may be one
// that cannot be read.
func formatFromName(name string) fileFormat {
	format := fileFormat(strings.TrimPrefix(strings.ToLower(path.Ext(name)), "."))
	switch format {
	case "ndjson", "jsonlines":
		return formatJSONL
	case "tsv":
		return formatCSV
	}
	return format
}

// fileSignatures are the first bytes of file types that are often uploaded by mistake.
var fileSignatures = []struct{ prefix, message string }{
	{"PK\x03\x04", "This is a zip archive or a workbook such as .xlsx. Unpack it, or save the sheet as CSV (UTF-8). Write a log of Inspect (.eval) as JSON with: inspect log dump."},
	{"PK\x05\x06", "This is an empty zip archive. Use the file itself."},
	{"\xd0\xcf\x11\xe0", "This is an old Office file such as .xls. Save the sheet as CSV (UTF-8)."},
	{"%PDF-", "This is a PDF. Use a CSV or JSONL file."},
	{"{\\rtf", "This is a text document (RTF). Use a CSV or JSONL file."},
	{"SQLite format 3\x00", "This is a database file. Use a CSV or JSONL file."},
	{gzipSignature, "This is a gzip archive inside of another one. Unpack it once."},
	{"\x28\xb5\x2f\xfd", "This is a zstd archive. Unpack it first."},
	{"\xfd7zXZ\x00", "This is an xz archive. Unpack it first."},
	{"BZh91AY&SY", "This is a bzip2 archive. Unpack it first."},
	{"7z\xbc\xaf\x27\x1c", "This is a 7z archive. Unpack it first."},
	{"\xff\xfe\x00\x00", utf32Message},
	{"\x00\x00\xfe\xff", utf32Message},
	{"version https://git-lfs.github.com/spec/",
		"This is a pointer of Git LFS, not the file itself. Fetch the file with “git lfs pull” and import it again."},
}

const utf32Message = "This file is UTF-32. Save it as UTF-8."

// checkFileType returns why a file that starts with head cannot be read as format, or "".
func checkFileType(head []byte, format fileFormat) string {
	for _, signature := range fileSignatures {
		if bytes.HasPrefix(head, []byte(signature.prefix)) {
			return signature.message
		}
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(head), byteOrderMark), " \t\r\n")
	switch {
	case isUTF32(head):
		return utf32Message
	case fileReaders[format] == nil:
		return "The file name must end in .csv, .tsv, .jsonl, .ndjson, .json or .parquet, perhaps with .gz. Convert the file or rename it."
	case format == formatParquet && !strings.HasPrefix(string(head), parquetSignature):
		return "The file name ends in .parquet, but this is not a Parquet file."
	case format == formatParquet:
		return ""
	case strings.HasPrefix(string(head), parquetSignature):
		return "This is a Parquet file. Give its name the extension .parquet."
	case text == "":
		return "The file is empty. Use a file with at least one row."
	case isMarkup(text):
		return "This is HTML or XML, perhaps a saved sign-in page. Use a CSV or JSONL file."
	case format == formatCSV:
		return checkNotJSON(text)
	case format == formatJSON:
		return checkJSON(text)
	}
	return checkJSONLines(text)
}

// isUTF32 reports whether head starts with two letters of UTF-32 without a mark.
func isUTF32(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	isLetter := func(b []byte) bool { return b[0] != 0 && b[1] == 0 && b[2] == 0 && b[3] == 0 }
	isReversed := func(b []byte) bool { return b[0] == 0 && b[1] == 0 && b[2] == 0 && b[3] != 0 }
	return isLetter(head[:4]) && isLetter(head[4:8]) || isReversed(head[:4]) && isReversed(head[4:8])
}

func isMarkup(text string) bool {
	start := strings.ToLower(text[:min(len(text), 14)])
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html") ||
		strings.HasPrefix(start, "<?xml")
}

func checkJSON(text string) string {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return "The file name ends in .json, but the content is neither a list nor an object."
	}
	return ""
}

func checkNotJSON(text string) string {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimLeft(rest, " \t\r\n")
	}
	if strings.HasPrefix(text, "{") && strings.HasPrefix(strings.TrimLeft(text[1:], " \t\r\n"), `"`) {
		return "This is JSON, not CSV. Save it as .jsonl with one object per line."
	}
	return ""
}

func checkJSONLines(text string) string {
	first, _, hasMore := strings.Cut(text, "\n")
	switch first = strings.TrimRight(first, " \t\r"); {
	case strings.HasPrefix(text, "["):
		return "This is a JSON list. Write one object per line, without the brackets and commas between them."
	case !strings.HasPrefix(text, "{"):
		return "The first line is not a JSON object. If the file is CSV, rename it to .csv."
	case hasMore && first == "{":
		return "An object spans several lines. Write each object on one line."
	}
	return ""
}
