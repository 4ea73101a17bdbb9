package page_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// An annotator has one letter on an item, whatever the order of the labels, and not the same on all items.
func TestLetterAnswers_AnyOrder_SameLetters(t *testing.T) {
	t.Parallel()
	var answers []page.AnnotatorAnswers
	for i := range 5 {
		answers = append(answers, page.AnnotatorAnswers{AnnotationID: int64(i), Annotator: string(rune('v' + i))})
	}
	answers = append(answers, page.AnnotatorAnswers{AnnotationID: 5, Annotator: "v"}) // in a second batch
	first := map[string]bool{}
	for id := range project.ItemID(40) {
		want := lettersByLabel(id, answers)
		shuffled := slices.Clone(answers)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := lettersByLabel(id, shuffled); !reflect.DeepEqual(got, want) || want[0] != want[5] {
			t.Fatalf("item %d: %v, and in another order %v", id, want, got)
		}
		first[want[0]] = true
	}
	if len(first) < 3 {
		t.Errorf("over 40 items, an annotator is only %v", first)
	}
}

func lettersByLabel(id project.ItemID, answers []page.AnnotatorAnswers) map[int64]string {
	letters := map[int64]string{}
	for _, g := range page.LetterAnswers(id, answers) {
		letters[g.AnnotationID] = g.Annotator
	}
	return letters
}
