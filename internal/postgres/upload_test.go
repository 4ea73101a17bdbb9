package postgres

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

func TestUpload_OtherAccount_NotFound(t *testing.T) {
	env := newTestEnv(t)
	p, other := env.newProject("one", 0), env.newProject("two", 0)
	lead := env.newUser("lead@example.org", account.Lead)
	replaced := env.stageUpload(lead, p, "a.csv", "query,answer\nQ?,first\n")
	token := env.stageUpload(lead, p, "b.csv", "query,answer\nQ?,second\n")
	u, err := env.PreviewUpload(t.Context(), lead.ID, p, token)
	if err != nil || u.FileName != "b.csv" || u.ItemCount != 1 || u.Items[0].Content["answer"].Text != "second" {
		t.Errorf("upload = %+v, %v", u, err)
	}
	for name, c := range map[string]struct {
		accountID account.ID
		project   project.Project
		token     string
	}{
		"replaced upload": {lead.ID, p, replaced},
		"other account":   {env.admin.ID, p, token},
		"other project":   {lead.ID, other, token},
	} {
		_, err := env.PreviewUpload(t.Context(), c.accountID, c.project, c.token)
		checkErrorIs(t, name, err, fault.NotFound)
		checkErrorIs(t, name, env.ImportUpload(t.Context(), c.accountID, c.project, c.token), fault.NotFound)
	}
}

func (env testEnv) stageUpload(a account.Account, p project.Project, name, content string) (token string) {
	env.t.Helper()
	token, err := env.StageUpload(env.t.Context(), a.ID, p, name, strings.NewReader(content))
	if err != nil {
		env.t.Fatal(err)
	}
	return token
}

func TestUpload_Expired_Deleted(t *testing.T) {
	env := newTestEnv(t)
	env.stageUpload(env.admin, env.newProject("one", 0), "a.csv", "query,answer\nQ?,A.\n")
	for _, c := range []struct{ hours, want int }{{23, 1}, {25, 0}} {
		env.execSQL(`UPDATE uploads SET created_at = now() - make_interval(hours => $1)`, c.hours)
		if err := env.DeleteExpired(t.Context()); err != nil {
			t.Fatal(err)
		}
		env.checkCount(c.want, `uploads`)
		env.checkCount(c.want, `upload_chunks`)
	}
}
