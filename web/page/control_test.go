package page_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/htmltest"
	"github.com/labelwright/labelwright/web/page"
)

// Every name on the labeling screen is that of a field or in protocol.Controls, and
// so is every name that a script adds. No control is listed that does not exist.
func TestControls_MatchLabelingForm(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range protocol.Builtin() {
		d := newLabelData(t, p.Key)
		d.Protocol.AllowsBetween = true
		for _, name := range controlNames(renderPage(t, page.Label(d))) {
			if _, isField := p.Field(name); !isField {
				names = append(names, name)
			}
		}
	}
	for name := range scriptMatches(t, `body\.set\('(\w+)'`) {
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	listed := slices.Sorted(slices.Values(protocol.Controls()))
	if !slices.Equal(names, listed) {
		t.Errorf("the form has the controls\n%q, but protocol.Controls has\n%q", names, listed)
	}
}

var dottedName = regexp.MustCompile(`^[a-z]+\.`)

// The other forms with the fields of a protocol name their own controls with a dot,
// which no key can have, or as the labeling form does.
func TestControls_OtherForms_AreReserved(t *testing.T) {
	t.Parallel()
	p := builtinProtocol(t, "empathy")
	p.AllowsBetween = true
	proj := project.Project{Key: "p", Title: "P", Protocol: p}
	for name, root := range map[string]htmltest.Element{
		"adjudication": renderPage(t, page.Adjudicate(page.AdjudicateData{Project: proj, DraftRestored: true})),
		"reference":    renderPage(t, page.ReferenceForm(page.ReferenceData{Project: proj})),
	} {
		for _, control := range controlNames(root) {
			_, isField := p.Field(control)
			isDotted := dottedName.MatchString(control)
			if !isField && !isDotted && !slices.Contains(protocol.Controls(), control) {
				t.Errorf("%s: a field with the key %q would be taken for a control", name, control)
			}
		}
	}
}

// Scripts refer to controls that exist, and to no property of a form that a field
// could hide.
func TestControls_Scripts_UseReservedNames(t *testing.T) {
	t.Parallel()
	reserved := protocol.ReservedKeys()
	for name, file := range scriptMatches(t, `elements\.([a-z_]+)\b`, `name=([a-z_]+)\]`, `all\.get\('(\w+)'`,
		`const \{ ([a-z_]+)(?:, [a-z_]+)* \} = form\.elements`) {
		if !slices.Contains(protocol.Controls(), name) {
			t.Errorf("%s uses the control %q, which is not in protocol.Controls", file, name)
		}
	}
	for name, file := range scriptMatches(t, `(?:\b|[a-z])[fF]orm\.([a-z_]+)\b`) {
		if name != "mjs" && !slices.Contains(reserved, name) {
			t.Errorf("%s uses form.%s, which a field with the key %q would hide", file, name, name)
		}
	}
}

// controlNames returns the names of the form controls on a page. Panels are named
// too, but are not sent.
func controlNames(root htmltest.Element) (names []string) {
	for _, e := range root.FindAll("input[name], select[name], textarea[name], button[name]") {
		names = append(names, e.Attr("name"))
	}
	return names
}

// scriptMatches returns the first group of each match in the scripts, with its file.
func scriptMatches(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	matches := map[string]string{}
	scripts := os.DirFS("../static")
	files, err := fs.Glob(scripts, "*.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	for _, file := range files {
		source, err := fs.ReadFile(scripts, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range patterns {
			for _, match := range regexp.MustCompile(pattern).FindAllSubmatch(source, -1) {
				matches[string(match[1])] = file
			}
		}
	}
	return matches
}
