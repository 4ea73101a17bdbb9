package web

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/web/problem"
)

// lossyBodies are bodies of which a JSON decoder loses or changes a part without a word, with what the error says.
// KEY stands for a key of the body.
var lossyBodies = map[string]struct{ body, want string }{
	"key twice":            {`{"KEY":"a","KEY":"b"}`, `the key at "/KEY" is there twice`},
	"key twice, below":     {`{"KEY":[{"a":1,"\u0061":2}]}`, `the key at "/KEY/0/a" is there twice`},
	"half of a character":  {`{"KEY":"a\ud800"}`, `the text at "/KEY" has the escape \ud800`},
	"second half":          {`{"KEY":["b","\udc00"]}`, `the text at "/KEY/1" has the escape \udc00`},
	"not UTF-8":            {"{\"KEY\":\"a\xff\"}", `the text at "/KEY" is not UTF-8`},
	"surrogate as bytes":   {"{\"KEY\":{\"b\":\"\xed\xa0\x80\"}}", `the text at "/KEY/b" is not UTF-8`},
	"null character":       {`{"KEY":"a\u0000"}`, `the text at "/KEY" has a null character`},
	"key that is not UTF8": {"{\"KEY\":1,\"a\xff\":2}", `is not UTF-8`},
}

// TestAPI_LossyBody_IsRefused checks that each operation with a JSON body refuses one that cannot be kept as it
// is, and says where.
func TestAPI_LossyBody_IsRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.newUser("admin@example.org", account.Admin)
	env.newProject(admin, "p", 1)
	c := env.newToken(admin, append(slices.Clone(leadScopes), account.ScopeAdmin, account.ScopeLabel))
	paths := strings.NewReplacer("{project}", "p", "{account}", "1", "{batch}", "Pilot", "{item}", "i1", "{member}",
		"1", "{correction}", "1", "{question}", "1", "{judge}", "j", "{webhook}", "1", "{token}", "absent")
	count := 0
	for _, o := range bodyOperations(t) {
		for name, tt := range lossyBodies {
			body, want := strings.ReplaceAll(tt.body, "KEY", o.key), strings.ReplaceAll(tt.want, "KEY", o.key)
			r := c.send(strings.ToUpper(o.method), paths.Replace(o.path), body)
			var d problem.Details
			if err := json.Unmarshal([]byte(r.body), &d); err != nil || r.status < 400 || r.status > 499 ||
				!slices.ContainsFunc(d.Errors, func(e problem.Field) bool {
					return strings.Contains(e.Detail, want)
				}) {
				t.Errorf("%s %s, %s: %d %s, want %s", o.method, o.path, name, r.status, r.body, want)
			}
			count++
		}
	}
	if count < 200 {
		t.Errorf("only %d bodies were sent", count)
	}
	for name, body := range map[string]string{
		"key twice":           `{"key":"new","title":"One","title":"Two","protocol":"empathy"}`,
		"half of a character": `{"key":"new","title":"One\ud83d","protocol":"empathy"}`,
		"not UTF-8":           "{\"key\":\"new\",\"title\":\"One\xff\",\"protocol\":\"empathy\"}",
	} {
		check[problem.Details](c.send("POST", "/projects", body), 400)
		if n := query[int](env, `SELECT count(*) FROM projects WHERE key = 'new'`); n != 0 {
			t.Fatalf("%s: the project was created", name)
		}
	}
}

// A bodyOperation is an operation with a JSON body, and one of its keys.
type bodyOperation struct{ method, path, key string }

// bodyOperations returns the operations of the description that have a JSON body and no file.
func bodyOperations(t *testing.T) (found []bodyOperation) {
	t.Helper()
	text, err := os.ReadFile("testdata/openapi.golden")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method, o := range methods {
			body, isJSON := o.RequestBody.Content["application/json"]
			if !isJSON || len(o.RequestBody.Content) > 1 {
				continue
			}
			key := "key"
			schema := document.Components.Schemas[strings.TrimPrefix(body.Schema.Ref, "#/components/schemas/")]
			for name := range schema.Properties {
				if !strings.HasPrefix(name, "$") {
					key = name
				}
			}
			found = append(found, bodyOperation{method, path, key})
		}
	}
	return found
}
