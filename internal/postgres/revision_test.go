package postgres

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// readCopy returns rag-generation under the key “mine” in a revision, with texts
// replaced in pairs.
func readCopy(t *testing.T, revision string, replacements ...string) protocol.Protocol {
	t.Helper()
	for _, p := range protocol.Builtin() {
		if p.Key != "rag-generation" {
			continue
		}
		source := strings.Replace(p.Source, "protocol: rag-generation\nversion: 1\nrevision: 1\n",
			"protocol: mine\nversion: 1\nrevision: "+revision+"\n", 1)
		for i := 0; i < len(replacements); i += 2 {
			if !strings.Contains(source, replacements[i]) {
				t.Fatalf("%q is not in the definition", replacements[i])
			}
			source = strings.Replace(source, replacements[i], replacements[i+1], 1)
		}
		mine, err := protocol.Read("mine.yaml", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		return mine
	}
	t.Fatal("no protocol rag-generation")
	return protocol.Protocol{}
}

// newTitle is a change that a revision may make.
var newTitle = []string{"title: \"RAG: generation\"", "title: My protocol"}

func (env testEnv) mustPublish(actor account.Account, p protocol.Protocol) {
	env.t.Helper()
	if err := env.Publish(env.t.Context(), actor.ID, p); err != nil {
		env.t.Fatal(err)
	}
}

func (env testEnv) newProjectOfMine(lead account.Account, key string) project.Project {
	env.t.Helper()
	p, err := env.CreateProject(env.t.Context(), lead, project.Spec{Key: key, Title: key, Protocol: "mine@1",
		Instructions: testInstructions})
	if err != nil {
		env.t.Fatal(err)
	}
	return p
}

func TestPublish_Revision_NeedsEveryProject(t *testing.T) {
	env := newTestEnv(t)
	author, other, both := env.newUser("author@example.org", account.Lead), env.newUser("other@example.org",
		account.Lead), env.newUser("both@example.org", account.Lead)
	env.mustPublish(author, readCopy(t, "0"))
	revision := readCopy(t, "1", newTitle...)
	publish := func(a account.Account) error { return env.Publish(t.Context(), a.ID, revision) }
	checkErrorIs(t, "unused version, other lead", publish(other), fault.Forbidden)
	p, q := env.newProjectOfMine(author, "a"), env.newProjectOfMine(other, "b")
	for _, a := range []account.Account{author, other, both, env.newUser("ann@example.org", account.Annotator)} {
		checkErrorIs(t, "lead of one project or none: "+a.Email, publish(a), fault.Forbidden)
	}
	for _, p := range []project.Project{p, q} {
		env.addLead(p, both)
	}
	insert := `INSERT INTO protocol_revisions (protocol_version_id, revision, definition, published_by)
		SELECT protocol_version_id, $1, definition, $2 FROM protocol_revisions WHERE protocol_version_id = $3
		AND revision = 0`
	if _, err := env.pool.Exec(t.Context(), insert, 1, author.ID, p.ProtocolVersionID); !violates(err,
		"protocol_revisions_publisher_allowed") {
		t.Errorf("the database accepts a revision of a lead of one project: %v", err)
	}
	if _, err := env.pool.Exec(t.Context(), insert, 2, both.ID, p.ProtocolVersionID); !violates(err,
		"protocol_revisions_next") {
		t.Errorf("the database accepts revision 2 after 0: %v", err)
	}
	env.mustPublish(both, revision)
	env.mustPublish(env.admin, readCopy(t, "2", "title: \"RAG: generation\"", "title: Our protocol"))
	// a command
	env.mustPublish(account.Account{}, readCopy(t, "3", "title: \"RAG: generation\"", "title: The protocol"))
	// the same again
	env.mustPublish(author, readCopy(t, "3", "title: \"RAG: generation\"", "title: The protocol"))
}

func TestPublish_Revision_IsNextAndTextsOnly(t *testing.T) {
	env := newTestEnv(t)
	if err := env.Publish(t.Context(), env.admin.ID, readCopy(t, "9999")); !strings.Contains(fault.Message(err),
		"first revision is 0") {
		t.Errorf("first revision 9999: %v", err)
	}
	env.mustPublish(env.admin, readCopy(t, "0"))
	for name, test := range map[string]struct {
		revision, from, to, message string
	}{
		"skipped number": {"2", newTitle[0], newTitle[1], "Publish the new text as revision 1"},
		"9999":           {"9999", newTitle[0], newTitle[1], "Publish the new text as revision 1"},
		"same number":    {"0", newTitle[0], newTitle[1], "Publish the new text as revision 1"},
		"swapped labels": {"1", `label: "No"`, `label: "Yes"`,
			"The field “proper_action” changed. Publish it as version 2."},
		"changed anchor": {"1", "Another kind was right", "No kind was right",
			"The field “proper_action” changed. Publish it as version 2."},
		"no change": {"1", newTitle[0], newTitle[0], "changes no text"},
	} {
		err := env.Publish(t.Context(), env.admin.ID, readCopy(t, test.revision, test.from, test.to))
		if !strings.Contains(fault.Message(err), test.message) || fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	env.checkCount(1, `protocol_revisions r JOIN protocol_versions v ON v.id = r.protocol_version_id WHERE key = 'mine'`)
}

func TestPublish_Builtin_OnlyByUpgrade(t *testing.T) {
	env := newTestEnv(t)
	changed := protocol.Builtin()[0]
	changed.Revision, changed.Source = 2, strings.Replace(changed.Source, "revision: 1\n", "revision: 2\n", 1)
	next := protocol.Builtin()[0]
	next.Version = 2
	for _, p := range []protocol.Protocol{changed, next, protocol.Builtin()[0]} {
		for _, actorID := range []account.ID{0, env.admin.ID} {
			checkErrorIs(t, p.Name(), env.Publish(t.Context(), actorID, p), fault.Forbidden)
		}
	}
	version := query[protocol.VersionID](env, `SELECT id FROM protocol_versions WHERE key = $1`, changed.Key)
	_, err := env.pool.Exec(t.Context(), `INSERT INTO protocol_revisions (protocol_version_id, revision, definition,
		published_by) VALUES ($1, 2, '', $2)`, version, env.admin.ID)
	if !violates(err, "protocol_revisions_publisher_allowed") {
		t.Errorf("the database accepts a revision of a built-in protocol: %v", err)
	}
	upgraded := changed
	upgraded.Source = strings.Replace(strings.Replace(upgraded.Source, "revision: 2", "revision: 7", 1), "\nsummary: ",
		"\nsummary: Now ", 1)
	if upgraded, err = protocol.Read("upgraded", []byte(upgraded.Source)); err != nil {
		t.Fatal(err)
	}
	if err := env.publish(t.Context(), 0, upgraded, true); err != nil {
		t.Errorf("an upgrade that skips revisions: %v", err)
	}
}

// A revision reaches annotators when a lead of their batch accepts it, batch by batch.
func TestUseRevision_TakesEffectByBatch(t *testing.T) {
	env := newTestEnv(t)
	lead, other := env.newUser("lead@example.org", account.Lead), env.newUser("other@example.org", account.Lead)
	env.mustPublish(env.admin, readCopy(t, "0"))
	p, q := env.newProjectOfMine(lead, "a"), env.newProjectOfMine(other, "b")
	ann, ben := env.newUser("ann@example.org", account.Annotator), env.newUser("ben@example.org", account.Annotator)
	env.addItems(p, 0, 3)
	env.addItems(q, 0, 3)
	b := env.newBatch(p, project.BatchSpec{Name: "one", Overlap: 1, Annotators: []string{ann.Email}})
	env.newBatch(q, project.BatchSpec{Name: "one", Overlap: 1, Annotators: []string{ben.Email}})
	first, theirs := env.openItem(ann), env.openItem(ben)
	env.mustPublish(env.admin, readCopy(t, "1", newTitle...))
	checkTitles := func(ofAnn, ofBen string) {
		t.Helper()
		guide, err := env.Guide(t.Context(), ann, "a", b.ID)
		if err != nil {
			t.Fatal(err)
		}
		byKey, err := env.Project(t.Context(), lead, "a")
		if err != nil {
			t.Fatal(err)
		}
		checkEqual(t, []string{env.screen(ann, first).Protocol.Title, env.screen(ben, theirs).Protocol.Title,
			guide.Protocol.Title, byKey.Protocol.Title}, []string{ofAnn, ofBen, ofAnn, ofAnn})
	}
	checkTitles("RAG: generation", "RAG: generation")
	first = env.mustSubmit(ann, first, helpfulSubmission)

	b, err := env.Batch(t.Context(), 0, p.ID, "one")
	if err != nil || !b.HasNewRevision() {
		t.Fatalf("the batch has no new revision: %+v, %v", b, err)
	}
	changes, err := env.RevisionChanges(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, changes, []protocol.TextChange{{Place: "Title", Before: "RAG: generation", After: "My protocol"}})
	checkErrorIs(t, "lead of another project", env.UseRevision(t.Context(), other, p, "one", 1), fault.NotFound)
	checkErrorIs(t, "revision that is not published", env.UseRevision(t.Context(), lead, p, "one", 2), fault.NotFound)
	if err := env.UseRevision(t.Context(), lead, p, "one", 1); err != nil {
		t.Fatal(err)
	}
	checkErrorIs(t, "the same again", env.UseRevision(t.Context(), lead, p, "one", 1), fault.Conflict)
	checkErrorIs(t, "back", env.UseRevision(t.Context(), lead, p, "one", 0), fault.Conflict)
	checkTitles("My protocol", "RAG: generation")
	env.checkCount(1, `audit_log WHERE action = 'batch.use_revision' AND account_id = $1 AND subject = 'batch a/one' AND detail = '{"revision": 1, "previous_revision": 0}'`, lead.ID)

	env.mustSubmit(ann, first, helpfulSubmission)
	env.mustSubmit(ben, theirs, helpfulSubmission)
	env.checkCount(1, `annotations WHERE account_id = $1 AND revision = 0`, ann.ID)
	env.checkCount(1, `annotations WHERE account_id = $1 AND revision = 1`, ann.ID)
	env.checkCount(1, `annotations WHERE account_id = $1 AND revision = 0`, ben.ID)

	// A new batch starts with what its project uses, not with what is published.
	env.addItems(q, 3, 1)
	if q, err = env.Project(t.Context(), other, "b"); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.newBatch(q, project.BatchSpec{Name: "two", Overlap: 1,
		Annotators: []string{ben.Email}}).ProtocolRevision, 0)
	env.closeBatch(q, project.Batch{Name: "one"})
	checkErrorIs(t, "closed batch", env.UseRevision(t.Context(), other, q, "one", 1), fault.Conflict)
}

func TestAdjudicate_RecordsRevisionOfBatch(t *testing.T) {
	env := newTestEnv(t)
	env.mustPublish(env.admin, readCopy(t, "0"))
	p := env.newProjectOfMine(env.admin, "a")
	env.addItems(p, 0, 1)
	emails, annotators := env.newAnnotators(2)
	env.newBatch(p, project.BatchSpec{Name: "one", Overlap: 2, Annotators: emails})
	env.submitAll(annotators[0], helpfulSubmission)
	env.submitAll(annotators[1], unhelpfulSubmission)
	env.mustPublish(env.admin, readCopy(t, "1", newTitle...))
	env.addItems(p, 1, 1)
	env.newBatch(p, project.BatchSpec{Name: "two", Overlap: 2, Annotators: emails})
	if err := env.UseRevision(t.Context(), env.admin, p, "two", 1); err != nil {
		t.Fatal(err)
	}
	p, err := env.Project(t.Context(), env.admin, "a")
	if err != nil {
		t.Fatal(err)
	}
	item, err := env.AdjudicationItem(t.Context(), env.admin.ID, p, env.firstItem(p))
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, []string{p.Protocol.Title, item.Protocol.Title}, []string{"My protocol", "RAG: generation"})
	if err := env.adjudicate(env.admin, p, env.firstItem(p), helpfulDecision); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, env.queryInt(`SELECT revision FROM adjudications`), 0)
}

// The next version of a protocol is for its authors, for leads of all projects that use it, and for admins.
func TestPublish_Version_OnlyByOwnersOfKey(t *testing.T) {
	env := newTestEnv(t)
	author, other := env.newUser("author@example.org", account.Lead), env.newUser("other@example.org", account.Lead)
	env.mustPublish(author, readCopy(t, "0"))
	version := func(n string) protocol.Protocol {
		return readCopy(t, "0", "protocol: mine\nversion: 1\n", "protocol: mine\nversion: "+n+"\n")
	}
	checkErrorIs(t, "another lead", env.Publish(t.Context(), other.ID, version("2")), fault.Forbidden)
	_, err := env.pool.Exec(t.Context(), `
		WITH v AS (INSERT INTO protocol_versions (key, version) VALUES ('mine', 2) RETURNING id)
		INSERT INTO protocol_revisions (protocol_version_id, revision, definition, published_by)
		SELECT id, 0, '', $1 FROM v`, other.ID)
	if err == nil {
		t.Error("the database accepts a version of another lead")
	}
	env.mustPublish(author, version("2"))
	env.addLead(env.newProjectOfMine(author, "a"), other)
	env.mustPublish(other, version("3")) // leads every project with it
	env.mustPublish(env.admin, version("4"))
	env.mustPublish(account.Account{}, version("5"))
}
