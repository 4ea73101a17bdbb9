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

func compileSchema(t *testing.T) *jsonschema.Schema {
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

// yamlToJSON converts source as an editor does for a validator.
func yamlToJSON(t *testing.T, source string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(source), &v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(stringKeys(v))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// stringKeys converts the keys of all mappings to strings.
func stringKeys(v any) any {
	switch v := v.(type) {
	case []any:
		return mapSlice(v, stringKeys)
	case map[string]any:
		for key := range v {
			v[key] = stringKeys(v[key])
		}
	case map[any]any:
		result := map[string]any{}
		for key := range v {
			result[fmt.Sprint(key)] = stringKeys(v[key])
		}
		return result
	}
	return v
}

func TestSchema_ValidDefinitions_Accepted(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	sources := append(mapSlice(Builtin(), func(p Protocol) string { return p.Source }), readSmall(t))
	for _, source := range sources {
		if err := s.Validate(yamlToJSON(t, source)); err != nil {
			first, _, _ := strings.Cut(source, "\n")
			t.Errorf("%s: %v", first, err)
		}
	}
}

func TestSchema_InvalidDefinitions_Rejected(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	for _, test := range invalidCases(t) {
		isUnknownKey := strings.HasPrefix(test.name, "unknown key")
		if isUnknownKey && !test.failsSchema {
			t.Errorf("%s: the schema must reject unknown keys", test.name)
		}
		if test.failsSchema && s.Validate(yamlToJSON(t, test.source)) == nil {
			t.Errorf("%s: the schema accepts it", test.name)
		}
	}
}

func TestSchema_KeysMatchReader(t *testing.T) {
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
			t.Errorf("the reader has no %q", name)
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

func TestSchema_LimitsMatchReader(t *testing.T) {
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
		"protocol properties examples maxItems":     maxExamples,
		"chunk properties rank maximum":             maxExampleList,
		"itemText maxLength":                        maxExampleText,
		"unit properties parts maxItems":            maxParts,
		"field properties scale maxProperties":      maxPoints,
		"field properties tree maxItems":            maxTexts,
		"value maximum":                             maxPoints - 1,
		"title maxLength":                           maxTitle,
		"sentence maxLength":                        maxSentence,
		"paragraph maxLength":                       maxParagraph,
	} {
		node := document["$defs"]
		for _, step := range strings.Fields(path) {
			node, _ = node.(map[string]any)[step]
		}
		if node != float64(limit) {
			t.Errorf("%s: schema %v, reader %d", path, node, limit)
		}
	}
}
