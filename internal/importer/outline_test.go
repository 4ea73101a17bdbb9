package importer

import (
	"strings"
	"testing"
)

func TestOutline_Guess_FindsTheMostAlikeName(t *testing.T) {
	t.Parallel()
	const record = `{"run": {"User Question": "Why?", "model_output": "Because.", "final-answer": "So."}, "output": "x",
		"itemID": 7}`
	outline := Options{}.Outline(t.Context(), builtinProtocol(t, "empathy"), "a.jsonl", strings.NewReader(
		strings.ReplaceAll(record, "\n", "")))
	for column, want := range map[string]string{"response": "output", "question": "run.User Question", "id": "itemID",
		"answer": "output", "final_answer": "run.final-answer", "record_id": "", "chunks": ""} {
		if got := outline.Guess(column); got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
}
