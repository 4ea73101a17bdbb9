package web

import (
	"fmt"
	"strings"
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
