package api

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/page"
)

// Reference returns what the readable page about the API shows, from the OpenAPI document.
func (a *API) Reference() page.APIData {
	document := a.huma.OpenAPI()
	d := page.APIData{Intro: document.Info.Description}
	for _, id := range a.order {
		path, op := a.find(id)
		if len(d.Groups) == 0 || d.Groups[len(d.Groups)-1].Title != op.Tags[0] {
			d.Groups = append(d.Groups, page.APIGroup{Title: op.Tags[0]})
		}
		group := &d.Groups[len(d.Groups)-1]
		group.Operations = append(group.Operations, a.describe(path, op))
	}
	schemas := document.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		d.Objects = append(d.Objects, page.APIObject{Name: name, Fields: describeFields(schemas[name])})
	}
	return d
}

// find returns an operation and its path.
func (a *API) find(id string) (path string, op *huma.Operation) {
	for path, item := range a.huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil && op.OperationID == id {
				return path, op
			}
		}
	}
	panic("no operation " + id)
}

func (a *API) describe(path string, op *huma.Operation) page.APIOperation {
	text, _, _ := strings.Cut(op.Description, "Scope: `")
	scope, _ := op.Metadata[scopeKey].(account.Scope)
	d := page.APIOperation{ID: op.OperationID, Method: op.Method, Path: "/api/v1" + path, Summary: op.Summary,
		Text: strings.TrimSpace(text), Scope: scope}
	for _, p := range op.Parameters {
		if p.Name != idempotencyKey { // every write has it: see the introduction
			d.Parameters = append(d.Parameters, page.APIField{Name: p.Name, Type: describeType(p.Schema),
				Text: p.Description + describeDefault(p.Schema), Place: p.In, Required: p.Required})
		}
	}
	if op.RequestBody != nil {
		d.Body = cmp.Or(op.RequestBody.Description, describeContent(op.RequestBody.Content))
	}
	for status, r := range op.Responses {
		if code, err := strconv.Atoi(status); err == nil && code < http.StatusMultipleChoices && len(r.Content) > 0 {
			d.Response = describeContent(r.Content)
		}
	}
	return d
}

func describeContent(content map[string]*huma.MediaType) string {
	kinds := slices.Sorted(maps.Keys(content))
	if len(kinds) == 1 {
		if schema := content[kinds[0]].Schema; schema != nil && schema.Ref != "" {
			return describeType(schema)
		}
	}
	return strings.Join(kinds, ", ")
}

// describeFields returns the fields of an object, by name.
func describeFields(s *huma.Schema) (fields []page.APIField) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		fields = append(fields, page.APIField{Name: name, Type: describeType(p), Text: p.Description,
			Required: slices.Contains(s.Required, name)})
	}
	return fields
}

// describeDefault returns the default of a parameter as a sentence.
func describeDefault(s *huma.Schema) string {
	if s == nil || s.Default == nil {
		return ""
	}
	return fmt.Sprintf(" Default: %v.", s.Default)
}

// describeType returns a type in a few words: the name of an object, or such as "list of text".
func describeType(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case len(s.Enum) > 0:
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i], _ = v.(string)
		}
		return strings.Join(values, " | ")
	case s.Nullable:
		required := *s
		required.Nullable = false
		return describeType(&required) + " or null"
	case s.Type == "array":
		return "list of " + describeType(s.Items)
	case s.Type == "string" && s.Format == "date-time":
		return "time"
	case s.Type == "string":
		return "text"
	case s.Type == "object":
		if values, ok := s.AdditionalProperties.(*huma.Schema); ok {
			return "object of " + describeType(values)
		}
		return "object"
	}
	return s.Type
}
