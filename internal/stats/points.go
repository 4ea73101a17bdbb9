package stats

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Points are the points of a scale and how a file writes them: as the whole
// numbers they are, as numbers with a fraction, or as words.
type Points struct {
	Scale   Scale
	Written []string // by place on the scale; nil: as its whole numbers
}

// ParsePoints reads "1..5", "0.5,1,1.5" or "low,middle,high". Words are points
// equally far apart, the lowest first.
func ParsePoints(text string) (Points, error) {
	if strings.Contains(text, "..") || !strings.Contains(text, ",") {
		scale, err := ParseScale(text)
		return Points{Scale: scale}, err
	}
	written := strings.Split(text, ",")
	for i, word := range written {
		written[i] = plain(strings.TrimSpace(word))
		switch {
		case written[i] == "":
			return Points{}, fmt.Errorf("the scale %q has a point without a name: write it as low,middle,high", text)
		case slices.Contains(written[:i], written[i]):
			return Points{}, fmt.Errorf("the scale %q has %q twice: name each point once", text, written[i])
		}
	}
	return listed(text, written)
}

func listed(text string, written []string) (Points, error) {
	if len(written) > maxPoints {
		return Points{}, fmt.Errorf("the scale %q has more than %d points", text, maxPoints)
	}
	if !slices.ContainsFunc(written, isWord) {
		points, err := numberPoints(written)
		if err == nil && !slices.Equal(points.written(), written) {
			err = fmt.Errorf("the scale %q is not in order: write the lowest number first, and each plainly, as 3, -1 or 2.5", text)
		}
		return points, err
	}
	return Points{Range(1, len(written)), written}, nil
}

// numeral is a number as it is plainly written.
var numeral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// isNumber says that a text is plainly a number.
func isNumber(text string) bool { return !isWord(text) }

// isWord says that a text is no such number; -0 is none.
func isWord(text string) bool {
	return !numeral.MatchString(text) || strings.Trim(text, "-0.") == "" && text[0] == '-'
}

// plain writes a number without zeros that say nothing: programs write 3 as 3.0
// where a column has gaps. Words stay as they are.
func plain(text string) string {
	if isWord(text) || !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// numberPoints returns the points that numbers stand for, ascending. Fractions
// are held as whole numbers of their last place: no figure depends on the unit.
func numberPoints(numbers []string) (Points, error) {
	places := 0
	for _, n := range numbers {
		_, fraction, _ := strings.Cut(n, ".")
		places = max(places, len(fraction))
	}
	if places == 0 {
		scale, err := wholes(numbers, 0)
		slices.Sort(scale)
		return Points{Scale: scale}, err
	}
	scale, err := wholes(numbers, places)
	if err != nil {
		return Points{}, err
	}
	written := slices.Clone(numbers)
	slices.SortFunc(written, func(a, b string) int { return whole(a, places) - whole(b, places) })
	slices.Sort(scale)
	return Points{scale, written}, nil
}

func wholes(numbers []string, places int) (Scale, error) {
	scale := make(Scale, len(numbers))
	for i, n := range numbers {
		if scale[i] = whole(n, places); scale[i] < -maxValue || scale[i] > maxValue {
			return nil, fmt.Errorf("the number %s is too long to be told apart exactly: round the values to fewer places", short(n))
		}
	}
	return scale, nil
}

// whole is a number times ten to the places; beyond any value where it is too long.
func whole(number string, places int) int {
	digits, fraction, _ := strings.Cut(number, ".")
	v, err := strconv.Atoi(digits + fraction + strings.Repeat("0", max(0, places-len(fraction))))
	if err != nil {
		return maxValue + 1
	}
	return v
}

// written returns how each point is written.
func (p Points) written() []string {
	if p.Written != nil {
		return p.Written
	}
	names := make([]string, len(p.Scale))
	for i, v := range p.Scale {
		names[i] = strconv.Itoa(v)
	}
	return names
}

// values returns what the distances between points come from.
func (p Points) values() []float64 {
	values := make([]float64, len(p.Scale))
	for i, v := range p.Scale {
		values[i] = float64(v)
		if p.Written != nil && !isWord(p.Written[i]) {
			values[i], _ = strconv.ParseFloat(p.Written[i], 64) // a numeral is one
		}
	}
	return values
}

// has says whether a plain text is one of the points.
func (p Points) has(text string) bool {
	if p.Written != nil {
		return slices.Contains(p.Written, text)
	}
	v, err := strconv.Atoi(text)
	_, on := p.Scale.Index(v)
	return err == nil && on
}

// mostNamed is how many points a sentence names.
const mostNamed = 12

// String writes the points as people declare them.
func (p Points) String() string {
	if p.Written == nil {
		return p.Scale.String()
	}
	if more := len(p.Written) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(p.Written[:mostNamed], ", "), more)
	}
	return strings.Join(p.Written, ", ")
}

// Scales are the declared scales of a file: one for every dimension, or by
// name. The zero value declares none.
type Scales struct {
	every *Points
	named map[string]Points
}

// ParseScales reads declarations of the forms "1..5", "FIELD=0..2" and
// "FIELD=low,middle,high".
func ParseScales(declared []string) (Scales, error) {
	s := Scales{named: map[string]Points{}}
	for _, d := range declared {
		if err := s.declare(d); err != nil {
			return Scales{}, err
		}
	}
	return s, nil
}

func (s *Scales) declare(text string) error {
	field, declared := "", text
	if i := strings.LastIndex(text, "="); i >= 0 {
		field, declared = text[:i], text[i+1:]
		if field == "" {
			return fmt.Errorf("%q names no dimension: write it as FIELD=0..2", text)
		}
	}
	points, err := ParsePoints(declared)
	if err != nil {
		return err
	}
	if _, again := s.named[field]; again || field == "" && s.every != nil {
		return fmt.Errorf("%q declares a scale a second time: declare it once", text)
	}
	if field == "" {
		s.every = &points
		return nil
	}
	s.named[field] = points
	return nil
}

// For returns the points declared for a dimension.
func (s Scales) For(dimension string) (Points, bool) {
	if points, ok := s.named[dimension]; ok {
		return points, true
	}
	if s.every == nil {
		return Points{}, false
	}
	return *s.every, true
}
