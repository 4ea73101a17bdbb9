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
	out := &objectWriter{w: bufio.NewWriter(w)}
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
	w      *bufio.Writer
	text   bytes.Buffer
	fields int
	err    error
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
	if value.Kind() != reflect.Slice || value.Len() == 0 {
		o.writeValue(value, "  ")
		return
	}
	for i := range value.Len() {
		o.printf("%s\n    ", map[bool]string{true: "[", false: ","}[i == 0])
		o.writeValue(value.Index(i), "    ")
	}
	o.printf("\n  ]")
}

// writeValue writes one value with its inner lines indented.
func (o *objectWriter) writeValue(value reflect.Value, indent string) {
	if o.err != nil {
		return
	}
	o.text.Reset()
	encoder := json.NewEncoder(&o.text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(indent, "  ")
	if o.err = encoder.Encode(value.Interface()); o.err == nil {
		_, o.err = o.w.Write(bytes.TrimSuffix(o.text.Bytes(), []byte("\n")))
	}
}
