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

// answerCanary matches a text that others must not read before they label an item: of a label, a decision, a judgment,
// a skip, a question or a correction request. It names the item and who wrote it.
var answerCanary = regexp.MustCompile(`answer-canary-(\d+)-(\d+)`)

// addAnswerCanaries writes into all such texts that by which checkReveal finds them.
func (env testEnv) addAnswerCanaries() {
	env.Helper()
	statements := `SET session_replication_role = replica;`
	for table, column := range map[string]string{"annotations": "note", "adjudications": "reason",
		"judgments": "rationale"} {
		statements += `UPDATE ` + table + ` SET ` + column + ` = concat_ws('-', 'answer-canary', item_id,
			coalesce(account_id, 0));`
	}
	for table, column := range map[string]string{"skips": "comment", "questions": "message"} {
		statements += `UPDATE ` + table + ` t SET ` + column + ` = concat_ws('-', 'answer-canary', a.item_id, a.account_id)
			FROM assignments a WHERE a.id = t.assignment_id AND t.` + column + ` <> '';`
	}
	env.execSQL(statements + `SET session_replication_role = DEFAULT`)
}

// checkReveal checks what a user was sent since start: if it has a text of another annotator about an item, it is
// recorded that the user saw the answers to this item in this time, so that no label that they give it counts. It
// reports whether it has one. The tests call it for every route and every operation, so that a new one cannot be
// forgotten.
func (env testEnv) checkReveal(a account.ID, start time.Time, name, body string) (hasAnswer bool) {
	env.Helper()
	for _, match := range answerCanary.FindAllStringSubmatch(body+unzipped(body), -1) {
		if match[2] == formatID(a) {
			continue
		}
		hasAnswer = true
		if !query[bool](env, `
			SELECT EXISTS (
				SELECT FROM answer_reveals r
				WHERE r.account_id = $1 AND r.revealed_at >= $2 AND (r.item_id = $3::text::bigint OR r.item_id = 0
					AND r.batch_id IN (SELECT batch_id FROM batch_items WHERE item_id = $3::text::bigint)))`,
			a, start, match[1]) {
			env.Errorf("%s shows account %d what account %s wrote about item %s, and does not record it", name, a,
				match[2], match[1])
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
	f.execSQL(`SET session_replication_role = replica;
		INSERT INTO adjudications (protocol_version_id, revision, project_id, item_id, decision_no, account_id, answers,
			facts, annotation_ids)
		SELECT DISTINCT ON (n.item_id) n.protocol_version_id, n.revision, b.project_id, n.item_id, 1, n.account_id,
			n.answers, n.facts, ARRAY[n.id]
		FROM annotations n JOIN batches b ON b.id = n.batch_id;
		INSERT INTO judgments (project_id, account_id, item_id, protocol_version_id, answers)
		SELECT project_id, account_id, item_id, protocol_version_id, answers FROM adjudications;
		INSERT INTO skips (assignment_id, batch_id, item_id, reason, comment, project_id)
		SELECT DISTINCT ON (n.item_id) n.assignment_id, n.batch_id, n.item_id, 'unclear', 'Why?', b.project_id
		FROM annotations n JOIN batches b ON b.id = n.batch_id;
		UPDATE correction_requests c SET message = concat_ws('-', 'answer-canary', a.item_id, a.account_id)
		FROM assignments a WHERE a.id = c.assignment_id;
		SET session_replication_role = DEFAULT`)
	f.addAnswerCanaries()
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
