package importer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/protocol"
)

// holdMessage reports whether a row is held back because it looks like one message of a conversation, which
// needs grouping. The next row tells which column messages share. It returns errAborted after an error.
func (b *builder) holdMessage(r row) (isHeld bool, err error) {
	held := b.heldMessage
	switch {
	case b.options.isSet() || b.handleRow != nil || b.handleRecord != nil:
		return false, nil
	case held == nil && b.rowCount == 0 && b.looksLikeMessage(r.members):
		r.members = objectValue(r.members...).clone().members
		b.heldMessage = &r
		return true, nil
	case held == nil:
		return false, nil
	case b.looksLikeMessage(r.members):
		b.addMessageHint(r.members)
		return true, errAborted
	}
	b.heldMessage = nil
	return false, b.addOwnRow(*held)
}

// looksLikeMessage reports whether a row has a role and a text, but no part of an item.
func (b *builder) looksLikeMessage(members []member) bool {
	role, _ := findMember(members, messageColumn(members, roleKeys))
	name := strings.ToLower(role.text)
	isRole := slices.Contains(turnRoles, name) || roleNames[name] != "" || b.isCSV && role.text == ""
	return isRole && b.areMessageColumns(memberKeys(members))
}

// areMessageColumns reports whether columns have a role and a text, but no part of an item.
func (b *builder) areMessageColumns(keys []string) bool {
	has := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(keys, name) })
	}
	hasPart := slices.ContainsFunc(b.protocol.Unit.Parts, func(p protocol.Part) bool {
		return slices.Contains(keys, p.Key)
	})
	return has(roleKeys) && has(bodyKeys) && !hasPart && !slices.Contains(keys, "turns")
}

// messageColumn returns the first of names that is a column, or "".
func messageColumn(members []member, names []string) string {
	i := slices.IndexFunc(names, func(name string) bool { _, ok := findMember(members, name); return ok })
	if i < 0 {
		return ""
	}
	return names[i]
}

// addMessageHint says how the rows of a file, which start with the one that is held and next, are grouped.
func (b *builder) addMessageHint(next []member) {
	group, order := "COLUMN", ""
	for _, m := range b.heldMessage.members {
		if slices.Contains(roleKeys, m.key) || slices.Contains(bodyKeys, m.key) || m.text == "" {
			continue
		}
		other, _ := findMember(next, m.key)
		switch isShared := other.text == m.text; {
		case isShared && group == "COLUMN":
			group = m.key
		case !isShared && order == "" && other.text != "" && (m.is('0') || isNumber(m.text)):
			order = m.key
		}
	}
	how := "--group-by " + group
	if order != "" {
		how += " --order " + order
	}
	b.errs.add(b.heldMessage.line, "", messageHintText, how)
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

const messageHintText = "Each row is one message, not an item. Group the rows by the column that the messages of a conversation share: %s."
