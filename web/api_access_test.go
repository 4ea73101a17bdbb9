package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/require"
)

// apiTokens are the columns of the table. The tokens read to all are of the lead of mine, with
// one scope or all; limited reaches mine only, and is of a lead of both projects. The tokens of
// the lead who was demoted, made a viewer, removed or disabled, and the expired and revoked one, have all scopes and
// were created before. That of an annotator has the scope label.
var apiTokens = []string{"none", "read", "judge", "manage", "export", "all", "limited", "other lead", "labeling lead",
	"annotator", "admin", "demoted", "viewer", "removed", "disabled", "expired", "revoked"}

// ragAnswers are valid answers to the questions of the projects.
var ragAnswers = map[string]int{"proper_action": 1, "response_on_topic": 1, "helpful": 1, "incomplete": 0,
	"unsafe_content": 0}

// newDefinition returns a definition that is not published.
func (env testEnv) newDefinition() string {
	env.Helper()
	p, err := env.db.Protocol(env.Context(), "rag-generation", 1)
	if err != nil {
		env.Fatal(err)
	}
	return firstRevision(strings.Replace(p.Source, "rag-generation", "mine", 1))
}

// An apiFixture has the projects of an accessFixture and tokens.
type apiFixture struct {
	*accessFixture
	tokens map[string]string
}

func newAPIFixture(t *testing.T) apiFixture {
	t.Helper()
	f := apiFixture{newAccessFixture(t), map[string]string{"none": ""}}
	f.addCalibration("mine", "lead", "annotator")
	f.addCalibration("theirs", "other lead", "other annot.")
	lead, admin := f.accounts["lead"], f.accounts["admin"]
	both := f.newUser("both@example.org", account.Lead)
	for _, key := range []string{"mine", "theirs"} {
		f.addMembers(f.project(key), account.Lead, both.Email)
	}
	owners := map[string]account.Account{"all": lead, "other lead": f.accounts["other lead"],
		"labeling lead": f.accounts["labeling lead"], "expired": lead, "revoked": lead}
	for _, name := range []string{"demoted", "viewer", "removed", "disabled"} {
		owners[name] = f.newUser(name+"-lead@example.org", account.Lead)
		f.addMembers(f.project("mine"), account.Lead, owners[name].Email)
	}
	for name, owner := range owners {
		f.tokens[name] = f.newToken(owner, leadScopes).token
	}
	for _, s := range leadScopes {
		f.tokens[string(s)] = f.newToken(lead, []account.Scope{s}).token
	}
	f.tokens["limited"] = f.newToken(both, leadScopes, "mine").token
	f.tokens["annotator"] = f.newToken(f.accounts["annotator"], []account.Scope{account.ScopeLabel}).token
	f.tokens["admin"] = f.newToken(admin, account.Scopes).token
	_, err := f.db.RemoveMember(t.Context(), 0, f.project("mine"), owners["removed"].Email)
	if err == nil {
		err = f.db.UpdateAccount(t.Context(), 0, owners["demoted"].ID, account.Annotator, false)
	}
	if err == nil {
		err = f.db.UpdateAccount(t.Context(), 0, owners["viewer"].ID, account.Viewer, false)
	}
	if err == nil {
		err = f.db.UpdateAccount(t.Context(), 0, owners["disabled"].ID, account.Lead, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.execSQL(`UPDATE members SET role = 'viewer' WHERE account_id = $1`, owners["viewer"].ID)
	f.execSQL(`UPDATE identity.api_tokens SET expires_at = now()
		WHERE token_hash = $1`, account.HashToken(f.tokens["expired"]))
	f.execSQL(`UPDATE identity.api_tokens SET revoked_at = now()
		WHERE token_hash = $1`, account.HashToken(f.tokens["revoked"]))
	return f
}

func (f apiFixture) copyOn(t *testing.T) apiFixture {
	t.Helper()
	c := apiFixture{&accessFixture{testEnv: newTestEnvOn(t, pgtest.NewCopy(t, f.databaseURL)), accounts: f.accounts,
		objects: f.objects}, f.tokens}
	c.server.api.SetLimit(1_000_000)
	return c
}

// addCalibration opens a batch with a calibration set in a project.
func (f apiFixture) addCalibration(key, leadIdentity, annotatorIdentity string) {
	f.Helper()
	p, lead, objects := f.project(key), f.accounts[leadIdentity], f.objects[key]
	free := query[[]project.ItemID](f.testEnv, `SELECT array_agg(item_id ORDER BY item_id) FROM available_items
		WHERE project_id = $1`, p.ID)
	reference := labeling.Reference{Answers: protocol.Answers{Values: ragAnswers},
		Reasons: map[string]string{protocol.NoteKey: "It is."}}
	if err := f.db.SetReference(f.Context(), lead.ID, p, free[2], reference); err != nil {
		f.Fatal(err)
	}
	b := f.newBatchFromSpec(lead, p, project.BatchSpec{Name: "calibrated in " + key,
		Annotators: []string{f.accounts[annotatorIdentity].Email}, Overlap: 1, ItemIDs: free[1:2],
		CalibrationCount: 1, Seed: 3})
	objects["{calibrated}"], objects["{reference}"], objects["{free item}"] = b.Name, formatID(free[2]),
		formatID(free[0])
	objects["{pseudonym}"] = strings.TrimPrefix(objects["/members/{pseudonym}"], "/members/")
}

// mayWrite reports whether a request may change data, so that it needs a copy of the fixture.
func mayWrite(op apiOperation, scope, token string) bool {
	// which are recorded in the audit log
	if op.method == http.MethodGet && op.id != "list-annotations" && op.id != "download-unblinding-key" {
		return false
	}
	hasScope := token == op.scope || token == "annotator" && op.scope == "label" || token == "admin" ||
		op.scope != "admin" && op.scope != "label" &&
			slices.Contains([]string{"all", "limited", "other lead", "labeling lead"}, token)
	switch {
	case token == "removed": // still leads other projects
		return !strings.Contains(op.path, "{project}") && op.scope != "admin" && op.scope != "label"
	case op.scope == "label": // no scope names an object of a project
		return hasScope
	case !hasScope || scope == "absent" || scope == "mixed":
		return false
	case token == "admin" || !strings.Contains(op.path, "{project}"):
		return true
	case token == "other lead":
		return scope == "foreign"
	}
	return scope == "own"
}

// Every operation is called with every token, about objects of the own project, of another one
// and absent ones. The golden table has the outcomes. No request changes data unless the scope,
// the projects of the token and its account allow it.
func TestAPI_ByToken_MatchGolden(t *testing.T) {
	t.Parallel()
	prepared := newAPIFixture(t)
	operations := apiClient{testEnv: prepared.testEnv}.operations()
	prepared.close()
	shared := prepared.copyOn(t)
	before := shared.hashState()
	var table strings.Builder
	fmt.Fprintf(&table, "%-62s", "")
	for _, token := range apiTokens {
		fmt.Fprintf(&table, " %-13s", token)
	}
	for _, op := range operations {
		for _, scope := range scopes {
			if scope != "own" && !strings.Contains(op.path, "{project}") || scope == "mixed" && op.countObjects() == 0 {
				continue
			}
			name := op.method + " " + op.path
			if scope != "own" {
				name = "    " + scope
			}
			fmt.Fprintf(&table, "\n%-62s", name)
			statuses := map[string]int{}
			var writing []string
			for _, token := range apiTokens {
				if mayWrite(op, scope, token) {
					writing = append(writing, token)
				} else {
					statuses[token] = shared.call(op, scope, token).status
				}
			}
			for len(writing) > 0 {
				require.Time(t)                                     // a copy that is skipped would be tried forever
				isCalled := t.Run("on a copy", func(t *testing.T) { // which is dropped, with its server, when it ends
					f, hasWritten := prepared.copyOn(t), false
					var repeated []string // after a write that may have made them impossible
					for _, token := range writing {
						statuses[token] = f.call(op, scope, token).status
						if statuses[token] < 400 {
							hasWritten = true
						} else if hasWritten {
							repeated = append(repeated, token)
						}
					}
					writing = repeated
				})
				if !isCalled {
					return
				}
			}
			for _, token := range apiTokens {
				fmt.Fprintf(&table, " %-13d", statuses[token])
			}
		}
	}
	if diff := gocmp.Diff(strings.Split(before, "\n"), strings.Split(shared.hashState(), "\n")); diff != "" {
		t.Errorf("a request that may not changed data (-before +after):\n%s", diff)
	}
	text := table.String() + "\n"
	checkGolden(t, "testdata/api-access.golden", trimLines(text))
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// Whatever happens to the account and its memberships, a token reaches the projects that its
// maker leads then, and of those only the ones it is limited to.
func TestAPI_Token_NeverMoreThanMaker(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin, maker := env.newUser("admin@example.org", account.Admin), env.newUser("maker@example.org", account.Lead)
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		env.newProject(admin, key, 1)
		env.addMembers(env.mustProject(key), account.Lead, maker.Email)
	}
	tokens := map[string]apiClient{"": env.newToken(maker, leadScopes), "a": env.newToken(maker, leadScopes, "a")}
	member := func(key string, isMember bool) func() error {
		return func() error {
			if isMember {
				env.addMembers(env.mustProject(key), account.Lead, maker.Email)
				return nil
			}
			_, err := env.db.RemoveMember(t.Context(), 0, env.mustProject(key), maker.Email)
			return err
		}
	}
	role := func(r account.Role, disabled bool) func() error {
		return func() error { return env.db.UpdateAccount(t.Context(), 0, maker.ID, r, disabled) }
	}
	for i, change := range []func() error{
		func() error { return nil }, member("a", false), member("b", false), role(account.Annotator, false),
		role(account.Lead, false), member("a", true),
		role(account.Lead, true), role(account.Admin, false), role(account.Annotator, false), role(account.Lead, false),
		member("b", true), member("c", false),
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		now, err := env.db.Account(t.Context(), maker.ID)
		if err != nil {
			t.Fatal(err)
		}
		managed, err := env.db.Projects(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		for limit, c := range tokens {
			var want []string
			for _, p := range managed {
				if !now.Disabled && now.Role.CanLead() && (limit == "" || limit == p.Key) {
					want = append(want, p.Key)
				}
			}
			if got := c.reached(keys); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("step %d, limit %q: the token reaches %v, the maker %v", i, limit, got, want)
			}
		}
	}
}

// reached returns the projects that a token lists, and fails if it can open another one.
func (c apiClient) reached(keys []string) (listed []string) {
	c.Helper()
	var list struct{ Projects []struct{ Key string } }
	if response := c.get("/projects"); response.status == http.StatusOK {
		list = check[struct{ Projects []struct{ Key string } }](response, 200)
	}
	for _, p := range list.Projects {
		listed = append(listed, p.Key)
	}
	for _, key := range keys {
		if got := c.get("/projects/" + key).status; (got == 200) != slices.Contains(listed, key) {
			c.Errorf("project %s: %d, listed %v", key, got, listed)
		}
	}
	slices.Sort(listed)
	return listed
}
