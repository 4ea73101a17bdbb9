package audit

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
)

var (
	optionalPart = regexp.MustCompile(`\[[^\]]*\]`)
	placeholder  = regexp.MustCompile(`\{([a-z_]+)(?:\|([^|}]+)\|([^|}]+))?\}`)
)

// A describer writes an entry in one language.
type describer struct {
	Entry
	*locale.Locale
}

// Parts returns what happened, with what each part refers to.
func (e Entry) Parts(l *locale.Locale) []Part {
	sentence := l.Translate(cmp.Or(texts[e.Action].sentence, defaultSentence))
	sentence = optionalPart.ReplaceAllStringFunc(sentence, func(part string) string {
		for _, match := range placeholder.FindAllStringSubmatch(part, -1) {
			if !e.has(match[1]) {
				return ""
			}
		}
		return part[1 : len(part)-1]
	})
	if e.has("api_token") {
		sentence += l.T(" (API token “{api_token}”)")
	}
	if e.has("system_user") {
		sentence += l.T(" (system user {system_user})")
	}
	return describer{e, l}.fill(sentence)
}

// fill replaces the names in braces.
func (d describer) fill(sentence string) (parts []Part) {
	for sentence != "" {
		place := placeholder.FindStringSubmatchIndex(sentence)
		if place == nil {
			return append(parts, Part{Text: sentence})
		}
		if place[0] > 0 {
			parts = append(parts, Part{Text: sentence[:place[0]]})
		}
		name := sentence[place[2]:place[3]]
		parts = append(parts, d.value(name)...)
		if rest := sentence[place[1]:]; strings.HasPrefix(rest, "”.") || strings.HasPrefix(rest, "“.") {
			last := &parts[len(parts)-1] // one full stop at the end is enough
			last.Text = strings.TrimSuffix(last.Text, ".")
		}
		switch isCount := place[4] >= 0; {
		case isCount && d.Detail[name] == 1.0:
			parts = append(parts, Part{Text: " " + sentence[place[4]:place[5]]})
		case isCount:
			parts = append(parts, Part{Text: " " + sentence[place[6]:place[7]]})
		}
		sentence = sentence[place[1]:]
	}
	return parts
}

// has reports whether a value is there, and not empty, zero or false.
func (e Entry) has(name string) bool {
	if name == "subject" {
		return e.Subject != ""
	}
	switch value := e.Detail[name].(type) {
	case nil:
		return false
	case string:
		return value != ""
	case bool:
		return value
	case float64:
		return value != 0
	case []any:
		return len(value) > 0
	}
	return true
}

// value returns the parts for a name in braces.
func (d describer) value(name string) []Part {
	switch name {
	case "actor":
		part := Part{Text: d.ActorName(d.Locale)}
		if d.ActorID != 0 {
			part.Kind, part.Key = Account, formatID(d.ActorID)
		}
		return []Part{part}
	case "action":
		return []Part{{Text: d.Action}}
	case "subject":
		return []Part{d.subjectPart()}
	case "account", "accounts":
		return d.accountParts(d.detailIDs(name))
	case "role":
		role, _ := d.Detail[name].(string)
		return []Part{{Text: d.Translate(locale.Text(role))}}
	}
	return []Part{{Text: d.formatDetail(d.Detail[name])}}
}

func (d describer) accountParts(ids []account.ID) (parts []Part) {
	for i, id := range ids {
		if i > 0 {
			parts = append(parts, Part{Text: ", "})
		}
		parts = append(parts, Part{Text: d.accountName(d.Locale, id), Kind: Account, Key: formatID(id)})
	}
	return parts
}

// subjectPart names what the entry is about, and refers to it.
func (d describer) subjectPart() Part {
	kind, name := d.subject()
	switch kind {
	case Account:
		return Part{Text: d.accountName(d.Locale, parseID(name)), Kind: Account, Key: name}
	case Project:
		return Part{Text: name, Kind: Project, Key: name}
	case Batch:
		_, batch, _ := strings.Cut(name, "/")
		return Part{Text: batch, Kind: Batch, Key: name}
	case Protocol: // "key v2.1"
		key, version, _ := strings.Cut(name, " v")
		version, _, _ = strings.Cut(version, ".")
		return Part{Text: name, Kind: Protocol, Key: key + "/" + version}
	}
	return Part{Text: d.Subject}
}

func (d describer) formatDetail(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case bool: // only marks that an optional part applies
		return ""
	case float64:
		return d.Number(int(value))
	case []any:
		texts := make([]string, len(value))
		for i, element := range value {
			texts[i] = d.formatDetail(element)
		}
		return strings.Join(texts, ", ")
	case nil:
		return d.T("none")
	}
	return fmt.Sprint(value)
}

func parseID(text string) account.ID {
	id, _ := strconv.ParseInt(text, 10, 64) // 0 has no name
	return account.ID(id)
}

func formatID(id account.ID) string { return strconv.FormatInt(int64(id), 10) }
