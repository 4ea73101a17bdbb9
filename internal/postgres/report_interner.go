package postgres

import "encoding/json"

// An interner stores equal values of many rows once: a million labels have a few
// thousand different answers.
type interner[T any] map[string]T

// get returns the value that parse returns for text. It parses each text once.
func (s interner[T]) get(text []byte, parse func([]byte) (T, error)) (T, error) {
	if known, ok := s[string(text)]; ok {
		return known, nil
	}
	value, err := parse(text)
	if err == nil {
		s[string(text)] = value
	}
	return value, err
}

func parseJSON[T any](text []byte) (value T, err error) {
	err = json.Unmarshal(text, &value)
	return value, err
}

func parseText(text []byte) (string, error) { return string(text), nil }
