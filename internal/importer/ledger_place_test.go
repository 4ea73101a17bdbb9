package importer

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
)

// TestLedger_EqualValues_StayWhereTheyAre checks that an id or a name that equals another value of the record, such
// as the type of a part or a word of a citation, is the id of the item, or its metadata under its own key.
func TestLedger_EqualValues_StayWhereTheyAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		preset             Preset
		record, want, left string
	}{
		{PresetOpenAIChat, `{"messages":[{"role":"user","content":"Q?"},{"role":"assistant","content":[{"type":"thinking","thinking":"T"},{"type":"text","text":"A"}]}],"id":"thinking"}`,
			"thinking turns=<user: Q?><assistant: T><assistant: A>", "id"},
		{PresetOpenAIChat, `{"messages":[{"role":"user","content":"Q?"},{"role":"assistant","content":"A"}],"model":"user","id":"assistant"}`,
			`assistant turns=<user: Q?><assistant: A> meta.model="user"`, "id"},
		{PresetAnthropic, `{"messages":[{"role":"user","content":"Q?"},{"role":"assistant","content":[{"type":"text","text":"A","citations":[{"cited_text":"c"}]}]}],"model":"c","id":"text"}`,
			`text turns=<user: Q?><assistant: A> meta.messages[].content[].citations=[null,[[{"cited_text":"c"}]]] meta.model="c"`, "id"},
	} {
		ledger, got := NewLedger(), ""
		o := Options{Preset: c.preset, Ledger: ledger}
		err := o.ScanItems(t.Context(), builtinProtocol(t, "ambiguity"), "a.jsonl",
			strings.NewReader(c.record), func(item project.Item) error {
				got = describeItem(item)
				return nil
			})
		if err != nil || got != c.want {
			t.Errorf("%v, got\n%s\nwant\n%s", err, got, c.want)
		}
		for _, k := range ledger.Keys {
			if (k.Key == c.left) != (k.IDs == 1) || k.LeftOut > 0 {
				t.Errorf("%s: %+v", c.record, k)
			}
		}
	}
}
