package postgres

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// notExported are the tables that refer to an account and are in no export of it, by the reason.
var notExported = map[string]string{
	"annotator_counts":    "counts of labels",
	"annotator_paces":     "counts of hours",
	"batches":             "the audit log has who opened one",
	"erasures":            "the audit log has who erased",
	"hidden_items":        "would tell which items are hidden duplicates and gold",
	"identity.webhooks":   "belong to a project; the audit log has who created one",
	"import_tasks":        "progress of imports",
	"judgments":           "of models, which are no users",
	"overlap_rules":       "the audit log has who opened the batch",
	"pending_assignments": "the order of items to come",
	"projects":            "the audit log has who archived one",
	"protocol_revisions":  "the audit log has who published one",
	"slots":               "the order of items to come",
	"spot_checks":         "the audit log has who drew one",
	"withheld_items":      "derived from skips and from answers seen",
	"work_notices":        "notices about batches, until they are read",
}

// Every table that refers to an account is in the export, or on the list with a reason.
func TestExportAccount_EveryTable_IsExportedOrExplained(t *testing.T) {
	env := newTestEnv(t)
	tables, err := collectColumn[string](env.pool.Query(t.Context(), `
		SELECT DISTINCT replace(c.oid::regclass::text, 'public.', '')
		FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN ('public', 'identity')
		  AND (EXISTS (SELECT FROM pg_constraint k
		               WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid = 'accounts'::regclass)
		    OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id'))
		ORDER BY 1`))
	if err != nil || len(tables) < 40 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	var queries strings.Builder
	for _, s := range accountSections {
		queries.WriteString(s.query + "\n")
	}
	for _, table := range tables {
		pattern := regexp.MustCompile(`\b(FROM|JOIN) ` + regexp.QuoteMeta(table) + `\b`)
		isExported, isJoined := pattern.MatchString(queries.String()), table == "batches" || table == "projects"
		if _, isExplained := notExported[table]; isExported == isExplained && !isJoined {
			t.Errorf("%s: exported %t, explained %t", table, isExported, isExplained)
		}
	}
	for _, table := range slices.Sorted(maps.Keys(notExported)) {
		if !slices.Contains(tables, table) {
			t.Errorf("%s does not refer to accounts", table)
		}
	}
}

// Users get the labels of open batches only from an admin: in their own export they could look up hidden duplicates.
func TestExportAccount_OpenBatch_LabelsForAdminOnly(t *testing.T) {
	env := newTestEnv(t)
	_, _, annotators := env.newBatchFor(2, 4, project.BatchSpec{})
	annotator := annotators[0]
	env.submitAll(annotator, helpfulSubmission)
	hasLabels := func(sections []AccountSection, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(sections, func(s AccountSection) bool { return s.Name == "labels" })
	}
	if hasLabels(env.ExportAccount(t.Context(), annotator.ID, annotator.ID)) {
		t.Error("the own export has labels of an open batch")
	}
	if !hasLabels(env.ExportAccount(t.Context(), env.admin.ID, annotator.ID)) {
		t.Error("the export of an admin has no labels")
	}
	if _, err := env.ExportAccount(t.Context(), annotators[1].ID, annotator.ID); !errors.Is(err, fault.Forbidden) {
		t.Errorf("for another annotator: %v", err)
	}
}
