package page

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

// labelText returns how many of the wanted labels an item has.
func labelText(l *locale.Locale, i project.ListedItem) string {
	switch {
	case i.IsBlinded:
		return "–"
	case i.LabelsWanted > i.LabelCount:
		return l.T("%d of %d", i.LabelCount, i.LabelsWanted)
	case i.LabelsWanted > 0:
		return l.T("%d of %d", i.LabelCount, i.LabelCount)
	}
	return formatInt(i.LabelCount)
}

func stateText(l *locale.Locale, i project.ListedItem) string {
	switch {
	case i.State == project.ItemDisagreement:
		return l.T("disagreement on")
	case i.State == project.ItemComplete && i.LabelCount > 1:
		return l.T("agreed")
	case i.State == project.ItemAdjudicated && i.HasNewerLabels:
		return l.T("adjudicated, labeled again since")
	}
	return l.Translate(itemStateTexts[i.State])
}

// disagreeingFields returns the fields of a disagreement: the one that the list is filtered by, then
// the others.
func (d ListData) disagreeingFields(i project.ListedItem) []string {
	n := slices.Index(i.DisagreeingFields, d.Filter.Field)
	if n < 0 {
		return i.DisagreeingFields
	}
	return append([]string{d.Filter.Field}, slices.Delete(slices.Clone(i.DisagreeingFields), n, n+1)...)
}

// disagreementText names the fields of a disagreement: one, and how many more.
func (d ListData) disagreementText(l *locale.Locale, i project.ListedItem) string {
	fields := d.disagreeingFields(i)
	if len(fields) == 0 {
		return ""
	}
	text := fieldTitle(d.Protocol, fields[0])
	if more := len(fields) - 1; more > 0 {
		return l.T("%s and %d more", text, more)
	}
	return text
}

// maxChips is how many metadata values a row shows.
const maxChips = 4

// metaChips returns the metadata of an item that has few values, then other short ones.
func (d ListData) metaChips(i project.ListedItem) (chips []ui.SummaryRow) {
	names := sortedKeys(i.Meta)
	slices.SortStableFunc(names, func(a, b string) int {
		return boolRank(d.Options.Conditions[a]) - boolRank(d.Options.Conditions[b])
	})
	for _, name := range names {
		if value := i.Meta[name]; value != "" && len(chips) < maxChips {
			chips = append(chips, ui.SummaryRow{Label: name, Value: project.Truncate(value, 24)})
		}
	}
	return chips
}

func boolRank(values []string) int {
	if len(values) > 0 {
		return 0
	}
	return 1
}

// answersText lists the answers to a field as "A1 2 · A2 4", and says if they are tied.
func answersText(l *locale.Locale, labels []AnnotatorAnswers, key string, tiedFields []string) string {
	var parts []string
	for _, label := range labels {
		if value, ok := label.Values[key]; ok {
			parts = append(parts, label.Annotator+" "+strconv.Itoa(value))
		}
	}
	text := strings.Join(parts, " · ")
	if slices.Contains(tiedFields, key) {
		text = l.T("%s (tie)", text)
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
