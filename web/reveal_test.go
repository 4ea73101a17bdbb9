package web

import (
	"archive/zip"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/project"
)

// answerCanary matches the note of an annotation.
var answerCanary = regexp.MustCompile(`answer-canary-(\d+)`)

// addAnswerCanaries gives each annotation a note by which checkReveal finds it.
func (env testEnv) addAnswerCanaries() {
	env.Helper()
	env.execSQL(`SET session_replication_role = replica;
		UPDATE annotations SET note = 'answer-canary-' || id;
		SET session_replication_role = DEFAULT`)
}

// checkReveal checks what a user was sent since start: if it has an answer that another annotator gave, the user has
// now seen answers to the item, so that no label that they give it counts. It reports whether it has one. The tests
// call it for every route and every operation, so that a new one cannot be forgotten.
func (env testEnv) checkReveal(a account.ID, start time.Time, name, body string) (hasAnswer bool) {
	env.Helper()
	for _, match := range answerCanary.FindAllStringSubmatch(body+unzipped(body), -1) {
		state := query[string](env, `
			SELECT CASE WHEN n.account_id = $2 THEN 'own'
			            WHEN has_seen_answers($2, n.item_id) AND EXISTS (
			                SELECT FROM answer_reveals WHERE account_id = $2 AND revealed_at >= $3) THEN 'recorded'
			            ELSE 'not recorded' END
			FROM annotations n WHERE n.id = $1::text::bigint`, match[1], a, start)
		if hasAnswer = hasAnswer || state != "own"; state == "not recorded" {
			env.Errorf("%s shows account %d the answers of annotation %s, and does not record it", name, a, match[1])
		}
	}
	return hasAnswer
}

// Every page and every operation is read by those who may, about items with answers, while a batch is open and after
// it was closed. What shows an answer records it, and a lead who labels the items reads none before it is closed.
func TestReveal_EveryRead_IsRecorded(t *testing.T) {
	t.Parallel()
	f := newAPIFixture(t)
	f.server.api.SetLimit(1_000_000)
	p, objects := f.project("mine"), f.objects["mine"]
	item := formatID(query[int64](f.testEnv, `SELECT min(n.item_id) FROM annotations n JOIN batches b ON b.id = n.batch_id
		WHERE b.project_id = $1`, p.ID))
	for _, name := range []string{"/items/{id}", "/adjudication/{id}", "/references/{id}", "{item}"} {
		objects[name] = strings.TrimSuffix(name, "{id}") + item
		if name == "{item}" {
			objects[name] = item
		}
	}
	read := func(identities, tokens []string) int {
		f.answersShown = 0
		for _, rt := range (&Server{}).routes() {
			for _, identity := range identities {
				if rt.method == http.MethodGet {
					f.send(rt, "own", identity)
				}
			}
		}
		for _, op := range (apiClient{testEnv: f.testEnv}).operations() {
			for _, token := range tokens {
				if op.method == http.MethodGet {
					f.call(op, "own", token)
				}
			}
		}
		return f.answersShown
	}
	open := read([]string{"annotator", "lead", "admin", "removed"}, []string{"all", "admin", "read", "limited"})
	labeling := read([]string{"labeling lead"}, []string{"labeling lead"})
	for _, name := range []string{objects["{batch name}"], objects["{calibrated}"]} {
		if err := f.db.CloseBatch(f.Context(), 0, p, name, project.BatchClosing{Reason: "Done.",
			ReleaseOpen: true}); err != nil {
			t.Fatal(err)
		}
	}
	closed := read([]string{"labeling lead"}, []string{"labeling lead"})
	if open < 5 || labeling != 0 || closed < 2 {
		t.Errorf("answers are shown in %d responses, to a labeling lead in %d, and in %d after the batch was closed", open,
			labeling, closed)
	}
}

// unzipped returns the files of an archive, or "".
func unzipped(body string) string {
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		return ""
	}
	var all strings.Builder
	for _, f := range archive.File {
		if file, err := f.Open(); err == nil {
			_, _ = io.Copy(&all, file)
		}
	}
	return all.String()
}

// Leads see who gets which items not because they have seen answers, and an admin makes an exception for a reason.
func TestWithheld_AdminAllows(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead, admin := env.newUser("lead@example.org", account.Lead), env.newUser("admin@example.org", account.Admin)
	ann := env.newUser("ann@example.org", account.Annotator)
	p := env.newProject(lead, "seen", 2)
	b := env.newBatch(admin, p, "one", 2, ann.Email, lead.Email)
	env.labelAll(ann, b, 1)
	browser, adminBrowser, path := env.signInAs(lead), env.signInAs(admin), "/projects/seen/batches/one"
	browser.get(path + "/withheld").checkStatus(200).checkContains("No item of this batch is withheld.")
	item := query[int64](env, `SELECT min(id) FROM items`)
	browser.post(path+"/close", url.Values{"reason": {"Done."}, "release_open": {"1"}}).checkRedirect("")
	browser.get("/projects/seen/items/" + formatID(item)).checkStatus(200)
	browser.post(path+"/reopen", url.Values{"reason": {"More."}}).checkRedirect("")
	change := browser.get(path + "/change").checkStatus(200)
	change.FindFirst("a[href='" + path + "/withheld']")
	shown := browser.get(path + "/withheld").checkContains("Only an admin can let an annotator label these items.")
	shown.FindFirst("td a[href='/projects/seen/items/" + formatID(item) + "']")
	form := url.Values{"allow_seen": {query[string](env, `SELECT pseudonym FROM members WHERE account_id = $1`, lead.ID)}}
	adminBrowser.post(path+"/withheld", form).checkStatus(422).checkContains("Enter a reason")
	form.Set("reason", "Nobody else can.")
	browser.post(path+"/withheld", form).checkStatus(404)
	adminBrowser.post(path+"/withheld", form).checkRedirect(path + "/withheld")
	browser.get(path + "/withheld").checkContains("An admin lets them label all items.")
	env.labelAll(lead, b, 0)
	if n := query[int](env, `SELECT count(*) FROM annotations WHERE not_blind`); n != 1 {
		t.Errorf("%d labels are not blind, want 1", n)
	}
}
