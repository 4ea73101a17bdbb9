package postgres

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// A skipWorld is a batch in which personal skips have one reason.
type skipWorld struct {
	project project.Project
	batch   project.Batch
	reason  labeling.SkipReason
}

// Leads see the same, whether an annotator skips items as distressing or as outside their
// expertise: in no row, sum or entry can they tell who was distressed.
func TestSkip_Distressing_LeadsCannotTell(t *testing.T) {
	for seed, spec := range []project.BatchSpec{
		{Overlap: 2, DuplicateCount: 2},
		{Overlap: 1, Assignment: project.Pool},
		{Overlap: 3, DuplicateCount: 1, CalibrationCount: 2},
	} {
		for i, policy := range labeling.SkipPolicies {
			if i != seed && !require.FullSize() {
				continue
			}
			t.Run(fmt.Sprintf("%d %s", seed, policy), func(t *testing.T) {
				env := newTestEnv(t)
				emails, annotators := env.newAnnotators(3)
				lead := env.newUser("lead@example.org", account.Lead)
				spec.Name, spec.Seed, spec.Annotators = "one", 5, append(emails, lead.Email)
				var worlds []skipWorld
				for key, reason := range map[string]labeling.SkipReason{"expert": labeling.OutsideExpertise,
					"distress": labeling.Distressing} {
					p := env.newProject(key, 24)
					env.addLead(p, lead)
					if spec.CalibrationCount > 0 {
						env.addReferences(p, spec.CalibrationCount)
					}
					env.updateProject(p, `skip_policy = '`+string(policy)+`', title = 'Same'`)
					worlds = append(worlds, skipWorld{p, env.newBatch(p, spec), reason})
				}
				env.playSkips(worlds, append(annotators, lead), lead, uint64(seed))
			})
		}
	}
}

// playSkips has the annotators do the same in each world, and compares what leads see after
// each personal skip and at the end.
func (env testEnv) playSkips(worlds []skipWorld, annotators []account.Account, lead account.Account, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	compare := func(step string) {
		env.t.Helper()
		for _, actor := range []account.Account{env.admin, lead} {
			if diff := cmp.Diff(env.leadView(actor, worlds[0]), env.leadView(actor, worlds[1])); diff != "" {
				env.t.Fatalf("%s: what %s sees (-%s +%s):\n%s", step, actor.Email, worlds[0].reason,
					worlds[1].reason, diff)
			}
		}
	}
	for step := range 50 {
		a, action := annotators[random.IntN(len(annotators))], random.IntN(5)
		for _, w := range worlds {
			env.playStep(w, a, action)
		}
		if action == 0 {
			compare(fmt.Sprintf("step %d", step))
			for _, w := range worlds {
				env.openIn(w, a) // continues before the others do anything
			}
		}
	}
	env.execSQL(`UPDATE batches SET opened_at = now() - interval '4 days'`)
	env.execSQL(`UPDATE batch_annotators SET last_opened_at = now() - interval '3 days'
		WHERE account_id <> $1`, annotators[0].ID)
	env.refreshStates()
	compare("at the end")
}

func (env testEnv) openIn(w skipWorld, a account.Account) string {
	env.t.Helper()
	token, err := env.OpenNext(env.t.Context(), a.ID, w.batch.ID)
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

// playStep has an annotator skip the open item for a personal reason (0) or another one (1),
// or submit it.
func (env testEnv) playStep(w skipWorld, a account.Account, action int) {
	env.t.Helper()
	token := env.openIn(w, a)
	if token == "" {
		env.execSQL(`UPDATE calibration_attempts SET resolved_at = now() WHERE batch_id = $1
			AND completed_at IS NOT NULL AND resolved_at IS NULL`, w.batch.ID)
		return
	}
	switch action {
	case 0:
		env.skipItem(a, token, labeling.Skip{Reason: w.reason, Comment: "private"})
	case 1:
		env.skipItem(a, token, labeling.Skip{Reason: labeling.Unclear, Comment: "odd"})
	default:
		env.mustSubmit(a, token, helpfulSubmission)
	}
}

// leadView returns what a lead sees of a batch, without ids and times.
func (env testEnv) leadView(actor account.Account, w skipWorld) string {
	env.t.Helper()
	ctx, parts := env.t.Context(), map[string]any{}
	add := func(name string, part any, err error) {
		if err != nil {
			env.t.Fatal(name, err)
		}
		parts[name] = part
	}
	b, err := env.Batch(ctx, actor.ID, w.project.ID, w.batch.Name)
	add("batch", b, err)
	board, err := env.Board(ctx, actor.ID, w.project.Protocol, b)
	add("board", board, err)
	state, err := env.BatchState(ctx, actor.ID, b.ID)
	add("state", state, err)
	skips, err := env.SkippedItems(ctx, actor.ID, b.ID)
	add("skips", skips, err)
	duplicates, err := env.DuplicateSummary(ctx, actor.ID, b.ID)
	add("duplicates", duplicates, err)
	skipCounts, err := env.SkipCounts(ctx, b.ID)
	add("skip counts", skipCounts, err)
	paces, err := env.AnnotatorPaces(ctx, b.ID)
	add("paces", len(paces), err) // sorted by pseudonym
	members, err := env.BatchMembers(ctx, b.ID)
	add("members", members, err)
	for _, row := range board {
		record, err := env.MemberRecord(ctx, actor.ID, w.project, row.Pseudonym)
		add("record of "+row.Name, record, err)
	}
	entries, err := env.Inbox(ctx, actor.ID, actor)
	var own []labeling.InboxEntry
	for _, e := range entries {
		if e.ProjectKey == w.project.Key {
			own = append(own, e)
		}
	}
	add("inbox", own, err)
	return withoutIDs(env.t, parts)
}

// withoutIDs writes a value as JSON without ids, pseudonyms, keys and times.
func withoutIDs(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(data, &decoded); err != nil {
		t.Fatal(err)
	}
	data, _ = json.MarshalIndent(removeIDs(decoded), "", " ")
	return string(data)
}

func removeIDs(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, element := range v {
			if strings.HasSuffix(key, "ID") || key == "Pseudonym" || key == "ProjectKey" {
				delete(v, key)
			} else {
				v[key] = removeIDs(element)
			}
		}
	case []any:
		for i := range v {
			v[i] = removeIDs(v[i])
		}
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			return "time"
		}
		name, _, _ := strings.Cut(v, " · a-") // and a pseudonym
		return name
	}
	return value
}
