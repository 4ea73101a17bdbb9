package postgres

import (
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestUpload_OtherAccount_NotFound(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	lead := env.newUser("lead@example.org", account.Lead)
	replaced := env.stageUpload(lead, p, "a.csv", "first")
	token := env.stageUpload(lead, p, "b.csv", "second")
	u, err := env.Upload(t.Context(), lead.ID, p.ID, token)
	if err != nil || u.File.Name != "b.csv" || string(u.Content) != "second" {
		t.Errorf("upload = %+v, %v", u.File, err)
	}
	for name, c := range map[string]struct {
		accountID account.ID
		projectID project.ID
		token     string
	}{
		"replaced upload": {lead.ID, p.ID, replaced},
		"other account":   {env.admin.ID, p.ID, token},
		"other project":   {lead.ID, other.ID, token},
	} {
		_, err := env.Upload(t.Context(), c.accountID, c.projectID, c.token)
		checkErrorIs(t, name, err, fault.NotFound)
	}
}

func (env testEnv) stageUpload(a account.Account, p project.Project, name, content string) (token string) {
	env.t.Helper()
	token, err := env.StageUpload(env.t.Context(), a.ID, p.ID, name, []byte(content))
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

func TestUpload_Expired_Deleted(t *testing.T) {
	env := newTestEnv(t)
	env.stageUpload(env.admin, env.newProject("one", 0), "a.csv", "x")
	for _, c := range []struct{ hours, want int }{{23, 1}, {25, 0}} {
		env.execSQL(`UPDATE uploads SET created_at = now() - make_interval(hours => $1)`, c.hours)
		if err := env.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.checkCount(c.want, `uploads`)
	}
}
