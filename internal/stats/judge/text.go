package judge

// A ReasonCode identifies why a figure of a judge is not defined.
type ReasonCode string

// The codes.
const (
	FewSharedItems  ReasonCode = "few_shared_items"
	FewDrawnItems   ReasonCode = "few_drawn_items" // FewSharedItems of weighted labels
	FewLabels       ReasonCode = "few_labels"
	FewDrawnLabels  ReasonCode = "few_drawn_labels" // the effective number is too small
	FewUnits        ReasonCode = "few_units"        // for an interval of conclusions
	FewUnitsForGain ReasonCode = "few_units_for_gain"
	FewUnitsOfGroup ReasonCode = "few_units_of_group"
	FewRarerLabels  ReasonCode = "few_rarer_labels" // of two answers
	FewRarerOfGroup ReasonCode = "few_rarer_labels_of_group"
	SelectedLabels  ReasonCode = "selected_labels"
	NoJudgedItems   ReasonCode = "no_judged_items"
	UnorderedValues ReasonCode = "unordered_values"
	NoVariation     ReasonCode = "no_variation"
)

var reasonTexts = map[ReasonCode]string{
	FewSharedItems:  "no annotator has 30 items that the judge and another annotator answered too",
	FewDrawnItems:   "no annotator has 30 items that the judge and another annotator answered too, with an effective size of 15",
	FewLabels:       "fewer than two items or records have labels and a judgment",
	FewDrawnLabels:  "the weighted labels are as precise as those of fewer than two items or records",
	FewUnits:        "an interval needs at least 10 items or records with labels and a judgment",
	FewUnitsForGain: "this needs at least 30 items or records with labels and a judgment",
	FewUnitsOfGroup: "an interval needs at least 10 items or records with labels and a judgment in each group",
	FewRarerLabels:  "fewer than 3 labels have the rarer answer, so the estimate is that of the labels alone",
	FewRarerOfGroup: "fewer than 3 labels of a group have the rarer answer, so its estimate is that of the labels alone",
	SelectedLabels:  "the judge answers labeled items differently from the others, so the labels look like no random sample of the judged items",
	NoJudgedItems:   "fewer than two items have a judgment and no label",
	UnorderedValues: "the values have no declared order, so they have no mean",
	NoVariation:     "the labels do not vary from item to item, or from record to record, so they do not show how uncertain the mean is",
}

// Text returns a reason as a clause; empty without a reason.
func (c ReasonCode) Text() string { return reasonTexts[c] }

var gainTexts = map[GainReason]string{
	Disagreement: "annotators differed from the judge more than usual at this answer",
	AnnotatorTie: "annotators were tied more often than usual at this answer",
	JudgesDiffer: "other judges gave another answer",
	RareValue:    "the judge rarely gives this answer",
	NoReason:     "no reason above the average: every item has a chance",
}

// Text returns a reason as a clause.
func (r GainReason) Text() string { return gainTexts[r] }
