package project

import (
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// ParseSample reads "120", "25%", or the empty text, which is all items.
func ParseSample(text string) (s Sample, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return s, nil
	}
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		s.Percent, err = strconv.ParseFloat(strings.TrimSpace(percent), 64)
	} else {
		s.Count, err = strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	}
	if err != nil || s.Count <= 0 && s.Percent <= 0 || s.check() != nil {
		return Sample{}, fault.Invalid.Errorf(
			"“%s” is not a sample. Enter a number of items such as 120, or a percentage such as 25%%.", text)
	}
	return s, nil
}

// ParseOverlapSample reads "20%:3": three labels for 20% of the items. The empty text is none.
func ParseOverlapSample(text string) (s OverlapSample, err error) {
	if text = strings.TrimSpace(text); text == "" {
		return s, nil
	}
	percent, labels, _ := strings.Cut(text, "%:")
	if s.Percent, err = strconv.ParseFloat(percent, 64); err == nil {
		s.Labels, err = strconv.Atoi(labels)
	}
	if err == nil {
		err = s.check(0)
	}
	if err != nil {
		return OverlapSample{}, fault.Invalid.Errorf(
			"“%s” is not an overlap sample. Enter a percentage of the items and their labels, such as 20%%:3.", text)
	}
	return s, nil
}

// ParseShares reads "EMAIL=WEIGHT" for each annotator whose share is not 1.
func ParseShares(texts []string) (map[string]float64, error) {
	var shares map[string]float64
	for _, text := range texts {
		address, weight, _ := strings.Cut(text, "=")
		share, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		if err != nil {
			return nil, fault.Invalid.Errorf(
				"“%s” is not a share. Enter an address and its weight, such as ann@example.org=0.5.", text)
		}
		if shares == nil {
			shares = map[string]float64{}
		}
		shares[strings.ToLower(plaintext.Trim(address))] = share
	}
	return shares, nil
}

// ParseItemIDs reads ids separated by commas. The empty text is nil.
func ParseItemIDs(text string) (ids []ItemID, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fault.Invalid.Errorf("“%s” is not the number of an item.", part)
		}
		ids = append(ids, ItemID(id))
	}
	return ids, nil
}
