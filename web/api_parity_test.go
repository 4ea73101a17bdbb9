package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/web/api"
	"github.com/labelwright/labelwright/web/problem"
)

// withoutParity are operations that a process does not have: it has no token.
var withoutParity = []string{"show-token"}

// randomValues are values that differ between two calls: times, what is drawn at random, and the ids in
// sheets.
var randomValues = regexp.MustCompile(
	`"\d{4}-\d\d-\d\dT[0-9:.]+Z"|"whsec_[^"]*"|"[^"]*/invitations/[^"]*"|"(seed|draw|pseudonym|plan_digest)":("[^"]*"|\d+)|` +
		`\b[bcdfghjkmnpqrstvwxz]{10,11}\b`) // ids of sheets, perhaps after the n of a line break

// An operation gives the same answer or error in the process as over HTTP with a token, on equal
// databases.
func TestOperations_InProcessAndOverHTTP_GiveTheSame(t *testing.T) {
	t.Parallel()
	prepared := newAPIFixture(t)
	operations := map[string]apiOperation{}
	for _, op := range (apiClient{testEnv: prepared.testEnv}).operations() {
		operations[op.id] = op
	}
	prepared.close()
	local, remote := prepared.copyOn(t), prepared.copyOn(t)
	outcomes := map[bool]int{}
	for _, operation := range api.Operations() {
		op := operations[operation.ID()]
		for _, scope := range []string{"own", "mixed", "absent"} {
			if slices.Contains(withoutParity, op.id) || scope != "own" && !strings.Contains(op.path, "{project}") ||
				scope == "mixed" && op.countObjects() == 0 {
				continue
			}
			t.Run(op.id+"/"+scope, func(t *testing.T) {
				local, remote := local, remote
				needsJobs := op.id == "show-report"
				if needsJobs || mayWrite(op, scope, "admin") {
					local, remote = prepared.copyOn(t), prepared.copyOn(t)
				}
				if needsJobs { // other jobs change data too
					defer local.startJobs()()
					defer remote.startJobs()()
				}
				inProcess, isDone := local.callTyped(t, operation, op, scope, local.newLocalClient())
				overHTTP, _ := remote.callTyped(t, operation, op, scope, remote.newClient(t))
				outcomes[isDone]++
				if diff := gocmp.Diff(inProcess, overHTTP); diff != "" {
					t.Errorf("(-in the process +over HTTP):\n%s", diff)
				}
			})
		}
	}
	if outcomes[true] < 60 || outcomes[false] < 60 {
		t.Errorf("%d calls succeeded and %d failed: the inputs do not fit the operations", outcomes[true],
			outcomes[false])
	}
}

func (f apiFixture) newLocalClient() *api.Client {
	return api.NewLocalClient(f.server.api.Config, f.accounts["admin"])
}

func (f apiFixture) newClient(t *testing.T) *api.Client {
	t.Helper()
	client, err := api.NewClient(f.baseURL, f.tokens["admin"])
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// callTyped calls an operation as a Go program does, and returns its answer, or its error, as text.
func (f apiFixture) callTyped(t *testing.T, operation api.Described, op apiOperation, scope string,
	client *api.Client) (outcome string, isDone bool) {
	t.Helper()
	r := f.newRequest(op, scope)
	value := reflect.ValueOf(operation)
	arguments := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(client)}
	for _, name := range []string{"Call", "Send", "Open", "All"} {
		method := value.MethodByName(name)
		if !method.IsValid() {
			continue
		}
		arguments = append(arguments, newInput(t, method.Type().In(2), r))
		if name == "Send" {
			arguments = append(arguments, reflect.ValueOf(r.contentType), reflect.ValueOf(strings.NewReader(r.body)))
		}
		results := method.Call(arguments)
		answer, err := readAnswer(results)
		if err != nil {
			p := problem.ToFault(err)
			for i := range p.Fields { // only pages translate
				p.Fields[i].Format, p.Fields[i].Args = "", nil
			}
			return fmt.Sprintf("%s: %s %+v", p.Kind, p.Message, p.Fields), false
		}
		return randomValues.ReplaceAllString(answer, "…"), true
	}
	t.Fatalf("%s cannot be called", op.id)
	return "", false
}

func newInput(t *testing.T, kind reflect.Type, r apiRequest) reflect.Value {
	t.Helper()
	in := reflect.New(kind).Elem()
	for i := range kind.NumField() {
		field, target := kind.Field(i), in.Field(i)
		switch name := field.Tag.Get("path"); {
		case field.Name == "Body":
			if err := json.Unmarshal([]byte(r.body), target.Addr().Interface()); err != nil {
				t.Fatal(err)
			}
		case field.Anonymous:
			target.Set(newInput(t, field.Type, r))
		case name != "":
			if _, err := fmt.Sscan(r.path[name], target.Addr().Interface()); err != nil && target.Kind() !=
				reflect.String {
				t.Fatal(err)
			}
			if target.Kind() == reflect.String {
				target.SetString(r.path[name])
			}
		case field.Name == "Limit":
			target.SetInt(50)
		}
	}
	return in
}

// readAnswer returns the answer as text: a body as JSON, a file as it is, or rows as lines of JSON.
func readAnswer(results []reflect.Value) (text string, err error) {
	if len(results) == 2 {
		if err, _ = reflect.TypeAssert[error](results[1]); err != nil {
			return "", err
		}
		if file, isFile := reflect.TypeAssert[io.ReadCloser](results[0]); isFile {
			var content bytes.Buffer
			_, err = content.ReadFrom(file)
			return content.String(), errors.Join(err, file.Close())
		}
		body, err := json.MarshalIndent(results[0].Interface(), "", " ")
		return strings.ReplaceAll(string(body), "\": ", "\":"), err
	}
	for row, failed := range results[0].Seq2() {
		if err, _ = reflect.TypeAssert[error](failed); err != nil {
			return "", err
		}
		line, err := json.Marshal(row.Interface())
		if err != nil {
			return "", err
		}
		text += string(line) + "\n"
	}
	return text, nil
}
