package page

import "github.com/labelwright/labelwright/web/ui"

// skipReasonOptions lists what may be the matter with an item set aside, as the contract names it.
func skipReasonOptions(chosen string) []ui.Option {
	reasons := []ui.Option{
		{Value: "invalid_or_unrealistic", Text: "It is broken or not realistic"},
		{Value: "unclear", Text: "I cannot tell what it means"},
		{Value: "outside_expertise", Text: "It is outside what I know"},
		{Value: "distressing", Text: "It is distressing", Hint: "Nothing more is asked. It goes at once, and does not come back to you."},
	}
	for i, r := range reasons {
		reasons[i].Chosen = r.Value == chosen
	}
	return reasons
}
