package stats

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A NamedScale is a scale and how a file writes its points: as whole numbers, as numbers
// with a fraction, or as words.
type NamedScale struct {
	Scale NumericScale
	Names []string // by index on the scale; nil: whole numbers
}

// ParseNamedScale parses "1..5", "0.5,1,1.5" or "low,middle,high". Words are equidistant
// points, lowest first.
func ParseNamedScale(text string) (NamedScale, error) {
	if strings.Contains(text, "..") || !strings.Contains(text, ",") {
		scale, err := ParseRangeScale(text)
		return NamedScale{Scale: scale}, err
	}
	names := strings.Split(text, ",")
	for i, name := range names {
		names[i] = TrimNumeral(strings.TrimSpace(name))
		switch {
		case names[i] == "":
			return NamedScale{}, fmt.Errorf("the scale %q has a point without a name; write it as low,middle,high",
				text)
		case slices.Contains(names[:i], names[i]):
			return NamedScale{}, fmt.Errorf("the scale %q has %q twice; name each point once", text, names[i])
		}
	}
	return parsePointList(text, names)
}

func parsePointList(text string, names []string) (NamedScale, error) {
	if len(names) > maxPoints {
		return NamedScale{}, fmt.Errorf("the scale %q has more than %d points", text, maxPoints)
	}
	if !slices.ContainsFunc(names, IsNonNumeric) {
		points, err := NewScaleFromNumerals(names)
		if err == nil && !slices.Equal(points.PointNames(), names) {
			err = fmt.Errorf("the scale %q is not in order; write the lowest number first, in the form 3, -1 or 2.5",
				text)
		}
		return points, err
	}
	return NamedScale{NewRangeScale(1, len(names)), names}, nil
}

// numeralPattern matches a number in plain notation.
var numeralPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// IsNonNumeric reports whether a text is not a number in plain notation, such as a word,
// 1e3 or -0.
func IsNonNumeric(text string) bool {
	return !numeralPattern.MatchString(text) || strings.Trim(text, "-0.") == "" && text[0] == '-'
}

// TrimNumeral removes redundant zeros from a number: programs write 3 as 3.0 in a column
// with gaps. Words stay unchanged.
func TrimNumeral(text string) string {
	if IsNonNumeric(text) || !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// NewScaleFromNumerals returns the scale of written numbers, ascending. Fractions are
// scaled to whole numbers, because no coefficient depends on the unit.
func NewScaleFromNumerals(numbers []string) (NamedScale, error) {
	places := 0
	for _, n := range numbers {
		_, fraction, _ := strings.Cut(n, ".")
		places = max(places, len(fraction))
	}
	if places == 0 {
		scale, err := toScaledIntegers(numbers, 0)
		slices.Sort(scale)
		return NamedScale{Scale: scale}, err
	}
	scale, err := toScaledIntegers(numbers, places)
	if err != nil {
		return NamedScale{}, err
	}
	names := slices.Clone(numbers)
	slices.SortFunc(names, func(a, b string) int { return toScaledInteger(a, places) - toScaledInteger(b, places) })
	slices.Sort(scale)
	return NamedScale{scale, names}, nil
}

func toScaledIntegers(numbers []string, places int) (NumericScale, error) {
	scale := make(NumericScale, len(numbers))
	for i, n := range numbers {
		if scale[i] = toScaledInteger(n, places); scale[i] < -MaxScaleValue || scale[i] > MaxScaleValue {
			return nil, fmt.Errorf("the number %s has too many digits; round the values to fewer places", truncate(n))
		}
	}
	return scale, nil
}

// toScaledInteger returns a number times 10^places, or more than MaxScaleValue if it has
// too many digits.
func toScaledInteger(number string, places int) int {
	digits, fraction, _ := strings.Cut(number, ".")
	v, err := strconv.Atoi(digits + fraction + strings.Repeat("0", max(0, places-len(fraction))))
	if err != nil {
		return MaxScaleValue + 1
	}
	return v
}

// PointNames returns the points as written, in scale order.
func (p NamedScale) PointNames() []string {
	if p.Names != nil {
		return p.Names
	}
	names := make([]string, len(p.Scale))
	for i, v := range p.Scale {
		names[i] = strconv.Itoa(v)
	}
	return names
}

// NumericValues returns the numbers of the points.
func (p NamedScale) NumericValues() []float64 {
	values := make([]float64, len(p.Scale))
	for i, v := range p.Scale {
		values[i] = float64(v)
		if p.Names != nil && !IsNonNumeric(p.Names[i]) {
			values[i], _ = strconv.ParseFloat(p.Names[i], 64) // cannot fail: it is a numeral
		}
	}
	return values
}

// Contains reports whether a written value is one of the points.
func (p NamedScale) Contains(text string) bool {
	if p.Names != nil {
		return slices.Contains(p.Names, text)
	}
	v, err := strconv.Atoi(text)
	_, isOnScale := p.Scale.Index(v)
	return err == nil && isOnScale
}

// DeclaredScales are the declared scales of a file: by dimension, and a default. The zero
// value declares none.
type DeclaredScales struct {
	defaultScale *NamedScale
	byDimension  map[string]NamedScale
}

// ParseDeclaredScales parses declarations of the forms "1..5", "FIELD=0..2" and
// "FIELD=low,middle,high".
func ParseDeclaredScales(declared []string) (DeclaredScales, error) {
	s := DeclaredScales{byDimension: map[string]NamedScale{}}
	for _, d := range declared {
		if err := s.declare(d); err != nil {
			return DeclaredScales{}, err
		}
	}
	return s, nil
}

func (s *DeclaredScales) declare(text string) error {
	field, declared := "", text
	if i := strings.LastIndex(text, "="); i >= 0 {
		field, declared = text[:i], text[i+1:]
		if field == "" {
			return fmt.Errorf("%q has no dimension; write it as FIELD=0..2", text)
		}
	}
	points, err := ParseNamedScale(declared)
	if err != nil {
		return err
	}
	if _, isRepeated := s.byDimension[field]; isRepeated || field == "" && s.defaultScale != nil {
		return fmt.Errorf("%q declares a scale a second time; declare it once", text)
	}
	if field == "" {
		s.defaultScale = &points
		return nil
	}
	s.byDimension[field] = points
	return nil
}

// For returns the declared scale of a dimension.
func (s DeclaredScales) For(dimension string) (NamedScale, bool) {
	if points, ok := s.byDimension[dimension]; ok {
		return points, true
	}
	if s.defaultScale == nil {
		return NamedScale{}, false
	}
	return *s.defaultScale, true
}

// Fields returns the dimensions that have a scale of their own, sorted.
func (s DeclaredScales) Fields() []string { return slices.Sorted(maps.Keys(s.byDimension)) }

// maxNamedPoints is the number of points that a message lists.
const maxNamedPoints = 12

// String returns the points as they are declared.
func (p NamedScale) String() string {
	if p.Names == nil {
		return p.Scale.String()
	}
	if len(p.Names) > maxNamedPoints {
		return strings.Join(p.Names[:maxNamedPoints], ", ") + ", …"
	}
	return strings.Join(p.Names, ", ")
}

// truncate shortens text quoted from a file.
func truncate(text string) string {
	const limit = 40
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit]) + "…"
}
