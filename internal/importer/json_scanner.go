package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A jsonScanner cuts the values out of a JSON file, so that only one of them is in memory. It tells
// strings from brackets; jsonReader then checks each value.
type jsonScanner struct {
	in  *bufio.Reader
	pos position // of the next character
	raw []byte   // of the last value; valid until the next one
}

// A position is a place in a text: a line, and a character on it, both from 1.
type position struct{ line, column int }

// after returns the position after text.
func (p position) after(text []byte) position {
	for len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		p.column++
		if text[0] == '\n' {
			p = position{p.line + 1, 1}
		}
		text = text[size:]
	}
	return p
}

var (
	errRecordTooLarge = errors.New("the record is too large")
	errNotJSON        = errors.New("this is not valid JSON")
)

func (s *jsonScanner) readByte() (byte, error) {
	b, err := s.in.ReadByte()
	switch {
	case err != nil:
	case b == '\n':
		s.pos = position{s.pos.line + 1, 1}
	case utf8.RuneStart(b):
		s.pos.column++
	}
	return b, err
}

// peek returns the first byte of the next value or sign, after spaces.
func (s *jsonScanner) peek() (byte, error) {
	for {
		next, err := s.in.Peek(1)
		if len(next) == 0 {
			return 0, err
		}
		if !isJSONSpace(next[0]) {
			return next[0], nil
		}
		if _, err := s.readByte(); err != nil {
			return 0, err
		}
	}
}

func isJSONSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// accept reads the next byte if it is want.
func (s *jsonScanner) accept(want byte) (bool, error) {
	b, err := s.peek()
	if err == nil && b == want {
		_, err = s.readByte()
		return err == nil, err
	}
	return false, err
}

// readValue reads the next value into s.raw, up to recordLimit bytes.
func (s *jsonScanner) readValue() error {
	s.raw = s.raw[:0]
	return s.scanValue(func(b byte) error {
		if len(s.raw) == recordLimit {
			return errRecordTooLarge
		}
		s.raw = append(s.raw, b)
		return nil
	})
}

func (s *jsonScanner) skipValue() error {
	return s.scanValue(func(byte) error { return nil })
}

// scanValue passes the bytes of the next value to keep.
func (s *jsonScanner) scanValue(keep func(byte) error) error {
	first, err := s.peek()
	if err != nil || bytes.IndexByte([]byte(",]}:"), first) >= 0 { // no value starts so
		return orNotJSON(err)
	}
	isText, isEscaped, depth := false, false, 0
	for {
		if isScalar := !isText && depth == 0 && first != '"' && first != '{' && first != '['; isScalar {
			next, err := s.in.Peek(1)
			if len(next) == 0 && errors.Is(err, io.EOF) || len(next) > 0 && (isJSONSpace(next[0]) ||
				bytes.IndexByte([]byte(",]}"), next[0]) >= 0) {
				return nil
			}
		}
		b, err := s.readByte()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err == nil {
			err = keep(b)
		}
		if err != nil {
			return err
		}
		switch {
		case isEscaped:
			isEscaped = false
		case isText && b == '\\':
			isEscaped = true
		case b == '"':
			isText = !isText
		case isText:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
		if depth == 0 && !isText && (first == '"' || first == '{' || first == '[') {
			return nil
		}
	}
}

// restart makes the scanner read again from start, where the value began whose first bytes are in
// s.raw.
func (s *jsonScanner) restart(start position) {
	s.in = bufio.NewReader(io.MultiReader(bytes.NewReader(s.raw), s.in))
	s.raw, s.pos = nil, start
}

// elements reads a list, or the values of an object with their keys. each reads one value.
func (s *jsonScanner) elements(each func(key string) error) error {
	open, err := s.readByte()
	if err != nil {
		return err
	}
	closing := byte(']')
	if open == '{' {
		closing = '}'
	}
	for isFirst := true; ; isFirst = false {
		if isEnd, err := s.accept(closing); isEnd || err != nil {
			return err
		}
		if !isFirst {
			if isComma, err := s.accept(','); err != nil || !isComma {
				return orNotJSON(err)
			}
		}
		key := ""
		if open == '{' {
			if key, err = s.readKey(); err != nil {
				return err
			}
		}
		if b, err := s.peek(); err != nil || b == ',' || b == ']' || b == '}' || b == ':' {
			return orNotJSON(err)
		}
		if err := each(key); err != nil {
			return err
		}
	}
}

func (s *jsonScanner) readKey() (string, error) {
	if b, err := s.peek(); err != nil || b != '"' {
		return "", orNotJSON(err)
	}
	if err := s.readValue(); err != nil {
		return "", err
	}
	key, err := jsontext.AppendUnquote(nil, s.raw)
	if err != nil {
		return "", errNotJSON
	}
	isColon, err := s.accept(':')
	if err != nil || !isColon {
		return "", orNotJSON(err)
	}
	return string(key), nil
}

func orNotJSON(err error) error {
	if err == nil {
		return errNotJSON
	}
	return err
}

// visit reads a value. It calls read at the value that path, of keys and elements, leads to, and outside at
// values that are not on the way there, with their general paths.
func (s *jsonScanner) visit(path, general string, read func() error, outside func(general string) error) error {
	if path == "" {
		return read()
	}
	b, err := s.peek()
	switch {
	case err != nil:
		return err
	case b != '{' && b != '[':
		return outside(general)
	}
	elementNo, isFound := -1, false
	return s.elements(func(key string) error {
		elementNo++
		rest, ok := cutKey(path, key)
		inner := childKey(general, key)
		if b == '[' {
			rest, ok = cutIndex(path, elementNo)
			inner = general + "[]"
		}
		if !ok || isFound {
			return outside(inner)
		}
		isFound = true
		return s.visit(rest, inner, read, outside)
	})
}

// visitLeaves calls visit with the general path of each value in the next one, as walkLeaves does. What is nested
// too deep counts as one.
func (s *jsonScanner) visitLeaves(general string, depth int, visit func(general string)) error {
	b, err := s.peek()
	if err != nil {
		return err
	}
	if b != '{' && b != '[' || depth == depthLimit {
		visit(general)
		return s.skipValue()
	}
	isEmpty := true
	err = s.elements(func(key string) error {
		isEmpty = false
		inner := childKey(general, key)
		if b == '[' {
			inner = general + "[]"
		}
		return s.visitLeaves(inner, depth+1, visit)
	})
	if isEmpty {
		visit(general)
	}
	return err
}
