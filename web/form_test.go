package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
)

func TestForms_Invalid_KeepValues(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	admin := env.newUser("admin@example.org", account.Admin)
	env.newProject(admin, "taken", 2)
	env.newUser("ann@example.org", account.Annotator)
	b := env.signInAs(admin)
	tests := []struct {
		name, path string
		form       url.Values
		status     int
		problems   []string // ids of the fields
	}{
		{"a project with nothing right", "/projects", url.Values{"protocol": {"empathy"}, "key": {"Not a key"},
			"title": {""}, "support_url": {"javascript:x"}}, 422, []string{"title", "key", "support_url"}},
		{"a project whose key is taken", "/projects", url.Values{"protocol": {"empathy"}, "key": {"taken"},
			"title": {"T"}}, 409, []string{"key"}},
		{"a member without a name", "/projects/taken/members", url.Values{"email": {"new@example.org"},
			"role": {"annotator"}}, 422, []string{"name"}},
		{"a member without an email address", "/projects/taken/members", url.Values{"email": {"invalid"}, "name": {"N"},
			"role": {"annotator"}}, 422, []string{"email"}},
		{"a member with a role for the server", "/projects/taken/members", url.Values{"email": {"ann@example.org"},
			"name": {"A"}, "role": {"admin"}}, 422, []string{"role"}},
		{"a batch with nothing right", "/projects/taken/batches", url.Values{"name": {""}, "overlap": {"two"},
			"items": {"9"}, "seed": {"-1"}, "break_every": {"x"}}, 422, []string{"name", "overlap", "seed",
			"break_every"}},
		{"an account with nothing right", "/admin/users", url.Values{"email": {"invalid"}, "name": {""},
			"role": {"king"}}, 422, []string{"name", "email", "role"}},
		{"an account that is there", "/admin/users", url.Values{"email": {"admin@example.org"}, "name": {"A"},
			"role": {"lead"}}, 409, []string{"email"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := env.hashState()
			page := b.post(tt.path, tt.form).checkStatus(tt.status)
			for _, id := range tt.problems {
				control := page.FindFirst("#" + id)
				if !strings.Contains(control.Attr("aria-describedby"), id+"-problem") ||
					page.FindFirst("#"+id+"-problem").Text() == "" {
					t.Errorf("no problem at %s", id)
				}
				if control.Attr("value") != tt.form.Get(id) && control.Attr("type") != "" &&
					control.Attr("type") != "hidden" {
					t.Errorf("%s is restored as %q", id, control.Attr("value"))
				}
			}
			if env.hashState() != before {
				t.Error("data were stored")
			}
		})
	}
}

// A lead cannot give away rights they do not have, whatever the form contains.
func TestForms_ExtraFields_Ignored(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	lead := env.newUser("lead@example.org", account.Lead)
	other := env.newUser("other@example.org", account.Lead)
	p, theirs := env.newProject(lead, "mine", 2), env.newProject(other, "theirs", 2)
	ann := env.newUser("ann@example.org", account.Annotator)
	b := env.signInAs(lead)
	extra := url.Values{"id": {"1"}, "role": {"admin"}, "project_id": {formatID(theirs.ID)},
		"account_id": {formatAccountID(other)}, "created_at": {"1999-01-01"},
		"password": {"x"}, "status": {"closed"}, "protocol_version_id": {"1"}, "by": {formatAccountID(other)}}
	addExtra := func(form url.Values) url.Values {
		for key, values := range extra {
			if !form.Has(key) {
				form[key] = values
			}
		}
		return form
	}
	b.post("/projects", addExtra(url.Values{"protocol": {"empathy@1"}, "key": {"new-one"},
		"title": {"T"}})).checkRedirect("/projects/new-one/import")
	b.post("/projects/mine/members", addExtra(url.Values{"email": {"ann@example.org"}, "name": {"A"},
		"role": {"annotator"}})).checkStatus(200)
	b.post("/projects/mine/members", addExtra(url.Values{"email": {"newcomer@example.org"}, "name": {"N"},
		"role": {"annotator"}})).checkStatus(200)
	b.post("/projects/mine/members", addExtra(url.Values{"email": {"newcomer@example.org"}, "name": {"N"},
		"role": {"admin"}})).checkStatus(422)
	b.post("/projects/mine/batches", addExtra(url.Values{"name": {"b"}, "annotators": {"ann@example.org"},
		"overlap": {"1"}, "fewer_calibration": {"A test."}, "action": {"open"}})).checkRedirect("")
	for what, sql := range map[string]string{
		"admins": `SELECT count(*) FROM accounts WHERE role = 'admin'`,
		"old projects": `SELECT count(*) FROM projects WHERE created_at < now() - interval '1 hour'
			OR key = 'new-one' AND id = 1`,
		"people in another's project":  `SELECT count(*) - 1 FROM members WHERE project_id = ` + formatID(theirs.ID),
		"batches in another's project": `SELECT count(*) FROM batches WHERE project_id <> ` + formatID(p.ID),
		"batches opened by another": `SELECT count(*) FROM batches
			WHERE opened_by <> ` + formatAccountID(lead) + ` OR closed_at IS NOT NULL`,
		"projects of another protocol": `SELECT count(*) FROM projects p
			JOIN protocol_versions v ON v.id = p.protocol_version_id WHERE p.key = 'new-one' AND v.key <> 'empathy'`,
		"annotators who were changed": `SELECT count(*) FROM accounts WHERE (role <> 'annotator' OR disabled)
			AND id = ` + formatAccountID(ann),
	} {
		if n := query[int](env, sql); n != 0 {
			t.Errorf("%s: %d", what, n)
		}
	}
}
