package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/ui"
)

// CalibrationData is what an annotator sees after a calibration set: own
// answers beside the reference.
type CalibrationData struct {
	User           ui.User
	Project        Project
	Batch          string // sent back as "batch"
	Protocol       protocol.Protocol
	Attempt        labeling.CalibrationAttempt
	Biases         []labeling.Bias
	Items          []CalibrationItem
	CanComment     bool // words may still be added to the discussion
	ApprovalReason string
	OpenItemID     string // the item that is open
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
}

// A CalibrationComment is what somebody said of a calibration item to the others.
type CalibrationComment struct {
	Author    string // a pseudonym, or "the lead"
	CreatedAt time.Time
	Message   string
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

// nextStepText says what follows once the sections are read again.
func (d CalibrationData) nextStepText() string {
	return map[labeling.MissPolicy]string{
		labeling.MissContinue: "Then the work begins.",
		labeling.MissRetake:   "Then you take the set once more, in another order.",
		labeling.MissWait:     "Then your lead looks at your calibration before the work opens.",
	}[d.Attempt.MissPolicy]
}

// sectionID returns the id of what comes next on the page, where it is the section
// of that field: the first not read again, or what follows them all.
func (d CalibrationData) sectionID(field string) string {
	next := ""
	if unread := d.Attempt.UnreadFields(); len(unread) > 0 {
		next = unread[0]
	}
	if field == next {
		return "next"
	}
	return "section-" + field
}

// blockedMessage says why the work does not begin yet, if so.
func (d CalibrationData) blockedMessage() string {
	if d.Attempt.Resolved || d.canStartWork() || d.canRetake() || len(d.Attempt.UnreadFields()) > 0 {
		return ""
	}
	return d.Attempt.CheckContinue().Error()
}

// intro says in all what the leans say one by one, and never more.
func (d CalibrationData) intro() string {
	oneSided, allExact := false, true
	for _, l := range d.Biases {
		oneSided, allExact = oneSided || l.OneSided(), allExact && l.ExactCount == l.N
	}
	switch {
	case len(d.Attempt.MissedFields) > 0:
		return "Here are your answers beside the reference. On some questions they lie far apart."
	case !d.hasSufficientItems():
		return fmt.Sprintf("Here are your answers beside the reference. Fewer than %d items are too few to tell how you lean.", labeling.MinItems)
	case allExact:
		return "Your answers are those of the reference."
	case oneSided:
		return "Here are your answers beside the reference. On some questions you lean to one side."
	}
	return "Your answers lie close to the reference. Have a look at where they differ."
}

// hasSufficientItems reports whether any field was answered often enough to tell a lean.
func (d CalibrationData) hasSufficientItems() bool {
	return slices.ContainsFunc(d.Biases, labeling.Bias.Sufficient)
}

// biasesByScale returns the leans of fields that are answered yes or no, or of the others.
func (d CalibrationData) biasesByScale(binary bool) (biases []labeling.Bias) {
	for _, l := range d.Biases {
		if l.Field.Scale.IsBinary() == binary {
			biases = append(biases, l)
		}
	}
	return biases
}

// formatSigned writes a difference with its sign.
func formatSigned(n int) string {
	switch {
	case n > 0:
		return "+" + strconv.Itoa(n)
	case n < 0:
		return "−" + strconv.Itoa(-n)
	}
	return "="
}

func formatBias(l labeling.Bias) string {
	if l.N == 0 {
		return "–"
	}
	sign := map[bool]string{true: "−", false: "+"}[l.Mean < 0]
	size := fmt.Sprintf("%.1f", l.Magnitude())
	if size == "0.0" {
		sign = ""
	}
	return sign + size
}

func formatSpread(l labeling.Bias) string {
	if l.N < 2 {
		return "–"
	}
	return fmt.Sprintf("%.1f", l.StdDev)
}

// formatBiasCell is a lean in one cell.
func formatBiasCell(l labeling.Bias) string {
	switch {
	case l.N == 0:
		return "–"
	case l.Field.Scale.IsBinary():
		return fmt.Sprintf("%d yes, %d no", l.HigherCount, l.LowerCount())
	}
	return formatBias(l) + " (" + formatSpread(l) + ")"
}

// formatExact is on how many items somebody answered like the reference.
func formatExact(l labeling.Bias) string { return fmt.Sprintf("%d of %d", l.ExactCount, l.N) }

// differenceSummary says of an item in a few words how it lies to the reference, and
// whether anybody spoke of it.
func (d CalibrationData) differenceSummary(i CalibrationItem) string {
	asked, differCount := d.Protocol.ApplicableFields(i.Facts), 0
	for _, f := range asked {
		if i.OwnAnswers.Values[f.Key] != i.ReferenceAnswers.Values[f.Key] {
			differCount++
		}
	}
	summary := fmt.Sprintf("%d of %d questions differ", differCount, len(asked))
	switch {
	case !i.IsAnswered:
		summary = "not answered"
	case differCount == 0:
		summary = "as the reference"
	}
	if len(i.Comments) > 0 {
		summary += "; " + pluralize(len(i.Comments), "remark")
	}
	return summary
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

// joinObservations names the observations of a.
func joinObservations(p protocol.Protocol, a protocol.Answers) string {
	return joinComma(Form{Protocol: p, Answers: a}.tickedTitles())
}

func joinComma(texts []string) string {
	joined := ""
	for i, part := range texts {
		if i > 0 {
			joined += ", "
		}
		joined += part
	}
	return joined
}
