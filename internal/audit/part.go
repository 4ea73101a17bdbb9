package audit

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
)

var (
	optionalPart = regexp.MustCompile(`\[[^\]]*\]`)
	placeholder  = regexp.MustCompile(`\{([a-z_]+)(?:\|([a-z ]+))?\}`)
)

// Parts returns what happened, with what each part refers to.
func (e Entry) Parts() []Part {
	sentence := cmp.Or(sentences[e.Action], defaultSentence)
	sentence = optionalPart.ReplaceAllStringFunc(sentence, func(part string) string {
		for _, match := range placeholder.FindAllStringSubmatch(part, -1) {
			if !e.has(match[1]) {
				return ""
			}
		}
		return part[1 : len(part)-1]
	})
	if e.has("api_token") {
		sentence += " (API token “{api_token}”)"
	}
	if e.has("system_user") {
		sentence += " (system user {system_user})"
	}
	return e.fill(sentence)
}

// fill replaces the names in braces.
func (e Entry) fill(sentence string) (parts []Part) {
	for sentence != "" {
		place := placeholder.FindStringSubmatchIndex(sentence)
		if place == nil {
			return append(parts, Part{Text: sentence})
		}
		if place[0] > 0 {
			parts = append(parts, Part{Text: sentence[:place[0]]})
		}
		name := sentence[place[2]:place[3]]
		parts = append(parts, e.value(name)...)
		if place[4] >= 0 {
			parts = append(parts, Part{Text: " " + pluralize(e.Detail[name], sentence[place[4]:place[5]])})
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
func (e Entry) value(name string) []Part {
	switch name {
	case "actor":
		part := Part{Text: e.ActorName()}
		if e.ActorID != 0 {
			part.Kind, part.Key = Account, formatID(e.ActorID)
		}
		return []Part{part}
	case "action":
		return []Part{{Text: e.Action}}
	case "subject":
		return []Part{e.subjectPart()}
	case "account", "accounts":
		return e.accountParts(e.detailIDs(name))
	}
	return []Part{{Text: formatDetail(e.Detail[name])}}
}

func (e Entry) accountParts(ids []account.ID) (parts []Part) {
	for i, id := range ids {
		if i > 0 {
			parts = append(parts, Part{Text: ", "})
		}
		parts = append(parts, Part{Text: e.accountName(id), Kind: Account, Key: formatID(id)})
	}
	return parts
}

// subjectPart names what the entry is about, and refers to it.
func (e Entry) subjectPart() Part {
	kind, name := e.subject()
	switch kind {
	case Account:
		return Part{Text: e.accountName(parseID(name)), Kind: Account, Key: name}
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
	return Part{Text: e.Subject}
}

// formatDetail returns a detail as text.
func formatDetail(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case bool: // only marks that an optional part applies
		return ""
	case float64:
		return formatNumber(int64(value))
	case []any:
		texts := make([]string, len(value))
		for i, element := range value {
			texts[i] = formatDetail(element)
		}
		return strings.Join(texts, ", ")
	case nil:
		return "none"
	}
	return fmt.Sprint(value)
}

// pluralize returns the noun for a number of things.
func pluralize(count any, noun string) string {
	if count == 1.0 {
		return noun
	}
	return noun + "s"
}

// formatNumber returns n with thousands separators.
func formatNumber(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func parseID(text string) account.ID {
	id, _ := strconv.ParseInt(text, 10, 64) // 0 has no name
	return account.ID(id)
}

func formatID(id account.ID) string { return strconv.FormatInt(int64(id), 10) }
