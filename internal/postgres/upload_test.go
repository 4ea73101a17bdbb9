package postgres

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

func TestUpload_NotOwn_NotFound(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	lead := env.newUser("lead@example.org", account.Lead)
	first, err := env.StageUpload(t.Context(), lead.ID, p.ID, "a.csv", []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := env.StageUpload(t.Context(), lead.ID, p.ID, "b.csv", []byte("second"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := env.Upload(t.Context(), lead.ID, p.ID, token)
	if err != nil || u.File.Name != "b.csv" || string(u.Content) != "second" {
		t.Errorf("got %+v, %v", u.File, err)
	}
	for what, attempt := range map[string]func() (Upload, error){
		"the file it took the place of": func() (Upload, error) { return env.Upload(t.Context(), lead.ID, p.ID, first) },
		"somebody else":                 func() (Upload, error) { return env.Upload(t.Context(), env.admin.ID, p.ID, token) },
		"another project":               func() (Upload, error) { return env.Upload(t.Context(), lead.ID, other.ID, token) },
	} {
		if _, err := attempt(); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestUpload_Expired_Deleted(t *testing.T) {
	env := newTestEnv(t)
	p := env.newProject("one", 0)
	token, err := env.StageUpload(t.Context(), env.admin.ID, p.ID, "a.csv", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	setAge := func(hours int) {
		if _, err := env.pool.Exec(t.Context(), `UPDATE uploads SET at = now() - make_interval(hours => $1)`, hours); err != nil {
			t.Fatal(err)
		}
		if err := env.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	setAge(23)
	if _, err := env.Upload(t.Context(), env.admin.ID, p.ID, token); err != nil {
		t.Errorf("after 23 hours: %v", err)
	}
	setAge(25)
	if n := env.queryInt(`SELECT count(*) FROM uploads`); n != 0 {
		t.Errorf("%d files after 25 hours", n)
	}
}
