package importer

import (
	"slices"
)

// A restValue is metadata that was not found, or a list of them.
type restValue struct {
	value
	elements []*restValue // nil: a value of its own
}

// collect makes metadata of everything that has no fate. Values in lists are in a list under the
// general path of their key, at the same place.
func (s *classifier) collect(n *recordNode, indexes []int) {
	if n.isOpen() && n.key != "" {
		if s.rest[n.key] == nil {
			s.rest[n.key] = &restValue{}
			s.restKeys = append(s.restKeys, n.key)
		}
		s.rest[n.key].at(indexes).value = n.value
		n.classify(fateMetadata)
		return
	}
	for _, child := range n.children {
		if n.inner.is('[') {
			s.collect(child, append(slices.Clone(indexes), child.index))
		} else {
			s.collect(child, indexes)
		}
	}
}

// at returns the place of indexes, in lists of lists.
func (r *restValue) at(indexes []int) *restValue {
	for _, i := range indexes {
		for len(r.elements) <= i {
			r.elements = append(r.elements, &restValue{value: value{kind: 'n', raw: []byte("null")}})
		}
		r = r.elements[i]
	}
	return r
}

func (r *restValue) toValue() value {
	if r.elements == nil {
		return r.value
	}
	list := make([]value, len(r.elements))
	for i, element := range r.elements {
		list[i] = element.toValue()
	}
	return listValue(list)
}

// members returns the metadata of what was not found, under keys that neither others nor columns of items have.
func (s *classifier) members(others []member, columns []string) (members []member) {
	for _, key := range s.restKeys {
		name := key
		for i := 2; ; i++ {
			if _, isTaken := findMember(others, name); !isTaken && !slices.Contains(columns, name) {
				break
			}
			name = key + "_" + formatCount(i)
		}
		members = append(members, member{name, s.rest[key].toValue()})
	}
	return members
}
