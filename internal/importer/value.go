package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A value is a JSON value or the text of a CSV cell.
type value struct {
	kind     jsontext.Kind // '"', '0', '{', '[', 't', 'f' or 'n'
	text     string        // of a string, or the digits of a number
	list     []value
	members  []member
	raw      []byte // verbatim JSON, valid until the next line is read; nil: a CSV cell
	reported bool   // an error of the text itself has been added
}

// A member is a key of an object, or a column of a row, with its value.
type member struct {
	key string
	value
}

func (v value) is(kind jsontext.Kind) bool { return v.kind == kind }

// json returns v as JSON, verbatim if it was JSON.
func (v value) json() json.RawMessage { return v.appendJSON(nil) }

func (v value) appendJSON(text []byte) []byte {
	switch {
	case v.raw != nil:
		return append(text, v.raw...)
	case v.is('['):
		text = append(text, '[')
		for i, element := range v.list {
			if i > 0 {
				text = append(text, ',')
			}
			text = element.appendJSON(text)
		}
		return append(text, ']')
	case v.is('{'):
		text = append(text, '{')
		for i, m := range v.members {
			if i > 0 {
				text = append(text, ',')
			}
			text, _ = jsontext.AppendQuote(text, m.key) // the reader has ensured UTF-8
			text = m.appendJSON(append(text, ':'))
		}
		return append(text, '}')
	case v.is('n'):
		return append(text, "null"...)
	}
	text, _ = jsontext.AppendQuote(text, v.text) // checkText has ensured UTF-8
	return text
}

// clone returns v without memory of the line that it was read from.
func (v value) clone() value {
	v.raw, v.list, v.members = bytes.Clone(v.raw), slices.Clone(v.list), slices.Clone(v.members)
	for i := range v.list {
		v.list[i] = v.list[i].clone()
	}
	for i := range v.members {
		v.members[i].value = v.members[i].clone()
	}
	return v
}

// describe returns the type of v for messages.
func (v value) describe() fault.Text {
	switch v.kind {
	case '"':
		return fault.Text("text")
	case '0':
		return fault.Text("a number")
	case '{':
		return fault.Text("an object")
	case '[':
		return fault.Text("a list")
	case 'n':
		return fault.Text("null")
	}
	return fault.Text("true or false")
}

// A location is the path to a value in a row, such as chunks[3].text. nil is the row.
type location struct {
	parent    *location
	key       string
	elementNo int // in a list, from 1; 0: a key
}

func topLocation(key string) *location         { return (*location)(nil).child(key) }
func (l *location) child(key string) *location { return &location{l, key, 0} }
func (l *location) element(i int) *location    { return &location{l, "", i + 1} }

// String returns l as shown in errors. Only the last levels of a deep path are shown.
func (l *location) String() string {
	const maxDepth = 8
	text := ""
	for range maxDepth {
		switch {
		case l == nil:
			return text
		case l.elementNo > 0:
			text = "[" + strconv.Itoa(l.elementNo) + "]" + text
		case l.parent == nil:
			return l.key + text
		default:
			text = "." + l.key + text
		}
		l = l.parent
	}
	return "…" + text
}

// errAborted ends the reading of a row or file after its error has been added.
var errAborted = errors.New("reading aborted")

// A jsonReader reads one line of JSON strictly. Invalid values are reported to addError;
// returned errors are syntax errors or errAborted.
type jsonReader struct {
	decoder    *jsontext.Decoder
	original   []byte // as it was written
	line       []byte // with numbers in quotes that JSON or the database does not have
	quotedAt   []int  // where these quotes start
	valueCount int
	maxValues  int
	addError   func(at *location, format string, args ...any)
}

func newJSONReader(line []byte, addError func(*location, string, ...any)) *jsonReader {
	r := &jsonReader{original: line, maxValues: valueLimit, addError: addError}
	r.line, r.quotedAt = quoteNumbers(line)
	// Invalid UTF-8 and duplicate keys are reported below, with their location.
	r.decoder = jsontext.NewDecoder(bytes.NewBuffer(r.line), jsontext.AllowInvalidUTF8(true),
		jsontext.AllowDuplicateNames(true))
	return r
}

// trailing returns the text after the value that was read.
func (r *jsonReader) trailing() []byte {
	return bytes.Trim(r.line[r.decoder.InputOffset():], " \t\r\n")
}

func (r *jsonReader) readValue(loc *location, depth int) (value, error) {
	if r.valueCount++; r.valueCount > r.maxValues {
		r.addError(nil, "This record has more than %s values. Remove those that are not needed.",
			formatCount(r.maxValues))
		return value{}, errAborted
	}
	kind := r.decoder.PeekKind()
	if kind != '{' && kind != '[' {
		return r.readScalar(loc)
	}
	if depth > depthLimit {
		r.addError(nil, "Lists and objects are nested more than %d deep. Flatten them.", depthLimit)
		return value{}, errAborted
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return value{}, err
	}
	start := r.decoder.InputOffset() - 1
	v, err := r.readContents(kind, loc, depth)
	v.kind, v.raw = kind, r.line[start:r.decoder.InputOffset()]
	return v, err
}

// readContents reads the contents of an object or list, and its end.
func (r *jsonReader) readContents(kind jsontext.Kind, loc *location, depth int) (v value, err error) {
	if kind == '{' {
		v.members, err = r.readMembers(loc, depth)
	} else {
		v.list, err = r.readList(loc, depth)
	}
	if err == nil {
		_, err = r.decoder.ReadToken()
	}
	return v, err
}

func (r *jsonReader) readList(loc *location, depth int) (list []value, err error) {
	for r.decoder.PeekKind() != ']' {
		v, err := r.readValue(loc.element(len(list)), depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (r *jsonReader) readMembers(loc *location, depth int) (members []member, err error) {
	seen := map[string]bool{}
	for r.decoder.PeekKind() != '}' {
		name, err := r.readScalar(loc)
		if err != nil {
			return nil, err
		}
		if seen[name.text] {
			r.addError(loc.child(name.text), "This key occurs twice in the object. Keep one.")
		}
		seen[name.text] = true
		v, err := r.readValue(loc.child(name.text), depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name.text, v})
	}
	return members, nil
}

// readScalar reads and checks a string, number, true, false or null.
func (r *jsonReader) readScalar(loc *location) (value, error) {
	raw, err := r.decoder.ReadValue()
	if err != nil {
		return value{}, err
	}
	end := int(r.decoder.InputOffset())
	v := value{kind: raw.Kind(), raw: r.line[end-len(raw) : end]}
	problem := ""
	switch v.kind {
	case '"':
		v.text, problem = unquote(v.raw)
	case '0':
		if len(v.raw) > maxNumberLength {
			problem = "This number has more than " + formatCount(maxNumberLength) +
				" characters. Write it as text, in quotes."
		} else {
			v.text = string(v.raw)
		}
	}
	if _, isNumber := slices.BinarySearch(r.quotedAt, end-len(raw)); isNumber {
		if v.kind = '0'; strings.HasSuffix(v.text, "NaN") || strings.HasSuffix(v.text, "Infinity") {
			v.kind, v.text = 'n', ""
		}
	}
	if v.reported = problem != ""; v.reported {
		r.addError(loc, "%s", problem)
	}
	return v, nil
}

// unquote returns the text of a JSON string, or what is wrong with it.
func unquote(raw []byte) (text, problem string) {
	if problem := checkText(string(raw[1 : len(raw)-1])); problem != "" {
		return "", problem
	}
	if escape := plaintext.FindLoneSurrogate(raw); escape != "" {
		return "", "The escape " + escape + " is half of a character. Write the whole character or remove it."
	}
	decoded, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", "This text cannot be decoded. Write it again."
	}
	return string(decoded), checkText(string(decoded))
}

// isTruncated reports whether the line ended too early.
func isTruncated(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}
