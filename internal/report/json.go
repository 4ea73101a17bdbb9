package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// WriteJSON writes the report as one JSON object. It writes long lists row by row,
// because encoding/json would hold the whole text twice to indent it.
func (r Report) WriteJSON(w io.Writer) error {
	out := &objectWriter{w: bufio.NewWriter(w), encoders: map[string]*json.Encoder{}}
	reportValue := reflect.ValueOf(r)
	for _, f := range reflect.VisibleFields(reportValue.Type()) {
		out.writeField(f.Tag.Get("json"), reportValue.FieldByIndex(f.Index))
	}
	out.printf("\n}\n")
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// An objectWriter writes the fields of a JSON object and keeps the first error.
type objectWriter struct {
	w        *bufio.Writer
	text     bytes.Buffer
	encoders map[string]*json.Encoder // by indent, to text
	fields   int
	err      error
}

func (o *objectWriter) printf(format string, args ...any) {
	if o.err == nil {
		_, o.err = fmt.Fprintf(o.w, format, args...)
	}
}

func (o *objectWriter) writeField(key string, value reflect.Value) {
	separator := ",\n"
	if o.fields++; o.fields == 1 {
		separator = "{\n"
	}
	o.printf("%s  %q: ", separator, key)
	length, row := listRows(value)
	if length == 0 {
		o.writeValue(value.Interface(), "  ")
		return
	}
	for i := range length {
		o.printf("%s\n    ", map[bool]string{true: "[", false: ","}[i == 0])
		o.writeValue(row(i), "    ")
	}
	o.printf("\n  ]")
}

// listRows returns the rows of a slice or a List, none for another value.
func listRows(value reflect.Value) (length int, row func(i int) any) {
	if l, ok := value.Interface().(interface {
		Len() int
		AnyAt(i int) any
	}); ok {
		return l.Len(), l.AnyAt
	}
	if value.Kind() != reflect.Slice {
		return 0, nil
	}
	return value.Len(), func(i int) any { return value.Index(i).Interface() }
}

// writeValue writes one value with its inner lines indented.
func (o *objectWriter) writeValue(value any, indent string) {
	if o.err != nil {
		return
	}
	o.text.Reset()
	if row, ok := value.(jsonRow); ok {
		if text, ok := row.appendJSON(o.text.AvailableBuffer(), indent); ok {
			_, o.err = o.w.Write(text)
			return
		}
	}
	if o.encoders[indent] == nil {
		o.encoders[indent] = json.NewEncoder(&o.text)
		o.encoders[indent].SetEscapeHTML(false)
		o.encoders[indent].SetIndent(indent, "  ")
	}
	if o.err = o.encoders[indent].Encode(value); o.err == nil {
		_, o.err = o.w.Write(bytes.TrimSuffix(o.text.Bytes(), []byte("\n")))
	}
}
