package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/protocol"
)

// readAnswers reads the answers of the current row, and reports what they break: each cell by
// itself first, then the rules of the protocol.
func (s *sheetReader) readAnswers(row ExpectedRow) protocol.Answers {
	answers, invalid := protocol.Answers{Values: map[string]int{},
		Note: normalizeNote(s.row.cells[protocol.SheetNotesColumn])}, map[string]bool{}
	for _, f := range s.protocol.Fields {
		value, problem := parseScore(s.row.cells[f.Key], f, row.Facts)
		if problem.format != "" {
			s.addError(f.Key, "%s", problem)
			invalid[f.Key] = true
		} else if f.AppliesTo(row.Facts) {
			answers.Values[f.Key] = value
		}
	}
	var observations, fields []string
	for _, o := range s.protocol.Observations {
		observations = append(observations, o.Key)
	}
	if s.protocol.AllowsBetween {
		fields = fieldKeys(s.protocol)
	}
	answers.Observations = s.readKeys(protocol.SheetObservationsColumn, observations)
	answers.Unsure = s.readKeys(protocol.SheetUnsureColumn, fields)
	for _, problem := range s.protocol.Check(row.Facts, answers) {
		if !invalid[problem.Key] {
			s.addError(s.columnOf(problem.Key), "%s", problem.Message)
		}
	}
	return answers
}

// columnOf returns the column in which a problem is shown.
func (s *sheetReader) columnOf(key string) string {
	if _, isObservation := s.protocol.Observation(key); isObservation {
		return protocol.SheetObservationsColumn
	}
	if key == protocol.NoteKey {
		return protocol.SheetNotesColumn
	}
	if field, isUnsure := strings.CutPrefix(key, protocol.UnsureKey("")); isUnsure && field != "" {
		return protocol.SheetUnsureColumn
	}
	return key
}

// scorePattern matches a whole number, also as spreadsheets show it with decimals.
var scorePattern = regexp.MustCompile(`^(\d{1,9})([.,]0+)?$`)

// parseScore reads the answer to a field, or returns what is wrong with it.
func parseScore(cell string, f protocol.Field, facts protocol.Facts) (value int, problem message) {
	text := plaintext.Trim(cell)
	match := scorePattern.FindStringSubmatch(text)
	switch {
	case !f.AppliesTo(facts) && isNotApplicable(text):
		return 0, problem
	case !f.AppliesTo(facts):
		return 0, messagef("This question does not apply to this item. Leave the cell empty, or write %s.",
			protocol.SheetNotApplicable)
	case text == "":
		return 0, messagef("This is empty. Write a value on the scale %s.", formatScale(f.Scale))
	case match == nil:
		return 0, messagef("%s is not on the scale %s.", plaintext.Shorten(text), formatScale(f.Scale))
	}
	value, err := strconv.Atoi(match[1])
	if err != nil || !slices.Contains(f.Scale.Values(), value) {
		return 0, messagef("%s is not on the scale %s.", plaintext.Shorten(text), formatScale(f.Scale))
	}
	return value, problem
}

func isNotApplicable(cell string) bool {
	text := plaintext.Trim(cell)
	return text == "" || strings.EqualFold(text, protocol.SheetNotApplicable)
}

// readKeys reads keys, separated by spaces, commas or semicolons, in the order of known. It
// reports those that are not known, and those that come twice.
func (s *sheetReader) readKeys(column string, known []string) (keys []string) {
	given := strings.FieldsFunc(s.row.cells[column], func(r rune) bool {
		return strings.ContainsRune(plaintext.BlankChars+",;", r)
	})
	for i, key := range given {
		switch {
		case !slices.Contains(known, key):
			s.addError(column, "“%s” is not known here. Choose from: %s.", plaintext.Shorten(key),
				strings.Join(known, ", "))
		case slices.Contains(given[:i], key):
			s.addError(column, "“%s” is here twice. Keep it once.", key)
		}
	}
	for _, key := range known {
		if slices.Contains(given, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// normalizeNote returns a note with the line ends that the labeling screen stores.
func normalizeNote(note string) string {
	note = strings.ReplaceAll(strings.ReplaceAll(note, "\r\n", "\n"), "\r", "\n")
	if !protocol.HasText(note) {
		return ""
	}
	return note
}

// compare reports where answers differ from those that are stored.
func (s *sheetReader) compare(stored, answers protocol.Answers) {
	for _, f := range s.protocol.Fields {
		was, wasAnswered := stored.Values[f.Key]
		if value, isAnswered := answers.Values[f.Key]; isAnswered && (!wasAnswered || value != was) {
			s.addDifference(f.Key, strconv.Itoa(value), strconv.Itoa(was))
		}
	}
	s.compareKeys(protocol.SheetObservationsColumn, stored.Observations, answers.Observations)
	s.compareKeys(protocol.SheetUnsureColumn, stored.Unsure, answers.Unsure)
	if answers.Note != normalizeNote(stored.Note) {
		s.addDifference(protocol.SheetNotesColumn, answers.Note, stored.Note)
	}
}

func (s *sheetReader) compareKeys(column string, stored, keys []string) {
	was, given := slices.Sorted(slices.Values(stored)), slices.Sorted(slices.Values(keys))
	if !slices.Equal(given, was) {
		s.addDifference(column, strings.Join(given, " "), strings.Join(was, " "))
	}
}

func (s *sheetReader) addDifference(column, given, was string) {
	switch {
	case given == "":
		s.addError(column, "This is empty, but “%s” was submitted before. Submitted answers do not change: put back what was submitted, or ask a lead to reopen the item.", plaintext.Shorten(was))
	case was == "":
		s.addError(column, "This is “%s”, but an empty cell was submitted before. Submitted answers do not change: put back what was submitted, or ask a lead to reopen the item.", plaintext.Shorten(given))
	default:
		s.addError(column, "This is “%s”, but “%s” was submitted before. Submitted answers do not change: put back what was submitted, or ask a lead to reopen the item.", plaintext.Shorten(given), plaintext.Shorten(was))
	}
}
