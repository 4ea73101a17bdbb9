package labeling

import (
	"fmt"
	"time"

	"github.com/labelwright/labelwright/internal/account"
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
	InboxBehind       InboxKind = "behind"       // an annotator does not label while others do, or misses the deadline
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
	Count        int            // missed fields, stuck labels, labels left to an annotator, or disagreements
	LargeCount   int            // disagreements by two points or more
	HasStarted   bool           // of an annotator who is behind
	Deadline     *time.Time     // that an annotator will miss at the present pace; nil: the annotator is idle
	Since        time.Time
}

// Text returns the entry as a sentence: who or what waits, and the rest.
func (e InboxEntry) Text() (subject, detail string) {
	switch e.Kind {
	case InboxQuestion:
		return e.Annotator + " asks:", e.quote()
	case InboxCorrection:
		return e.Annotator + " reports a mistake:", e.quote()
	case InboxCalibration:
		return e.Annotator + " finished calibration", "far from the reference on " + countText(e.Count, "question")
	case InboxStuck:
		return countText(e.Count, "label"), "that no annotator of the batch can give: each one had the item"
	case InboxBehind:
		return e.behindText()
	}
	return e.disagreementText()
}

// maxDisagreements is how many disagreements of a project the inbox counts.
const maxDisagreements = 500

func (e InboxEntry) disagreementText() (subject, detail string) {
	subject, detail = countText(e.Count, "disagreement"), "can be adjudicated"
	if e.Count >= maxDisagreements {
		subject = fmt.Sprintf("%d or more disagreements", maxDisagreements)
	}
	if e.LargeCount > 0 {
		detail += fmt.Sprintf(", %d of them by two points or more", e.LargeCount)
	}
	return subject, detail
}

func (e InboxEntry) quote() string {
	if e.Hidden {
		return "hidden, because you label in this batch. Another lead can read it"
	}
	return "“" + e.Message + "”"
}

func (e InboxEntry) behindText() (subject, detail string) {
	waiting := countText(e.Count, "item") + " left"
	switch {
	case e.Deadline != nil:
		return e.Annotator + " will miss the deadline", "of " + e.Deadline.Format("2 Jan 2006") +
			" at the present pace: " + waiting
	case e.HasStarted:
		return e.Annotator + " has stopped labeling.", "Others continue; " + waiting
	}
	return e.Annotator + " has not started.", "Others have; " + waiting
}

func countText(n int, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %ss", n, singular)
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
func (w Waiting) Text() string {
	switch w.Kind {
	case InboxQuestion:
		return countText(w.Count, "question")
	case InboxCorrection:
		return countText(w.Count, "correction request")
	case InboxCalibration:
		return countText(w.Count, "calibration decision")
	case InboxStuck:
		return "labels that no annotator can give"
	case InboxBehind:
		return countText(w.Count, "annotator") + " behind"
	}
	return countText(w.Count, "disagreement") + " to adjudicate"
}
