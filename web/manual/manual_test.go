package manual

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestChapters_Languages_HaveSameSections checks that every chapter can be read, that a translation has the sections
// of the English one, and that links lead somewhere.
func TestChapters_Languages_HaveSameSections(t *testing.T) {
	t.Parallel()
	english := Chapters("en")
	ids := map[string]bool{}
	for _, c := range english {
		if len(c.Sections) < 3 {
			t.Errorf("%s: %d sections", c.Key, len(c.Sections))
		}
		for _, s := range c.Sections {
			if ids[c.Key+"#"+s.ID] || s.HTML == "" && s.Title != "Reference" {
				t.Errorf("%s: section %q is empty or twice", c.Key, s.ID)
			}
			ids[c.Key+"#"+s.ID] = true
		}
	}
	for i, c := range Chapters("de") {
		if len(c.Sections) != len(english[i].Sections) {
			t.Errorf("%s: %d sections in %s, %d in English", c.Key, len(c.Sections), c.Language, len(english[i].Sections))
		}
	}
	if c := Chapters("de")[0]; c.Language != "de" {
		t.Errorf("annotators read %s", c.Language)
	}
	link := regexp.MustCompile(`href="/help/files/([^"]+)"`)
	for _, c := range english {
		for _, s := range c.Sections {
			for _, m := range link.FindAllStringSubmatch(s.HTML, -1) {
				if _, err := fs.Stat(Files(), m[1]); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestChapters_Reference_HasEveryKey checks that the reference of protocols is made from their schema.
func TestChapters_Reference_HasEveryKey(t *testing.T) {
	t.Parallel()
	authors := Chapters("en")[slices.IndexFunc(Chapters("en"), func(c Chapter) bool { return c.Key == "authors" })]
	reference := authors.Sections[len(authors.Sections)-1].HTML
	for _, key := range []string{"for each", "break every", "judged", "scale", "guidance"} {
		if !strings.Contains(reference, "<code>"+key+"</code>") {
			t.Errorf("the reference has no %s", key)
		}
	}
}

// TestFind_Words_AllInSection checks a search.
func TestFind_Words_AllInSection(t *testing.T) {
	t.Parallel()
	found := Find(Chapters("en"), "RESTORE archive wal")
	if len(found) != 1 || found[0].Key != "admins" || len(found[0].Sections) != 1 ||
		found[0].Sections[0].Title != "Backup and restore" {
		t.Errorf("%+v", found)
	}
	if found := Find(Chapters("en"), "no-such-word"); len(found) > 0 {
		t.Errorf("%d chapters", len(found))
	}
}
