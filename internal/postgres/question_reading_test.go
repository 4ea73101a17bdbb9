package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
)

// Before the required reading nothing can be asked about an item.
func TestAskLead_BeforeReading_Rejected(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(1, 2, project.BatchSpec{})
	ann := annotators[0]
	token := env.openItem(ann)
	env.execSQL(`DELETE FROM reading_acknowledgments`)
	checkErrorIs(t, "unread", env.AskLead(t.Context(), ann.ID, token, "Why?"), labeling.ErrMustRead)
	env.checkCount(0, `questions`)
	reading, err := env.RequiredReading(t.Context(), ann.ID, query[project.BatchID](env, `SELECT id FROM batches`))
	for err == nil && reading.Document != "" {
		b := query[project.BatchID](env, `SELECT id FROM batches`)
		if err = env.AcknowledgeReading(t.Context(), ann.ID, b, reading.Document, reading.Version); err == nil {
			reading, err = env.RequiredReading(t.Context(), ann.ID, b)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := env.AskLead(t.Context(), ann.ID, token, "Why?"); err != nil {
		t.Error(err)
	}
}
