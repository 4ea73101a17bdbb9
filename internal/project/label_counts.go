package project

// LabelCounts are the items and labels of a batch, or of several. Every page, command and answer of the
// API that counts them shows these.
type LabelCounts struct {
	Items        int
	LabelsWanted int // that its items need, with those that an overlap rule added
	LabelsGiven  int // submitted
	InProgress   int // open items of annotators
	Deferred     int // skipped, and return to the same annotator
	Withheld     int // skipped, and not assigned again
	Stuck        int // that no annotator of the batch can give: each one had the item
}

// Missing returns how many labels are not given yet.
func (c LabelCounts) Missing() int { return max(c.LabelsWanted-c.LabelsGiven, 0) }

// Waiting returns how many missing labels an annotator of the batch will be given.
func (c LabelCounts) Waiting() int {
	return max(c.Missing()-c.InProgress-c.Deferred-c.Withheld-c.Stuck, 0)
}
