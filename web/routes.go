package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A handler answers a request, or returns why not.
type handler func(w http.ResponseWriter, r *http.Request) error

// A route is one line of the table of contents below.
type route struct {
	method string
	path   string
	may    policy
	answer handler
	limit  int64 // bytes of the body; 0: formLimit
}

// A policy says who may use a route. What they may see there is decided by the
// query, which takes the account. There is no route without one.
type policy func(*account.Account) error

func anyone(*account.Account) error { return nil }

func people(a *account.Account) error {
	if a == nil {
		return fault.SignedOut
	}
	return nil
}

func leads(a *account.Account) error { return only(a, account.Role.Leads) }

func admins(a *account.Account) error { return only(a, account.Role.Administers) }

// only lets through whose role allows it. To others signed in, the page does
// not exist.
func only(a *account.Account, allows func(account.Role) bool) error {
	switch {
	case a == nil:
		return fault.SignedOut
	case !allows(a.Role):
		return fault.NotFound
	}
	return nil
}

const (
	formLimit = 256 << 10
	fileLimit = 52 << 20 // a file of 50 MiB and the form around it
)

// routes is every page and form there is.
func (s *Server) routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{method: get, path: "/", may: anyone, answer: s.front},
		{method: get, path: "/sign-in", may: anyone, answer: s.signInPage},
		{method: post, path: "/sign-in", may: anyone, answer: s.signIn},
		{method: post, path: "/sign-out", may: anyone, answer: s.signOut},
		{method: get, path: "/invitations/{token}", may: anyone, answer: s.invitationPage},
		{method: post, path: "/invitations/{token}", may: anyone, answer: s.takeInvitation},
		{method: get, path: "/first/{token}", may: anyone, answer: s.firstPage},
		{method: post, path: "/first/{token}", may: anyone, answer: s.makeFirst},
		{method: get, path: "/account", may: people, answer: s.accountPage},
		{method: post, path: "/account/password", may: people, answer: s.changePassword},

		{method: get, path: "/work", may: people, answer: s.work},
		{method: post, path: "/work", may: people, answer: s.begin},
		{method: get, path: "/work/guide", may: people, answer: s.guide},
		{method: get, path: "/work/break", may: people, answer: s.breakPage},
		{method: post, path: "/work/break", may: people, answer: s.takeBreakIn},
		{method: get, path: "/work/pause", may: people, answer: s.pause},
		{method: post, path: "/work/break/end", may: people, answer: s.goOn},
		{method: post, path: "/work/warning", may: people, answer: s.readWarningOf},
		{method: get, path: "/work/slip", may: people, answer: s.slips},
		{method: post, path: "/work/slip", may: people, answer: s.flagSlip},
		{method: get, path: "/work/calibration", may: people, answer: s.calibration},
		{method: post, path: "/work/calibration/read", may: people, answer: s.readSection},
		{method: post, path: "/work/calibration/on", may: people, answer: s.beginWork},
		{method: post, path: "/work/calibration/again", may: people, answer: s.takeAgain},
		{method: post, path: "/work/calibration/say", may: people, answer: s.say},
		{method: get, path: "/work/{token}", may: people, answer: s.label},
		{method: post, path: "/work/{token}", may: people, answer: s.submit},
		{method: post, path: "/work/{token}/draft", may: people, answer: s.draft},
		{method: get, path: "/work/{token}/set-aside", may: people, answer: s.setAsidePage},
		{method: post, path: "/work/{token}/set-aside", may: people, answer: s.setAside},
		{method: post, path: "/work/{token}/break", may: people, answer: s.takeBreak},
		{method: post, path: "/work/{token}/warning", may: people, answer: s.readWarning},

		{method: get, path: "/projects", may: leads, answer: s.projects},
		{method: post, path: "/projects", may: leads, answer: s.createProject},
		{method: get, path: "/projects/new", may: leads, answer: s.newProject},
		{method: get, path: "/projects/{key}", may: leads, answer: s.projectHome},
		{method: get, path: "/projects/{key}/import", may: leads, answer: s.importPage},
		{method: post, path: "/projects/{key}/import", may: leads, answer: s.stageImport, limit: fileLimit},
		{method: get, path: "/projects/{key}/import/{token}", may: leads, answer: s.importPreview},
		{method: post, path: "/projects/{key}/import/{token}", may: leads, answer: s.storeImport},
		{method: get, path: "/projects/{key}/items", may: leads, answer: s.items},
		{method: get, path: "/projects/{key}/items/{id}", may: leads, answer: s.item},
		{method: get, path: "/projects/{key}/people", may: leads, answer: s.members},
		{method: post, path: "/projects/{key}/people", may: leads, answer: s.addMember},
		{method: get, path: "/projects/{key}/batches/new", may: leads, answer: s.newBatch},
		{method: post, path: "/projects/{key}/batches", may: leads, answer: s.openBatch},
		{method: get, path: "/projects/{key}/batches/{name}", may: leads, answer: s.board},
		{method: get, path: "/projects/{key}/batches/{name}/close", may: leads, answer: s.closePage},
		{method: post, path: "/projects/{key}/batches/{name}/close", may: leads, answer: s.closeBatch},
		{method: get, path: "/projects/{key}/session", may: leads, answer: s.sessionPage},
		{method: post, path: "/projects/{key}/session", may: leads, answer: s.setSession},
		{method: get, path: "/projects/{key}/batches/{name}/progress", may: leads, answer: s.progress},
		{method: post, path: "/projects/{key}/batches/{name}/progress", may: leads, answer: s.settleSlip},
		{method: get, path: "/projects/{key}/calibration", may: leads, answer: s.references},
		{method: get, path: "/projects/{key}/calibration/{id}", may: leads, answer: s.referencePage},
		{method: post, path: "/projects/{key}/calibration/{id}", may: leads, answer: s.keepReference},
		{method: post, path: "/projects/{key}/calibration/{id}/remove", may: leads, answer: s.removeReference},
		{method: get, path: "/projects/{key}/batches/{name}/calibration", may: leads, answer: s.calibrations},
		{method: post, path: "/projects/{key}/batches/{name}/calibration", may: leads, answer: s.decideCalibration},
		{method: post, path: "/projects/{key}/batches/{name}/calibration/say", may: leads, answer: s.sayAsLead},
		{method: get, path: "/projects/{key}/export", may: leads, answer: s.exportPage},
		{method: post, path: "/projects/{key}/export", may: leads, answer: s.export},

		{method: get, path: "/projects/{key}/report", may: leads, answer: s.report},
		{method: post, path: "/projects/{key}/report/habits", may: leads, answer: s.showHabits},
		{method: get, path: "/work/habits", may: people, answer: s.habits},
		{method: get, path: "/projects/{key}/consensus", may: leads, answer: s.consensus},
		{method: get, path: "/projects/{key}/disagreements", may: leads, answer: s.disagreements},
		{method: get, path: "/projects/{key}/items/{id}/answers", may: leads, answer: s.disagreement},
		{method: get, path: "/projects/{key}/annotators/{pseudonym}", may: leads, answer: s.annotator},
		{method: get, path: "/projects/{key}/adjudication", may: leads, answer: s.adjudication},
		{method: get, path: "/projects/{key}/adjudication/{id}", may: leads, answer: s.adjudicatePage},
		{method: post, path: "/projects/{key}/adjudication/{id}", may: leads, answer: s.adjudicate},
		{method: post, path: "/projects/{key}/adjudication/{id}/draft", may: leads, answer: s.decisionDraft},

		{method: get, path: "/protocols", may: leads, answer: s.protocols},
		{method: get, path: "/protocols/new", may: leads, answer: s.newProtocol},
		{method: post, path: "/protocols/new", may: leads, answer: s.publishProtocol, limit: sourceLimit},
		{method: get, path: "/protocols/{key}/{version}", may: leads, answer: s.protocol},
		{method: get, path: "/admin/people", may: admins, answer: s.people},
		{method: post, path: "/admin/people", may: admins, answer: s.addPerson},
		{method: get, path: "/admin/people/{id}", may: admins, answer: s.person},
		{method: post, path: "/admin/people/{id}", may: admins, answer: s.changePerson},
		{method: post, path: "/admin/people/{id}/invitation", may: admins, answer: s.invitePerson},
		{method: get, path: "/admin/audit", may: admins, answer: s.audit},
	}
}
