package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// CalibrationData is the data of an annotator's calibration results.
type CalibrationData struct {
	User           ui.User
	Project        Project
	Batch          string // sent back as "batch"
	Protocol       protocol.Protocol
	Attempt        labeling.CalibrationAttempt
	Biases         []labeling.Bias
	Items          []CalibrationItem
	CanComment     bool // the discussion is open
	ApprovalReason string
	OpenItemID     string // the item whose details are open
}

// A CalibrationItem is one item of the set.
type CalibrationItem struct {
	ID               string // sent back as "item"
	Content          project.Content
	Facts            protocol.Facts
	IsAnswered       bool
	OwnAnswers       protocol.Answers
	ReferenceAnswers protocol.Answers
	Reasons          map[string]string
	Comments         []CalibrationComment
	Others           []SharedAnswers // of the other annotators, once they are shared
}

// SharedAnswers is what another annotator answered to a calibration item.
type SharedAnswers struct {
	Pseudonym string
	Values    map[string]int
}

// othersText lists the answers of the other annotators to a field by value: "3: Heron, Lynx; 4: Otter".
func (i CalibrationItem) othersText(f protocol.Field) string {
	var groups []string
	for _, value := range f.Scale.Values() {
		var names []string
		for _, o := range i.Others {
			if given, ok := o.Values[f.Key]; ok && given == value {
				names = append(names, o.Pseudonym)
			}
		}
		if len(names) > 0 {
			groups = append(groups, strconv.Itoa(value)+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(groups, "; ")
}

func (i CalibrationItem) answerColumns(l *locale.Locale) []ui.Column {
	columns := []ui.Column{{Text: l.T("Question")}, {Text: l.T("You"), Numeric: true}, {Text: l.T("Reference"),
		Numeric: true}, {Text: l.T("Difference"), Numeric: true}}
	if len(i.Others) > 0 {
		columns = append(columns, ui.Column{Text: l.T("Other annotators")})
	}
	return columns
}

// A CalibrationComment is one comment on a calibration item.
type CalibrationComment struct {
	Author    string // a pseudonym; empty: the lead
	IsOwn     bool   // of the reader
	CreatedAt time.Time
	Message   string
}

func (c CalibrationComment) author(l *locale.Locale) string {
	switch {
	case c.IsOwn:
		return l.T("You")
	case c.Author == "":
		return l.T("the lead")
	}
	return c.Author
}

func (d CalibrationData) fields(keys []string) (fields []protocol.Field) {
	for _, key := range keys {
		if f, ok := d.Protocol.Field(key); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

func (d CalibrationData) canStartWork() bool { return d.Attempt.CheckContinue() == nil }

func (d CalibrationData) canRetake() bool { return d.Attempt.CheckRetake() == nil }

// nextStepText returns what follows after reading the sections.
func (d CalibrationData) nextStepText(l *locale.Locale) string {
	return map[labeling.MissPolicy]string{
		labeling.MissContinue: l.T("Then you can start the work."),
		labeling.MissRetake:   l.T("Then you take the calibration again, with items that you have not seen if there are any."),
		labeling.MissWait:     l.T("Then your lead reviews your calibration before you can start the work."),
	}[d.Attempt.MissPolicy]
}

// NextSectionID is the id of what the annotator does next after a calibration set.
const NextSectionID = "next"

// sectionID returns the id of a field's section, or of the actions for "".
func (d CalibrationData) sectionID(field string) string {
	next := ""
	if unread := d.Attempt.UnreadFields(); len(unread) > 0 {
		next = unread[0]
	}
	if field == next {
		return NextSectionID
	}
	return "section-" + field
}

// blockedMessage returns why the work cannot start yet, if so.
func (d CalibrationData) blockedMessage(l *locale.Locale) string {
	if d.Attempt.Resolved || d.canStartWork() || d.canRetake() || len(d.Attempt.UnreadFields()) > 0 {
		return ""
	}
	return l.Message(d.Attempt.CheckContinue())
}

// intro says first whether the work can start, then how the answers compare.
func (d CalibrationData) intro(l *locale.Locale) string {
	if !d.Attempt.Resolved && d.canStartWork() {
		return l.T("You can start the work.") + " " + d.comparison(l)
	}
	return d.comparison(l)
}

// comparison summarizes how the answers compare with the reference.
func (d CalibrationData) comparison(l *locale.Locale) string {
	oneSided, allExact := false, true
	for _, b := range d.Biases {
		oneSided, allExact = oneSided || b.OneSided(), allExact && b.ExactCount == b.N
	}
	switch {
	case len(d.Attempt.MissedFields) > 0:
		return l.T("Your answers to some questions differ strongly from the reference.")
	case !d.hasSufficientItems():
		return l.T("Compare your answers with the reference. It takes at least %d items to say whether you score higher or lower.",
			labeling.MinItems)
	case allExact:
		return l.T("All your answers equal the reference.")
	case oneSided:
		return l.T("Compare your answers with the reference. On some questions you score higher or lower on average.")
	}
	return l.T("Your answers are close to the reference. See where they differ.")
}

// hasSufficientItems reports whether the bias of any field can be estimated.
func (d CalibrationData) hasSufficientItems() bool {
	return slices.ContainsFunc(d.Biases, labeling.Bias.Sufficient)
}

// biasesByScale returns the biases of the binary fields, or of the others.
func (d CalibrationData) biasesByScale(binary bool) (biases []labeling.Bias) {
	for _, l := range d.Biases {
		if l.Field.Scale.IsBinary() == binary {
			biases = append(biases, l)
		}
	}
	return biases
}

func formatBias(b labeling.Bias) string {
	sign := map[bool]string{true: "−", false: "+"}[b.Mean < 0]
	if b.Magnitude() < 0.05 {
		sign = ""
	}
	return sign + locale.English.Decimal(b.Magnitude(), 1)
}

func formatSpread(b labeling.Bias) string {
	if b.N < 2 {
		return "–"
	}
	return locale.English.Decimal(b.StdDev, 1)
}

// formatBiasCell writes a bias in one table cell.
func formatBiasCell(b labeling.Bias) string {
	switch {
	case b.N == 0:
		return "–"
	case b.Field.Scale.IsBinary():
		return fmt.Sprintf("+%d −%d", b.HigherCount, b.LowerCount())
	}
	return formatBias(b) + " (" + formatSpread(b) + ")"
}

// differenceSummary describes how an item's answers differ from the reference, and the
// number of comments.
func (d CalibrationData) differenceSummary(l *locale.Locale, i CalibrationItem) string {
	fields, differCount := d.Protocol.ApplicableFields(i.Facts), d.countDifferences(i)
	summary := l.T("%d of %d questions differ", differCount, len(fields))
	switch {
	case !i.IsAnswered:
		summary = l.T("not answered")
	case differCount == 0:
		summary = l.T("equal to the reference")
	}
	if len(i.Comments) > 0 {
		summary += "; " + l.T("%d comments", len(i.Comments))
	}
	return summary
}

// differenceText says the same of one answered item in a sentence.
func (d CalibrationData) differenceText(l *locale.Locale, i CalibrationItem) string {
	if n := d.countDifferences(i); n > 0 {
		return l.T("%d of %d answers differ from the reference.", n, len(d.Protocol.ApplicableFields(i.Facts)))
	}
	return l.T("All your answers equal the reference.")
}

func (d CalibrationData) countDifferences(i CalibrationItem) (n int) {
	for _, f := range d.Protocol.ApplicableFields(i.Facts) {
		if i.OwnAnswers.Values[f.Key] != i.ReferenceAnswers.Values[f.Key] {
			n++
		}
	}
	return n
}

func formatAnswer(a protocol.Answers, key string) string {
	if value, ok := a.Values[key]; ok {
		return strconv.Itoa(value)
	}
	return "–"
}

func formatDifference(i CalibrationItem, key string) string {
	own, answered := i.OwnAnswers.Values[key]
	reference, asked := i.ReferenceAnswers.Values[key]
	if !answered || !asked {
		return "–"
	}
	return formatSigned(own - reference)
}

// joinObservations returns the titles of the ticked observations.
func joinObservations(p protocol.Protocol, a protocol.Answers) string {
	return strings.Join(Form{Protocol: p, Answers: a}.tickedTitles(), ", ")
}
