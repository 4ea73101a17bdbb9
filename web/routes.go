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
	method    string
	path      string
	authorize policy
	handle    handler
	bodyLimit int64 // bytes of the body; 0: formLimit
}

// A policy says who may use a route. What they may see there is decided by the
// query, which takes the account. There is no route without one.
type policy func(*account.Account) error

func allowAnyone(*account.Account) error { return nil }

func requireAccount(a *account.Account) error {
	if a == nil {
		return fault.SignedOut
	}
	return nil
}

func requireLead(a *account.Account) error { return requireRole(a, account.Role.CanLead) }

func requireAdmin(a *account.Account) error { return requireRole(a, account.Role.IsAdmin) }

// requireRole lets through whose role allows it. To others signed in, the page does
// not exist.
func requireRole(a *account.Account, isAllowed func(account.Role) bool) error {
	switch {
	case a == nil:
		return fault.SignedOut
	case !isAllowed(a.Role):
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
		{method: get, path: "/", authorize: allowAnyone, handle: s.redirectHome},
		{method: get, path: "/sign-in", authorize: allowAnyone, handle: s.showSignIn},
		{method: post, path: "/sign-in", authorize: allowAnyone, handle: s.signIn},
		{method: post, path: "/sign-out", authorize: allowAnyone, handle: s.signOut},
		{method: get, path: "/invitations/{token}", authorize: allowAnyone, handle: s.showInvitation},
		{method: post, path: "/invitations/{token}", authorize: allowAnyone, handle: s.acceptInvitation},
		{method: get, path: "/setup/{token}", authorize: allowAnyone, handle: s.showSetup},
		{method: post, path: "/setup/{token}", authorize: allowAnyone, handle: s.createFirstAdmin},
		{method: get, path: "/account", authorize: requireAccount, handle: s.showAccount},
		{method: post, path: "/account/password", authorize: requireAccount, handle: s.changePassword},

		{method: get, path: "/work", authorize: requireAccount, handle: s.showWork},
		{method: post, path: "/work", authorize: requireAccount, handle: s.openNext},
		{method: get, path: "/work/guide", authorize: requireAccount, handle: s.showGuide},
		{method: get, path: "/work/break", authorize: requireAccount, handle: s.showBreak},
		{method: post, path: "/work/break", authorize: requireAccount, handle: s.startBreak},
		{method: get, path: "/work/pause", authorize: requireAccount, handle: s.showPause},
		{method: post, path: "/work/break/end", authorize: requireAccount, handle: s.endBreak},
		{method: post, path: "/work/content-warning", authorize: requireAccount, handle: s.acknowledgeBatchWarning},
		{method: get, path: "/work/corrections", authorize: requireAccount, handle: s.showCorrections},
		{method: post, path: "/work/corrections", authorize: requireAccount, handle: s.requestCorrection},
		{method: get, path: "/work/calibration", authorize: requireAccount, handle: s.showCalibration},
		{method: post, path: "/work/calibration/read-section", authorize: requireAccount, handle: s.markSectionRead},
		{method: post, path: "/work/calibration/start", authorize: requireAccount, handle: s.startWork},
		{method: post, path: "/work/calibration/retake", authorize: requireAccount, handle: s.retakeCalibration},
		{method: post, path: "/work/calibration/comments", authorize: requireAccount, handle: s.postComment},
		{method: get, path: "/work/{token}", authorize: requireAccount, handle: s.showLabeling},
		{method: post, path: "/work/{token}", authorize: requireAccount, handle: s.submit},
		{method: post, path: "/work/{token}/draft", authorize: requireAccount, handle: s.saveDraft},
		{method: get, path: "/work/{token}/skip", authorize: requireAccount, handle: s.showSkip},
		{method: post, path: "/work/{token}/skip", authorize: requireAccount, handle: s.skip},
		{method: post, path: "/work/{token}/break", authorize: requireAccount, handle: s.startBreakFromItem},
		{method: post, path: "/work/{token}/content-warning", authorize: requireAccount, handle: s.acknowledgeItemWarning},

		{method: get, path: "/projects", authorize: requireLead, handle: s.showProjects},
		{method: post, path: "/projects", authorize: requireLead, handle: s.createProject},
		{method: get, path: "/projects/new", authorize: requireLead, handle: s.showNewProject},
		{method: get, path: "/projects/{key}", authorize: requireLead, handle: s.showProject},
		{method: get, path: "/projects/{key}/import", authorize: requireLead, handle: s.showImport},
		{method: post, path: "/projects/{key}/import", authorize: requireLead, handle: s.stageImport, bodyLimit: fileLimit},
		{method: get, path: "/projects/{key}/import/{token}", authorize: requireLead, handle: s.showImportPreview},
		{method: post, path: "/projects/{key}/import/{token}", authorize: requireLead, handle: s.storeImport},
		{method: get, path: "/projects/{key}/items", authorize: requireLead, handle: s.showItems},
		{method: get, path: "/projects/{key}/items/{id}", authorize: requireLead, handle: s.showItem},
		{method: get, path: "/projects/{key}/members", authorize: requireLead, handle: s.showMembers},
		{method: post, path: "/projects/{key}/members", authorize: requireLead, handle: s.addMember},
		{method: get, path: "/projects/{key}/batches/new", authorize: requireLead, handle: s.showNewBatch},
		{method: post, path: "/projects/{key}/batches", authorize: requireLead, handle: s.openBatch},
		{method: get, path: "/projects/{key}/batches/{name}", authorize: requireLead, handle: s.showBoard},
		{method: get, path: "/projects/{key}/batches/{name}/close", authorize: requireLead, handle: s.showCloseBatch},
		{method: post, path: "/projects/{key}/batches/{name}/close", authorize: requireLead, handle: s.closeBatch},
		{method: get, path: "/projects/{key}/session-settings", authorize: requireLead, handle: s.showSessionSettings},
		{method: post, path: "/projects/{key}/session-settings", authorize: requireLead, handle: s.saveSessionSettings},
		{method: get, path: "/projects/{key}/batches/{name}/progress", authorize: requireLead, handle: s.showProgress},
		{method: post, path: "/projects/{key}/batches/{name}/progress", authorize: requireLead, handle: s.resolveCorrection},
		{method: get, path: "/projects/{key}/references", authorize: requireLead, handle: s.showReferences},
		{method: get, path: "/projects/{key}/references/{id}", authorize: requireLead, handle: s.showReference},
		{method: post, path: "/projects/{key}/references/{id}", authorize: requireLead, handle: s.saveReference},
		{method: post, path: "/projects/{key}/references/{id}/remove", authorize: requireLead, handle: s.removeReference},
		{method: get, path: "/projects/{key}/batches/{name}/calibration", authorize: requireLead, handle: s.showCalibrationResults},
		{method: post, path: "/projects/{key}/batches/{name}/calibration", authorize: requireLead, handle: s.decideCalibration},
		{method: post, path: "/projects/{key}/batches/{name}/calibration/comments", authorize: requireLead, handle: s.postLeadComment},
		{method: get, path: "/projects/{key}/export", authorize: requireLead, handle: s.showExport},
		{method: post, path: "/projects/{key}/export", authorize: requireLead, handle: s.export},

		{method: get, path: "/projects/{key}/report", authorize: requireLead, handle: s.showReport},
		{method: post, path: "/projects/{key}/report/rater-effects", authorize: requireLead, handle: s.setRaterEffectsVisibility},
		{method: get, path: "/work/rater-effects", authorize: requireAccount, handle: s.showRaterEffects},
		{method: get, path: "/projects/{key}/consensus", authorize: requireLead, handle: s.showConsensus},
		{method: get, path: "/projects/{key}/disagreements", authorize: requireLead, handle: s.showDisagreements},
		{method: get, path: "/projects/{key}/items/{id}/answers", authorize: requireLead, handle: s.showItemAnswers},
		{method: get, path: "/projects/{key}/annotators/{pseudonym}", authorize: requireLead, handle: s.showAnnotator},
		{method: get, path: "/projects/{key}/adjudication", authorize: requireLead, handle: s.showAdjudication},
		{method: get, path: "/projects/{key}/adjudication/{id}", authorize: requireLead, handle: s.showAdjudicationItem},
		{method: post, path: "/projects/{key}/adjudication/{id}", authorize: requireLead, handle: s.adjudicate},
		{method: post, path: "/projects/{key}/adjudication/{id}/draft", authorize: requireLead, handle: s.saveAdjudicationDraft},

		{method: get, path: "/protocols", authorize: requireLead, handle: s.showProtocols},
		{method: get, path: "/protocols/new", authorize: requireLead, handle: s.showNewProtocol},
		{method: post, path: "/protocols/new", authorize: requireLead, handle: s.previewOrPublishProtocol, bodyLimit: sourceLimit},
		{method: get, path: "/protocols/{key}/{version}", authorize: requireLead, handle: s.showProtocol},
		{method: get, path: "/admin/users", authorize: requireAdmin, handle: s.showUsers},
		{method: post, path: "/admin/users", authorize: requireAdmin, handle: s.addUser},
		{method: get, path: "/admin/users/{id}", authorize: requireAdmin, handle: s.showUser},
		{method: post, path: "/admin/users/{id}", authorize: requireAdmin, handle: s.updateUser},
		{method: post, path: "/admin/users/{id}/invitation", authorize: requireAdmin, handle: s.inviteUser},
		{method: get, path: "/admin/audit-log", authorize: requireAdmin, handle: s.showAuditLog},
	}
}
