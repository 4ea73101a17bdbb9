package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// WriteJSON writes the report as one JSON object. Long lists are written row by
// row: encoding/json would hold all of the text at once, and twice to indent it.
func (r Report) WriteJSON(w io.Writer) error {
	out := &object{w: bufio.NewWriter(w)}
	of := reflect.ValueOf(r)
	for _, f := range reflect.VisibleFields(of.Type()) {
		out.field(f.Tag.Get("json"), of.FieldByIndex(f.Index))
	}
	out.says("\n}\n")
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// An object is being written; the first error ends it.
type object struct {
	w      *bufio.Writer
	text   bytes.Buffer
	fields int
	err    error
}

func (o *object) says(format string, args ...any) {
	if o.err == nil {
		_, o.err = fmt.Fprintf(o.w, format, args...)
	}
}

func (o *object) field(key string, value reflect.Value) {
	before := ",\n"
	if o.fields++; o.fields == 1 {
		before = "{\n"
	}
	o.says("%s  %q: ", before, key)
	if value.Kind() != reflect.Slice || value.Len() == 0 {
		o.value(value, "  ")
		return
	}
	for i := range value.Len() {
		o.says("%s\n    ", map[bool]string{true: "[", false: ","}[i == 0])
		o.value(value.Index(i), "    ")
	}
	o.says("\n  ]")
}

// value writes one value, what is within it set in.
func (o *object) value(value reflect.Value, in string) {
	if o.err != nil {
		return
	}
	o.text.Reset()
	encoder := json.NewEncoder(&o.text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(in, "  ")
	if o.err = encoder.Encode(value.Interface()); o.err == nil {
		_, o.err = o.w.Write(bytes.TrimSuffix(o.text.Bytes(), []byte("\n")))
	}
}
