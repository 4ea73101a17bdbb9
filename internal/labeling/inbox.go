package labeling

import (
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
)

// An InboxKind is what waits for a lead.
type InboxKind string

// The kinds.
const (
	InboxQuestion     InboxKind = "question"     // of an annotator
	InboxCorrection   InboxKind = "correction"   // a request to correct a submitted item
	InboxCalibration  InboxKind = "calibration"  // an annotator waits for the decision on a calibration attempt
	InboxStuck        InboxKind = "stuck"        // labels that no annotator of the batch can give
	InboxGold         InboxKind = "gold"         // an annotator is paused because of the answers to gold items
	InboxBehind       InboxKind = "behind"       // an annotator does not label while others do, or misses the deadline
	InboxIncomplete   InboxKind = "incomplete"   // items of a closed batch lack labels
	InboxAdjudication InboxKind = "adjudication" // items with disagreements
)

// An InboxEntry is one thing that waits for a lead.
type InboxEntry struct {
	Kind         InboxKind
	ProjectKey   string
	ProjectTitle string
	BatchName    string         // empty for an adjudication
	AccountID    account.ID     // of the annotator; 0 for stuck labels and adjudications
	Annotator    string         // as leads know them
	SubjectID    int64          // of the question or the correction request; else 0
	ItemID       project.ItemID // of the question or the correction request; else 0
	SourceID     string         // of the item
	ItemTitle    string         // its first line
	Message      string         // of the annotator
	Hidden       bool           // the message is empty, because the lead labels in the batch
	Count        int            // missed fields, stuck labels, labels left to an annotator, items, or disagreements
	LargeCount   int            // disagreements by two points or more
	HasStarted   bool           // of an annotator who is behind
	Deadline     *time.Time     // that an annotator will miss at the present pace; nil: the annotator is idle
	Since        time.Time
}

// Text returns the entry as a sentence: who or what waits, and the rest.
func (e InboxEntry) Text(l *locale.Locale) (subject, detail string) {
	switch e.Kind {
	case InboxQuestion:
		return l.T("%s asks:", e.Annotator), e.quote(l)
	case InboxCorrection:
		return l.T("%s reports a mistake:", e.Annotator), e.quote(l)
	case InboxCalibration:
		return l.T("%s finished calibration", e.Annotator), l.T("far from the reference on %d questions", e.Count)
	case InboxGold:
		return l.T("%s is paused:", e.Annotator), l.T("too few right answers to gold items. Talk, then resume or remove")
	case InboxStuck:
		return l.T("%d labels", e.Count), l.T("that no annotator of the batch can give: each one had the item")
	case InboxIncomplete:
		return IncompleteText(l, e.Count), l.T("Their batch is closed. Another one can collect them")
	case InboxBehind:
		return e.behindText(l)
	}
	return e.disagreementText(l)
}

// maxCounted is up to how many disagreements of a project, and items of a batch that lack labels, are counted.
const maxCounted = 500

// IncompleteText says how many items of a closed batch lack labels.
func IncompleteText(l *locale.Locale, items int) string {
	if items >= maxCounted {
		return l.T("%d or more items lack labels.", maxCounted)
	}
	return l.T("%d items lack labels.", items)
}

func (e InboxEntry) disagreementText(l *locale.Locale) (subject, detail string) {
	subject, detail = l.T("%d disagreements", e.Count), l.T("can be adjudicated")
	if e.Count >= maxCounted {
		subject = l.T("%d or more disagreements", maxCounted)
	}
	if e.LargeCount > 0 {
		detail = l.T("can be adjudicated, %d of them by two points or more", e.LargeCount)
	}
	return subject, detail
}

func (e InboxEntry) quote(l *locale.Locale) string {
	if e.Hidden {
		return l.T("hidden, because you label in this batch. Another lead can read it")
	}
	return l.T("“%s”", e.Message)
}

func (e InboxEntry) behindText(l *locale.Locale) (subject, detail string) {
	switch {
	case e.Deadline != nil:
		return l.T("%s will miss the deadline", e.Annotator), l.T("of %s at the present pace: %d items left",
			l.Date(*e.Deadline), e.Count)
	case e.HasStarted:
		return l.T("%s has stopped labeling.", e.Annotator), l.T("Others continue; %d items left", e.Count)
	}
	return l.T("%s has not started.", e.Annotator), l.T("Others have; %d items left", e.Count)
}

// A Waiting is how many things of a kind wait in a batch.
type Waiting struct {
	Kind       InboxKind
	ProjectKey string
	BatchName  string // empty for an adjudication
	Entries    int    // in the inbox
	Count      int    // for a badge: entries, or the items of an adjudication
}

// Text says how many of what wait, such as "2 questions".
func (w Waiting) Text(l *locale.Locale) string {
	switch w.Kind {
	case InboxQuestion:
		return l.T("%d questions", w.Count)
	case InboxCorrection:
		return l.T("%d correction requests", w.Count)
	case InboxCalibration:
		return l.T("%d calibration decisions", w.Count)
	case InboxGold:
		return l.T("%d annotators paused by gold items", w.Count)
	case InboxStuck:
		return l.T("labels that no annotator can give")
	case InboxIncomplete:
		return l.T("%d closed batches with items that lack labels", w.Count)
	case InboxBehind:
		return l.T("%d annotators behind", w.Count)
	}
	return l.T("%d disagreements to adjudicate", w.Count)
}
