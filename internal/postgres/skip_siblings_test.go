package postgres

import (
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// addSiblings adds items in groups: those of a group have the same prompt, or the same record.
func (env testEnv) addSiblings(p project.Project, groups, size int, byRecord bool) {
	env.t.Helper()
	var items []project.Item
	for i := range groups * size {
		group := i % groups
		item := project.Item{SourceID: fmt.Sprintf("g%d-%d", group, i), Facts: protocol.Facts{}, Content: project.Content{
			"query": {Text: fmt.Sprintf("Question %d?", group)}, "answer": {Text: fmt.Sprintf("Answer %d.", i)}}}
		if byRecord {
			item.RecordID, item.Content["query"] = fmt.Sprintf("r%d", group), project.PartContent{Text: fmt.Sprintf(
				"Question %d?", i)}
		}
		items = append(items, item)
	}
	file := File{Name: "groups.jsonl", SHA256: [32]byte{7}}
	if err := env.Import(env.t.Context(), env.admin.ID, p, file, items); err != nil {
		env.t.Fatal(err)
	}
}

// An annotator who skipped an item for a personal reason gets nothing with the same content
// anymore, neither new nor as a hidden duplicate, and another annotator gets all of it.
func TestSkip_Personal_WithholdsSiblings(t *testing.T) {
	for _, assignment := range []project.AssignmentMode{project.Planned, project.Pool} {
		for _, byRecord := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, by record %v", assignment, byRecord), func(t *testing.T) {
				env := newTestEnv(t)
				p := env.newProject("groups", 0)
				env.addSiblings(p, 3, 12, byRecord)
				env.updateProject(p, `skip_policy = 'return_later'`)
				emails, annotators := env.newAnnotators(2)
				env.newBatch(p, project.BatchSpec{Name: "one", Annotators: emails, Overlap: 1, Assignment: assignment,
					DuplicateCount: 3, Seed: 3})
				ann, ben := annotators[0], annotators[1]
				token := env.openItem(ann)
				env.mustSubmit(ann, token, helpfulSubmission)
				groupOf := `(SELECT left(i.source_id, 2) FROM items i WHERE i.id = a.item_id)`
				group := query[string](env, `SELECT `+groupOf+` FROM assignments a WHERE token = $1`, token)
				for token = env.openItem(ann); token != ""; {
					if query[string](env, `SELECT `+groupOf+` FROM assignments a WHERE token = $1`, token) == group {
						break
					}
					token = env.skipItem(ann, token, labeling.Skip{Reason: labeling.Unclear, Comment: "why?"})
				}
				last := query[int](env, `SELECT sequence_no FROM assignments a WHERE token = $1`, token)
				token = env.skipItem(ann, token, labeling.Skip{Reason: labeling.Distressing})
				for n := 0; token != ""; n++ {
					if token = env.mustSubmit(ann, token, helpfulSubmission); n > 100 {
						t.Fatal("no end")
					}
				}
				if n := query[int](env, `SELECT count(*) FROM assignments a WHERE account_id = $1 AND sequence_no > $2 AND `+
					groupOf+` = $3`, ann.ID, last, group); n > 0 {
					t.Errorf("%d siblings came after the skip", n)
				}
				for token = env.openItem(ben); token != ""; {
					token = env.mustSubmit(ben, token, helpfulSubmission)
				}
				if n := query[int](env, `SELECT count(DISTINCT a.item_id) FROM assignments a
					WHERE kind = 'work' AND state = 'submitted' AND `+groupOf+` = $1`, group); n != 12 {
					t.Errorf("%d of 12 siblings have a label", n)
				}
				env.checkCount(0, `batch_annotators WHERE waiting_count <> 0`)
			})
		}
	}
}
