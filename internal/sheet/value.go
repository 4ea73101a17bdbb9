package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A value is one JSON value, or one cell of CSV as a text.
type value struct {
	kind    jsontext.Kind // '"', '0', '{', '[', 't', 'f' or 'n'
	text    string        // of a string
	list    []value
	members []member
	raw     []byte // as written; valid until the next line is read
	told    bool   // a fault of the text itself is in the ledger
}

// A member is one key of an object, or one column of a row, with its value.
type member struct {
	key string
	value
}

func (v value) is(kind jsontext.Kind) bool { return v.kind == kind }

// json returns v as it was written.
func (v value) json() json.RawMessage {
	if v.raw == nil {
		quoted, _ := jsontext.AppendQuote(nil, v.text) // cells are UTF-8 by now
		return json.RawMessage(quoted)
	}
	return slices.Clone(v.raw)
}

// noun returns what v is, for sentences.
func (v value) noun() string {
	switch v.kind {
	case '"':
		return "a text"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 'n':
		return "null"
	}
	return "true or false"
}

// A place leads to a value in a row, as chunks[3].text. A nil place is the row.
type place struct {
	up    *place
	key   string
	index int // in a list, from 1; 0: a key
}

func top(key string) *place           { return (*place)(nil).at(key) }
func (p *place) at(key string) *place { return &place{p, key, 0} }
func (p *place) nth(i int) *place     { return &place{p, "", i + 1} }

// String returns p as faults name it. Deep places are cut, for they may be long.
func (p *place) String() string {
	const deepest = 8
	text := ""
	for range deepest {
		switch {
		case p == nil:
			return text
		case p.index > 0:
			text = "[" + strconv.Itoa(p.index) + "]" + text
		case p.up == nil:
			return p.key + text
		default:
			text = "." + p.key + text
		}
		p = p.up
	}
	return "…" + text
}

// errLost ends the reading of a row whose fault is already in the ledger.
var errLost = errors.New("the row cannot be read on")

// A walker reads one line of JSON strictly. What is wrong with a value goes to
// tell; errors are of the syntax, or errLost.
type walker struct {
	decoder *jsontext.Decoder
	line    []byte
	values  int
	tell    func(at *place, format string, args ...any)
}

func newWalker(line []byte, tell func(*place, string, ...any)) *walker {
	return &walker{
		// Bad UTF-8 and keys said twice pass here and are told below, at
		// their place.
		decoder: jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)),
		line:    line, tell: tell,
	}
}

// rest returns what follows the value read.
func (w *walker) rest() []byte {
	return bytes.Trim(w.line[w.decoder.InputOffset():], " \t\r\n")
}

func (w *walker) value(at *place, depth int) (value, error) {
	if w.values++; w.values > ValueLimit {
		w.tell(nil, "This line holds more than %s values. Leave out what is not needed.", thousands(ValueLimit))
		return value{}, errLost
	}
	kind := w.decoder.PeekKind()
	if kind != '{' && kind != '[' {
		return w.scalar(at)
	}
	if depth > DepthLimit {
		w.tell(nil, "Lists and objects lie more than %d deep in each other. Flatten them.", DepthLimit)
		return value{}, errLost
	}
	if _, err := w.decoder.ReadToken(); err != nil {
		return value{}, err
	}
	start := w.decoder.InputOffset() - 1
	v, err := w.inside(kind, at, depth)
	v.kind, v.raw = kind, w.line[start:w.decoder.InputOffset()]
	return v, err
}

// inside reads what an object or list holds, and its end.
func (w *walker) inside(kind jsontext.Kind, at *place, depth int) (v value, err error) {
	if kind == '{' {
		v.members, err = w.members(at, depth)
	} else {
		v.list, err = w.list(at, depth)
	}
	if err == nil {
		_, err = w.decoder.ReadToken()
	}
	return v, err
}

func (w *walker) list(at *place, depth int) (list []value, err error) {
	for w.decoder.PeekKind() != ']' {
		v, err := w.value(at.nth(len(list)), depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (w *walker) members(at *place, depth int) (members []member, err error) {
	seen := map[string]bool{}
	for w.decoder.PeekKind() != '}' {
		name, err := w.scalar(at)
		if err != nil {
			return nil, err
		}
		if seen[name.text] {
			w.tell(at.at(name.text), "This key stands twice in one object. Keep one.")
		}
		seen[name.text] = true
		v, err := w.value(at.at(name.text), depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name.text, v})
	}
	return members, nil
}

// scalar reads a string, a number, true, false or null, and judges it.
func (w *walker) scalar(at *place) (value, error) {
	raw, err := w.decoder.ReadValue()
	if err != nil {
		return value{}, err
	}
	end := w.decoder.InputOffset()
	v := value{kind: raw.Kind(), raw: w.line[end-int64(len(raw)) : end]}
	says := ""
	switch v.kind {
	case '"':
		v.text, says = unquote(v.raw)
	case '0':
		says = lossy(string(v.raw))
	}
	if v.told = says != ""; v.told {
		w.tell(at, "%s", says)
	}
	return v, nil
}

// unquote returns the text of a JSON string, and what is wrong with it.
func unquote(raw []byte) (text, says string) {
	if says := flaw(string(raw[1 : len(raw)-1])); says != "" {
		return "", says
	}
	if escape := loneSurrogate(raw); escape != "" {
		return "", "The escape " + escape + " is half of a character. Write the whole character, or take it out."
	}
	decoded, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", "This text cannot be decoded. Write it anew."
	}
	return string(decoded), flaw(string(decoded))
}

// cut reports whether err says that the line ended too early.
func cut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }
