package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestAWaitingFileIsItsBringersAlone(t *testing.T) {
	w := newWorld(t)
	p, other := w.project("one", 0), w.project("two", 0)
	lead := w.person("lead@example.org", account.Lead)
	first, err := w.StageUpload(t.Context(), lead.ID, p.ID, "a.csv", []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.StageUpload(t.Context(), lead.ID, p.ID, "b.csv", []byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := w.Upload(t.Context(), lead.ID, p.ID, token)
	if err != nil || u.File.Name != "b.csv" || string(u.Content) != "second" {
		t.Errorf("got %+v, %v", u.File, err)
	}
	for what, attempt := range map[string]func() (Upload, error){
		"the file it took the place of": func() (Upload, error) { return w.Upload(t.Context(), lead.ID, p.ID, first) },
		"somebody else":                 func() (Upload, error) { return w.Upload(t.Context(), w.admin.ID, p.ID, token) },
		"another project":               func() (Upload, error) { return w.Upload(t.Context(), lead.ID, other.ID, token) },
	} {
		if _, err := attempt(); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAWaitingFileIsForgottenAfterADay(t *testing.T) {
	w := newWorld(t)
	p := w.project("one", 0)
	token, err := w.StageUpload(t.Context(), w.admin.ID, p.ID, "a.csv", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	age := func(hours int) {
		if _, err := w.pool.Exec(t.Context(), `UPDATE uploads SET at = now() - make_interval(hours => $1)`, hours); err != nil {
			t.Fatal(err)
		}
		if err := w.ForgetExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	age(23)
	if _, err := w.Upload(t.Context(), w.admin.ID, p.ID, token); err != nil {
		t.Errorf("after 23 hours: %v", err)
	}
	age(25)
	if n := w.count(`SELECT count(*) FROM uploads`); n != 0 {
		t.Errorf("%d files after 25 hours", n)
	}
}

func TestALeadBringsInAnnotatorsAndNobodyIsRaised(t *testing.T) {
	w := newWorld(t)
	p := w.project("one", 0)
	lead, plain := w.person("lead@example.org", account.Lead), w.person("plain@example.org", account.Annotator)
	gone := w.person("gone@example.org", account.Annotator)
	if err := w.ChangeAccount(t.Context(), w.admin.ID, gone.ID, account.Annotator, true); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		person account.Person
		isNew  bool
		kind   fault.Kind
	}{
		{"somebody new labels", account.Person{Email: "new@example.org", Name: "New", Role: account.Annotator}, true, ""},
		{"somebody known labels, and keeps their name", account.Person{Email: "PLAIN@example.org", Name: "Another", Role: account.Annotator}, false, ""},
		{"a lead leads here too", account.Person{Email: "lead@example.org", Role: account.Lead}, false, ""},
		{"somebody new cannot lead", account.Person{Email: "newer@example.org", Name: "N", Role: account.Lead}, false, fault.Invalid},
		{"an annotator cannot lead", account.Person{Email: "plain@example.org", Role: account.Lead}, false, fault.Invalid},
		{"nobody becomes an admin", account.Person{Email: "newest@example.org", Name: "N", Role: account.Admin}, false, fault.Invalid},
		{"who is disabled does not come in", account.Person{Email: "gone@example.org", Role: account.Annotator}, false, fault.Invalid},
		{"somebody new needs a name", account.Person{Email: "nameless@example.org", Role: account.Annotator}, false, fault.Invalid},
	}
	for _, tt := range tests {
		accounts := w.count(`SELECT count(*) FROM accounts`)
		a, isNew, err := w.AddMember(t.Context(), lead.ID, p, tt.person)
		if fault.KindOf(err) != tt.kind || err == nil && isNew != tt.isNew {
			t.Errorf("%s: %+v, %v, %v", tt.name, a, isNew, err)
		}
		if grown := w.count(`SELECT count(*) FROM accounts`) - accounts; grown != map[bool]int{true: 1}[tt.isNew] {
			t.Errorf("%s: %d accounts more", tt.name, grown)
		}
	}
	if got, _ := w.Account(t.Context(), plain.ID); got.Role != account.Annotator || got.Name != plain.Name {
		t.Errorf("the account changed: %+v", got)
	}
	if n := w.count(`SELECT count(*) FROM accounts WHERE role <> 'annotator'`); n != 2 {
		t.Errorf("%d accounts lead or administer, want 2", n)
	}
}

func TestALeadGivesNoLinkThatOpensWhatIsNotTheirs(t *testing.T) {
	w := newWorld(t)
	p, other := w.project("one", 0), w.project("two", 0)
	add := func(email string, in ...project.Project) account.Account {
		a := w.person(email, account.Annotator)
		for _, q := range in {
			if _, _, err := w.AddMember(t.Context(), w.admin.ID, q, account.Person{Email: email, Role: account.Annotator}); err != nil {
				t.Fatal(err)
			}
		}
		return a
	}
	joined := add("joined@example.org", p)
	if err := w.SetPassword(t.Context(), joined.ID, joined.ID, "hash"); err != nil {
		t.Fatal(err)
	}
	lead := w.person("lead@example.org", account.Lead)
	if err := w.AddLead(t.Context(), w.admin.ID, p, lead.ID); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		id   int64
		kind fault.Kind
	}{
		{"who waits in this project alone", add("waits@example.org", p).ID, ""},
		{"who has a password", joined.ID, fault.Conflict},
		{"who waits in two projects", add("both@example.org", p, other).ID, fault.Conflict},
		{"who leads", lead.ID, fault.Conflict},
		{"who is in another project", add("other@example.org", other).ID, fault.NotFound},
		{"nobody", 1 << 40, fault.NotFound},
	}
	for _, tt := range tests {
		_, token, err := w.InviteMember(t.Context(), w.admin.ID, p, tt.id)
		if fault.KindOf(err) != tt.kind || (token != "") != (err == nil) {
			t.Errorf("%s: %q, %v", tt.name, token, err)
		}
	}
}

func TestItemsAreListedBySourceIDAndInTheirProject(t *testing.T) {
	w := newWorld(t)
	p, other := w.project("one", 12), w.project("two", 3)
	lines, err := w.ItemLines(t.Context(), p.ID, "ITEM-1", 0, 50)
	if err != nil || len(lines) != 4 { // 1, 10, 11, 12
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if wild, err := w.ItemLines(t.Context(), p.ID, "item_", 0, 50); err != nil || len(wild) != 0 {
		t.Errorf("an underscore means itself: %d lines, %v", len(wild), err)
	}
	rest, err := w.ItemLines(t.Context(), p.ID, "", lines[1].ID, 2)
	if err != nil || len(rest) != 2 || rest[0].SourceID != "item-11" {
		t.Errorf("%+v, %v", rest, err)
	}
	if _, err := w.Item(t.Context(), other.ID, lines[0].ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("an item of another project: %v", err)
	}
	if item, err := w.Item(t.Context(), p.ID, lines[0].ID); err != nil || item.SourceID != "item-1" || item.Content["query"].Text != "Question 1?" {
		t.Errorf("%+v, %v", item, err)
	}
	if free, references, err := w.Stock(t.Context(), p.ID); err != nil || free != 12 || references != 0 {
		t.Errorf("%d free, %d references, %v", free, references, err)
	}
}

func TestTheTrailIsPagedNewestFirst(t *testing.T) {
	w := newWorld(t)
	w.project("one", 2)
	all, err := w.Trail(t.Context(), "", 0, 100)
	if err != nil || len(all) < 3 || all[0].Action != "project.import" || all[0].Who != w.admin.Name {
		t.Fatalf("%+v, %v", all, err)
	}
	older, err := w.Trail(t.Context(), "", all[0].ID, 1)
	if err != nil || len(older) != 1 || older[0].ID != all[1].ID {
		t.Errorf("%+v, %v", older, err)
	}
	only, err := w.Trail(t.Context(), "project.create", 0, 100)
	if err != nil || len(only) != 1 || only[0].Subject != "project one" {
		t.Errorf("%+v, %v", only, err)
	}
}

func TestEveryActionRecordedCanBeLookedFor(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`\baudit\(ctx, [\w.]+, [\w.]+, "([^"]+)"|INSERT INTO audit \([a-z, ]+\)\s+SELECT '([a-z._]+)'`)
	met := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range call.FindAllSubmatch(text, -1) {
			action := string(found[1]) + string(found[2])
			met[action] = true
			if !slices.Contains(Actions, action) {
				t.Errorf("%s records %q, which Actions does not list", file, action)
			}
		}
	}
	for _, action := range Actions {
		if !met[action] {
			t.Errorf("nothing records %q", action)
		}
	}
}
