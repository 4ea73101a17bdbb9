package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the report as one indented JSON object.
func (r Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// ReadJSON returns the report that WriteJSON wrote, without the ids of items.
func ReadJSON(text []byte) (r Report, err error) {
	err = json.Unmarshal(text, &r)
	r.restoreLimits()
	return r, err
}

// restoreLimits restores what the JSON of a report has only as text.
func (r *Report) restoreLimits() {
	for i := range r.Fields {
		r.Fields[i].Kappa.Number = r.Fields[i].Kappa.Against(r.Fields[i].Target)
	}
}
