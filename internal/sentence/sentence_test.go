package sentence_test

import (
	"testing"

	"github.com/labelwright/labelwright/internal/sentence"
)

func TestCount_Text_CountsSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":               0,
		"Agreement":      1,
		"Enough overlap": 1, "No verdict. Every answer is 3.": 2,
		"κ is 0.55 (95% CI 0.31–0.75, 60 shared items). Go ahead.":    2,
		"κ is −0.10. a-3 gave every item the answer 2. Ask them.":     3,
		"Some fields, e.g. tone, vs. the others. Read i.e. this one.": 2,
		"“Dr. A. Smith. A note.” scores higher than “v1. 2”.":         1,
		"The guide says: “Choose 2. Or 3?” Read it. Then":             3,
		"Is it so? Yes! It is (see the table.) Read it.":              4,
		"By J. Doe and A. Roe, p < 0.001, n = 1,033 items.":           1,
		"Shares of 0.5. 12 of 60 items.":                              2,
	} {
		if got := sentence.Count(text); got != want {
			t.Errorf("%q: %d sentences, want %d", text, got, want)
		}
	}
}
