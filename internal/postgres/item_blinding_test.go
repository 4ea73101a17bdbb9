package postgres

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// everyFilter lists filters of each kind, in each of the orders.
func everyFilter(p project.Project, batch, annotator string, sorts []project.ItemSort) (filters []project.ItemFilter) {
	base := []project.ItemFilter{{}, {Batch: batch}, {Annotator: annotator}, {TiedOnly: true}, {UnresolvedOnly: true},
		{LabeledOnly: true}, {SkippedOnly: true},
		{SkippedOnly: true, SkipReason: string(labeling.Unclear)}, {Search: "question"}, {Search: "uestio"},
		{Condition: "system=1"}, {RecordID: "r1"}}
	for _, s := range project.ItemStates {
		base = append(base, project.ItemFilter{State: s}, project.ItemFilter{State: s, Search: "question"})
	}
	for _, f := range p.Protocol.Fields[:1] {
		base = append(base, project.ItemFilter{Field: f.Key}, project.ItemFilter{Answer: fmt.Sprintf("%s=%d", f.Key,
			f.Scale.Values()[0])})
		for _, method := range report.ConsensusMethods {
			base = append(base, project.ItemFilter{Consensus: string(method)},
				project.ItemFilter{Consensus: string(method), Field: f.Key})
		}
	}
	for _, f := range base {
		for _, f.Sort = range sorts {
			filters = append(filters, f)
		}
	}
	return filters
}

// listTexts returns everything that lists show an account, as texts.
func (env testEnv) listTexts(actor account.Account, p project.Project, b project.Batch,
	annotator string) (texts []string) {
	env.t.Helper()
	check := func(err error) {
		env.t.Helper()
		if err != nil {
			env.t.Fatal(err)
		}
	}
	for _, f := range everyFilter(p, b.Name, annotator, []project.ItemSort{project.SortImported,
		project.SortDisagreement}) {
		page, err := env.ListItems(env.t.Context(), actor.ID, p, f, "", 100)
		check(err)
		count, err := env.CountItems(env.t.Context(), actor.ID, p, f, false)
		for err == nil && count.IsUnknown { // it took too long
			count, err = env.CountItems(env.t.Context(), actor.ID, p, f, false)
		}
		check(err)
		text := strings.ReplaceAll(fmt.Sprintf("%s %s: %+v", f.Describe(locale.English), f.Sort, count), annotator, "me")
		var ids []project.ItemID
		for _, i := range page.Items {
			ids = append(ids, i.ID)
			i.ID, i.DecidedAt = 0, nil
			text += fmt.Sprintf(" %+v", i)
		}
		labels, err := env.ItemLabels(env.t.Context(), actor.ID, p, ids)
		check(err)
		consensus, err := env.ItemConsensus(env.t.Context(), actor.ID, p, ids)
		check(err)
		skips, err := env.ItemSkips(env.t.Context(), actor.ID, p, ids)
		check(err)
		decisions, err := env.CurrentDecisions(env.t.Context(), actor.ID, p, ids)
		check(err)
		texts = append(texts, fmt.Sprintf("%s %d labels, %d with consensus, %d skips, %d decisions", text, len(labels),
			len(consensus), len(skips), len(decisions)))
	}
	skips, err := env.SkippedItems(env.t.Context(), actor.ID, b.ID)
	check(err)
	requests, err := env.CorrectionRequests(env.t.Context(), actor.ID, b.ID)
	check(err)
	texts = append(texts, fmt.Sprintf("%d skips", len(skips)))
	for _, r := range requests {
		if r.OwnItemNo > 0 {
			texts = append(texts, fmt.Sprintf("own item %d, %q of %q", r.OwnItemNo, r.SourceID, r.Message))
		} else if r.Message+r.Reply != "" {
			texts = append(texts, "message of another annotator: "+r.Message)
		}
	}
	return texts
}

// labelAtRandom has the annotators submit, skip and report as random says.
func (env testEnv) labelAtRandom(random *rand.Rand, annotators []account.Account) {
	env.t.Helper()
	for _, a := range annotators {
		for token := env.openItem(a); token != "" && random.IntN(12) > 0; {
			switch random.IntN(6) {
			case 0:
				token = env.skipItem(a, token, labeling.Skip{Reason: labeling.SkipReasons[random.IntN(3)],
					Comment: "Why?"})
			default:
				submitted := token
				token = env.mustSubmit(a, token, randomScores(random))
				if random.IntN(3) == 0 {
					_ = env.RequestCorrection(env.t.Context(), a.ID, submitted, "I meant something else.")
				}
			}
		}
	}
}

// newWorld opens a batch in which a lead labels, too, and has the others act at random.
func (env testEnv) newWorld(key string, random *rand.Rand, emails []string, annotators []account.Account,
	lead account.Account) (project.Project, project.Batch) {
	env.t.Helper()
	p, err := env.CreateProject(env.t.Context(), env.admin, project.Spec{Key: key, Title: "World", Protocol: "empathy"})
	if err != nil {
		env.t.Fatal(err)
	}
	items := make([]project.Item, 14)
	for i := range items {
		items[i] = project.Item{SourceID: fmt.Sprintf("item-%d", i+1), Facts: protocol.Facts{},
			Content: project.Content{"user_statement": {Text: fmt.Sprintf("Question %d", i+1)},
				"response": {Text: "So it is."}}}
	}
	if err := env.Import(env.t.Context(), env.admin.ID, p, File{Name: "s.jsonl"}, items); err != nil {
		env.t.Fatal(err)
	}
	env.addLead(p, lead)
	env.updateProject(p, "content_warning = ''")
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(slices.Clone(emails), lead.Email),
		Overlap: 3, Seed: 5, DuplicateCount: 2, BreakEvery: 1000})
	env.labelAtRandom(random, annotators)
	change := project.BatchChange{Reason: "Check.", Rule: &project.OverlapRule{MinDifference: 1, MostLabels: 4},
		KeepRule: random.IntN(2) == 0}
	if _, err := env.ChangeBatch(env.t.Context(), env.admin.ID, p, b.Name, change); err != nil {
		env.t.Fatal(err)
	}
	for range 4 {
		item := query[project.ItemID](env, `SELECT item_id FROM item_states WHERE project_id = $1 ORDER BY random()
			LIMIT 1`, p.ID)
		_ = env.adjudicate(env.admin, p, item, labeling.Decision{Answers: randomScores(random).Answers, Reason: "So.",
			Cause: labeling.BadData})
	}
	return p, b
}

// Whatever others do, a lead who labels in an open batch reads the same in every list.
func TestBlinding_LabelingLead_ListsAreIndependentOfOthers(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, annotators := env.newAnnotators(3)
	var worlds [][]string
	for seed := range uint64(2) {
		p, b := env.newWorld(fmt.Sprintf("w%d", seed), rand.New(rand.NewPCG(seed, 1)), emails, annotators, lead)
		members, err := env.Members(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		own := members[slices.IndexFunc(members, func(m Member) bool { return m.AccountID == lead.ID })].Pseudonym
		texts := env.listTexts(lead, p, b, own)
		if before := env.listTexts(env.admin, p, b, own); slices.Equal(texts, before) {
			t.Error("an admin sees nothing that the lead does not")
		}
		worlds = append(worlds, texts)
		env.closeBatch(p, b)
	}
	for _, texts := range worlds[1:] {
		if diff := cmp.Diff(worlds[0], texts); diff != "" {
			t.Errorf("the lists differ:\n%s", diff)
		}
	}
}

// An own correction request names the item as annotators see it: two requests on the same
// item would tell a hidden duplicate.
func TestCorrectionRequests_Own_NameNoItem(t *testing.T) {
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	emails, _ := env.newAnnotators(1)
	p := env.newProject("own", 12)
	env.addLead(p, lead)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Annotators: append(emails, lead.Email), Overlap: 2,
		DuplicateCount: 2, BreakEvery: 1000})
	n := env.submitEach(lead, func(string) labeling.Submission { return helpfulSubmission })
	list, err := env.SubmittedItems(t.Context(), lead.ID, b.ID, 0, 100)
	submitted := list.Items
	if err != nil || len(submitted) != n || env.queryInt(`SELECT count(*) FROM assignments
		WHERE kind = 'duplicate'`) != 2 {
		t.Fatalf("%d of %d items, %v", len(submitted), n, err)
	}
	for _, item := range submitted {
		if err := env.RequestCorrection(t.Context(), lead.ID, item.Token,
			fmt.Sprint("Item ", item.ItemNo)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(areOwn bool) {
		t.Helper()
		requests, err := env.CorrectionRequests(t.Context(), lead.ID, b.ID)
		if err != nil || len(requests) != n {
			t.Fatalf("%d requests, %v", len(requests), err)
		}
		for _, r := range requests {
			if isOwn := r.SourceID == "" && r.ItemID == 0 && r.Message == fmt.Sprint("Item ",
				r.OwnItemNo); isOwn != areOwn || r.Hidden || areOwn == (r.OwnItemNo == 0) {
				t.Errorf("%+v", r)
			}
		}
	}
	check(true)
	env.closeBatch(p, b)
	check(false)
}

// The filters by consensus agree with the consensus that the lists show.
func TestListItems_ByConsensus_AgreesWithList(t *testing.T) {
	env := newTestEnv(t)
	random := rand.New(rand.NewPCG(3, 4))
	p, annotators := env.newScaleBatch(5, 16)
	for n, a := range annotators {
		env.submitEach(a, func(string) labeling.Submission { return randomScores(random) })
		if n == 2 {
			if err := env.adjudicate(env.admin, p, env.firstItem(p),
				labeling.Decision{Answers: randomScores(random).Answers, Reason: "So.",
					Cause: labeling.BadData}); err != nil {
				t.Fatal(err)
			}
		}
		all, err := env.ListItems(t.Context(), 0, p, project.ItemFilter{LabeledOnly: true}, "", 100)
		if err != nil || len(all.Items) != 16 {
			t.Fatalf("%d items, %v", len(all.Items), err)
		}
		var ids []project.ItemID
		for _, i := range all.Items {
			ids = append(ids, i.ID)
		}
		consensus, err := env.ItemConsensus(t.Context(), 0, p, ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range report.ConsensusMethods {
			for _, field := range []string{"", "emotion", "safety"} {
				var want []project.ItemID
				for _, id := range ids {
					for key, result := range consensus[id].Fields {
						if result.Method == method && (field == "" || field == key) && !slices.Contains(want, id) {
							want = append(want, id)
						}
					}
				}
				got, err := env.SelectItems(t.Context(), 0, p, project.ItemFilter{Consensus: string(method),
					Field: field})
				if err != nil && len(want) > 0 || !slices.Equal(got, want) {
					t.Errorf("%d labels, %s on %q: %v, want %v, %v", n+1, method, field, got, want, err)
				}
			}
		}
	}
}
