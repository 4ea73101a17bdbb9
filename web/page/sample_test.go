package page_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

func builtinProtocol(t testing.TB, key string) protocol.Protocol {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key == key {
			return p
		}
	}
	t.Fatalf("no protocol %q", key)
	return protocol.Protocol{}
}

// newLabelData returns a labelling screen of the protocol with content of every kind.
func newLabelData(t testing.TB, key string) page.LabelData {
	t.Helper()
	p := builtinProtocol(t, key)
	content := project.Content{}
	for _, part := range p.Unit.Parts {
		content[part.Key] = sampleContents[part.Key]
	}
	return page.LabelData{
		Token:    key,
		Project:  page.Project{Title: "Pilot of " + p.Title, SupportURL: "https://support.example/"},
		Protocol: p,
		Content:  content,
		Facts:    project.DeriveFacts(p, content),
		Progress: page.Progress{Done: 37, Total: 160, ItemsToBreak: 23},
	}
}

var sampleContents = project.Content{
	"user_statement": {Text: "I got the promotion I worked four years for, and all I felt on the way home was dread. My partner cooked dinner to celebrate and I sat there pretending. I don't know how to tell anyone that I think I made a mistake."},
	"response":       {Text: "It sounds lonely to sit at a table set for your success and feel something so different inside. Dread after a long climb can mean many things, and noticing it does not make you ungrateful.\n\nYou might try telling your partner just the first part, “I am not sure how I feel yet”, before deciding anything.\nIf the heaviness stays for a couple of weeks, a counsellor can help you sort the job from the fear of failing at it."},
	"turns": {Turns: []project.Turn{
		{Role: "user", Text: "I have two offers and until Friday. Both are fine. What should I do?"},
		{Role: "assistant", Text: "You have called both of them fine, and that may be all there is to know today. Nothing you have written makes one of them the mistake."},
		{Role: "user", Text: "That does not help. Just tell me which one."},
		{Role: "assistant", Text: "I could name one, and it would be a coin in a suit. The Friday is theirs; whether it has to be yours is still open."},
	}},
	"query": {Text: "How long may cooked rice be kept in the fridge?"},
	"chunk": {Chunks: []project.Chunk{{ID: "c-17", Source: "https://food.example/storage?x=<b>", Rank: 3,
		Text: "Cooked rice should be cooled within an hour and kept below 5 °C. Eat it within one day, and reheat it only once."}}},
	"answer": {Text: "Eat it within one day [1]. Some say that up to four days is safe [4]."},
	"context_set": {Chunks: []project.Chunk{
		{ID: "c-17", Source: "Storing food", Rank: 1,
			Text: "Cooked rice should be cooled within an hour and kept below 5 °C. Eat it within one day."},
		{ID: "c-02", Rank: 2, Text: "Leftovers keep three to four days in general. Grains that were left warm are an exception."},
	}},
}

// longText is an item of ten thousand words.
func longText() string {
	paragraph := strings.Repeat("Some days weigh more than others and no one can say why. ", 20)
	return strings.TrimSpace(strings.Repeat(paragraph+"\n\n", 50))[:]
}

const unbrokenURL = "https://example.org/" + "aVeryLongAddressWithoutAnySpace"

// sampleTexts returns items in scripts that a page set for English alone would
// break.
func sampleTexts() map[string]string {
	return map[string]string{
		"arabic":   "حصلت على الترقية التي عملت من أجلها أربع سنوات، ولم أشعر إلا بالخوف. قال مديري: “Well done!” ثم انصرف.",
		"chinese":  "我得到了努力四年的升职，可回家的路上只感到恐惧。伴侣做了晚餐庆祝，我却坐在那里假装开心。",
		"unbroken": strings.Repeat(unbrokenURL, 20),
		"long":     longText(),
		"short":    "I do not know what to say any more today.",
		"hidden":   "Pay \u202e001$ ot\u202c me\u200b now \u2066isolated\u2069 and\u0007 done",
	}
}
