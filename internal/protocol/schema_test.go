package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("protocol.schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("protocol.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON returns what an editor would hand to a validator.
func asJSON(t *testing.T, source string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(source), &v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(worded(v))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// worded turns the keys of all mappings into text.
func worded(v any) any {
	switch v := v.(type) {
	case []any:
		return each(v, worded)
	case map[string]any:
		for key := range v {
			v[key] = worded(v[key])
		}
	case map[any]any:
		words := map[string]any{}
		for key := range v {
			words[fmt.Sprint(key)] = worded(v[key])
		}
		return words
	}
	return v
}

func TestSchemaAcceptsWhatTheReaderAccepts(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	sources := append(each(Builtin(), func(p Protocol) string { return p.Source }), small(t))
	for _, source := range sources {
		if err := s.Validate(asJSON(t, source)); err != nil {
			first, _, _ := strings.Cut(source, "\n")
			t.Errorf("%s: %v", first, err)
		}
	}
}

func TestSchemaRefusesWhatItCanSee(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	for _, bad := range badOnes(t) {
		unknown := strings.HasPrefix(bad.name, "an unknown key")
		if unknown && !bad.schema {
			t.Errorf("%s: no unknown key may be left to the reader", bad.name)
		}
		if bad.schema && s.Validate(asJSON(t, bad.source)) == nil {
			t.Errorf("%s: the schema accepts it", bad.name)
		}
	}
}

func TestSchemaAndReaderKnowTheSameKeys(t *testing.T) {
	t.Parallel()
	var document struct {
		Defs map[string]struct {
			Properties map[string]any
			Required   []string
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	for name, def := range document.Defs {
		if _, known := shapes[name]; !known && len(def.Properties) > 0 {
			t.Errorf("the reader knows no %q", name)
		}
	}
	anyOrder := cmpopts.SortSlices(strings.Compare)
	for name, shape := range shapes {
		def := document.Defs[name]
		if diff := cmp.Diff(shape.keys(), slices.Collect(maps.Keys(def.Properties)), anyOrder); diff != "" {
			t.Errorf("keys of %s (-reader +schema)\n%s", name, diff)
		}
		if diff := cmp.Diff(shape.required, def.Required, anyOrder); diff != "" {
			t.Errorf("required keys of %s (-reader +schema)\n%s", name, diff)
		}
	}
}

func TestSchemaAndReaderKeepTheSameLimits(t *testing.T) {
	t.Parallel()
	var document map[string]any
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	for path, limit := range map[string]int{
		"protocol properties facts maxItems":        maxFacts,
		"protocol properties fields maxItems":       maxFields,
		"protocol properties observations maxItems": maxObservations,
		"protocol properties rules maxItems":        maxRules,
		"protocol properties hints maxItems":        maxHints,
		"protocol properties verdicts maxItems":     maxVerdicts,
		"protocol properties guide maxItems":        maxSections,
		"unit properties parts maxItems":            maxParts,
		"field properties scale maxProperties":      maxPoints,
		"field properties tree maxItems":            maxLines,
		"value maximum":                             maxPoints - 1,
		"title maxLength":                           maxTitle,
		"sentence maxLength":                        maxSentence,
		"paragraph maxLength":                       maxParagraph,
	} {
		at := document["$defs"]
		for _, step := range strings.Fields(path) {
			at, _ = at.(map[string]any)[step]
		}
		if at != float64(limit) {
			t.Errorf("%s: the schema says %v, the reader %d", path, at, limit)
		}
	}
}
