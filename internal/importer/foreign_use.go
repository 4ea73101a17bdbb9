package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A usage finds values in a record of another program and notes which it found, so that all
// others can be kept as metadata, or be named as left out.
type usage struct {
	record value
	paths  []string // of the values that were found, as unused writes them
}

// find returns the value at the first path that exists and is not null, and notes its use.
func (u *usage) find(paths ...string) (value, bool) {
	found, path := u.peek(paths...)
	if path != "" {
		u.use(path)
	}
	return found, path != ""
}

// peek returns the same value, and its path or "", without noting its use.
func (u *usage) peek(paths ...string) (found value, path string) {
	for _, path := range paths {
		if found, ok := u.record.find(path); ok && !found.is('n') {
			return found, path
		}
	}
	return value{}, ""
}

func (u *usage) use(path string) { u.paths = append(u.paths, path) }

// unused returns the values of the record that were not found and are not null, each with its
// path: whole objects and lists, unless something in them was found.
func (u *usage) unused() []member { return u.appendUnused(nil, u.record.parsed(), "") }

func (u *usage) appendUnused(rest []member, v value, path string) []member {
	for _, m := range v.members {
		rest = u.appendUnusedValue(rest, m.value, joinPath(path, m.key))
	}
	for i, element := range v.list {
		rest = u.appendUnusedValue(rest, element, path+"["+strconv.Itoa(i)+"]")
	}
	return rest
}

func (u *usage) appendUnusedValue(rest []member, v value, path string) []member {
	isInside := func(used string) bool {
		inner, ok := strings.CutPrefix(used, path)
		return ok && inner != "" && (inner[0] == '.' || inner[0] == '[')
	}
	switch {
	case v.is('n') || slices.Contains(u.paths, path):
		return rest
	case slices.ContainsFunc(u.paths, isInside):
		return u.appendUnused(rest, v.parsed(), path)
	}
	return append(rest, member{path, v})
}

// joinPath returns the path of a key in the object at path.
func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// generalPaths returns the paths of the values that were found, with "[]" for each element of a list.
func (u *usage) generalPaths() map[string]bool {
	general := map[string]bool{}
	for _, path := range u.paths {
		general[elementNumber.ReplaceAllString(path, "[]")] = true
	}
	return general
}

var elementNumber = regexp.MustCompile(`\[\d+\]`)
