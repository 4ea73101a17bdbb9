package page

import "github.com/labelwright/labelwright/web/ui"

// asideReasons lists why an item may be set aside, as the contract names it.
func asideReasons(chosen string) []ui.Option {
	reasons := []ui.Option{
		{Value: "invalid_or_unrealistic", Text: "It is broken or not realistic"},
		{Value: "unclear", Text: "I cannot tell what it means"},
		{Value: "outside_expertise", Text: "It is outside what I know"},
		{Value: "distressing", Text: "It is distressing", Hint: "You need not say why."},
	}
	for i, r := range reasons {
		reasons[i].Chosen = r.Value == chosen
	}
	return reasons
}
