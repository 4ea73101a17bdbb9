package consensus

import "strings"

// A NoteCode identifies what a reader must know about a consensus.
type NoteCode string

// The codes.
const (
	NotIdentified  NoteCode = "not_identified"  // no item has three answers
	NoOrder        NoteCode = "no_order"        // the values are words without a declared order
	EndedEarly     NoteCode = "ended_early"     // by crowd-kit's rule, before it converged
	NotConverged   NoteCode = "not_converged"   // after as many steps as a fit may take
	FittedTogether NoteCode = "fitted_together" // with the fields that rules tie to it
	LowAgreement   NoteCode = "low_agreement"   // κ of the shared items is below lowKappa
)

var noteTexts = map[NoteCode]string{
	NotIdentified:  "No item has labels from three annotators, and two cannot show whose answer is the error: Dawid–Skene is not fitted, and the rule of the scale applies.",
	NoOrder:        "The values have no declared order, so the method for unordered values applies.",
	FittedTogether: "One model is fitted to the fields that rules tie to each other, because an answer that a rule leaves no choice for says nothing about its annotator's errors.",
	LowAgreement:   "Annotators hardly agree beyond chance (κ is below 0.25), so probabilities that take their errors to be independent can be far too certain: compare with the consensus without the model.",
	EndedEarly:     "The fit ended before it converged, so posteriors can still change: the command consensus --converge fits longer.",
	NotConverged:   "The fit ended after 5,000 steps before it converged, so posteriors can still change: labels from further annotators identify their errors better.",
}

func noteText(codes []NoteCode) string {
	var texts []string
	for _, c := range codes {
		texts = append(texts, noteTexts[c])
	}
	return strings.Join(texts, " ")
}
