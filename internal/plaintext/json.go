package plaintext

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// CheckJSON rejects JSON of which a part would be lost or changed: keys that are there twice, and texts that are not
// UTF-8, have half of a character, or a null character. The error names the place as a JSON pointer. What is not
// JSON at all is left to the decoder.
func CheckJSON(body []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowInvalidUTF8(true))
	for {
		switch kind := d.PeekKind(); kind {
		case '{', '[', '}', ']':
			if _, err := d.ReadToken(); err != nil {
				return nil
			}
		default:
			raw, err := d.ReadValue()
			if syntaxErr, ok := errors.AsType[*jsontext.SyntacticError](err); ok &&
				errors.Is(err, jsontext.ErrDuplicateName) {
				return fmt.Errorf("the key at %q is there twice; keep one of the two", syntaxErr.JSONPointer)
			}
			if err != nil {
				return nil
			}
			if problem := findTextProblem(kind, raw); problem != "" {
				return fmt.Errorf("the text at %q %s", d.StackPointer(), problem)
			}
		}
	}
}

// findTextProblem returns why a JSON text cannot be stored as it is, or "".
func findTextProblem(kind jsontext.Kind, raw jsontext.Value) string {
	if kind != '"' {
		return ""
	}
	if !utf8.Valid(raw) {
		return "is not UTF-8; send it as UTF-8"
	}
	if escape := FindLoneSurrogate(raw); escape != "" {
		return "has the escape " + escape + ", which is half of a character; send the whole character"
	}
	if text, err := jsontext.AppendUnquote(nil, raw); err == nil && bytes.IndexByte(text, 0) >= 0 {
		return "has a null character; remove it"
	}
	return ""
}

// FindLoneSurrogate returns the first escape of an unpaired surrogate in a valid JSON
// string, or "".
func FindLoneSurrogate(raw []byte) string {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		switch unit := parseCodeUnit(raw[i+1:]); {
		case unit < 0xd800 || unit > 0xdfff:
			i += 4
		case unit < 0xdc00 && startsLowSurrogate(raw[i+5:]):
			i += 10
		default:
			return string(raw[i-1 : i+5])
		}
	}
	return ""
}

func startsLowSurrogate(raw []byte) bool {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return false
	}
	unit := parseCodeUnit(raw[2:])
	return unit >= 0xdc00 && unit <= 0xdfff
}

func parseCodeUnit(raw []byte) uint64 {
	unit, _ := strconv.ParseUint(string(raw[:4]), 16, 32) // of a valid string
	return unit
}
