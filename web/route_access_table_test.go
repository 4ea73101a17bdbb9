package web

import (
	"fmt"
	"net/http"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
)

// formatAccessTable returns the table of the golden file: a line for each route and scope, a
// column for each identity.
func formatAccessTable(routes []route, cells map[cellKey]string) string {
	var b strings.Builder
	line := func(name string, cell func(identity string) string) {
		text := fmt.Sprintf("%-60s", name)
		for _, identity := range identities {
			text += fmt.Sprintf(" %-13s", cell(identity))
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("", func(identity string) string { return identity })
	for i, rt := range routes {
		for _, scope := range scopes {
			name := rt.method + " " + rt.path
			if scope != "own" {
				name = "    " + scope
			}
			if hasScope(rt, scope) {
				line(name, func(identity string) string { return cells[cellKey{i, scope, identity}] })
			}
		}
	}
	return b.String()
}

// fillUnchangingCells fills the cells of requests that change nothing, all in one fixture,
// and returns the others by route.
func fillUnchangingCells(f *accessFixture, routes []route, cells map[cellKey]string) (changing [][]cellKey) {
	f.Helper()
	changing = make([][]cellKey, len(routes))
	before := f.hashState()
	for i, rt := range routes {
		for _, scope := range scopes {
			if !hasScope(rt, scope) {
				continue
			}
			for _, identity := range identities {
				key := cellKey{i, scope, identity}
				if f.mayChange(rt, scope, identity) {
					changing[i] = append(changing[i], key)
				} else {
					cells[key] = describeResponse(f.send(rt, scope, identity))
				}
			}
		}
		if rt.method == http.MethodPost {
			if diff := gocmp.Diff(strings.Split(before, "\n"), strings.Split(f.hashState(), "\n")); diff != "" {
				f.Fatalf("a rejected request of POST %s changed data (-before +after):\n%s", rt.path, diff)
			}
		}
	}
	if diff := gocmp.Diff(strings.Split(before, "\n"), strings.Split(f.hashState(), "\n")); diff != "" {
		f.Errorf("a read changed data (-before +after):\n%s", diff)
	}
	return changing
}
