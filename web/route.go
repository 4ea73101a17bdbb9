package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// A handler answers a request, or returns the error to render.
type handler func(w http.ResponseWriter, r *http.Request) error

// A projectHandler answers a request about a project that the signed-in lead
// leads.
type projectHandler func(w http.ResponseWriter, r *http.Request, p project.Project) error

// A batchHandler answers a request about a batch of such a project.
type batchHandler func(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error

// A route is one entry of the routing table.
type route struct {
	method    string
	path      string
	authorize policy
	handle    handler
	// bodyLimit is the largest form with a file, in bytes, which the handler reads. 0
	// is a form without one, which is parsed before, up to formLimit.
	bodyLimit int64
	// saveSignedOut stores a form that is posted without a session, so that it is
	// there after sign-in. It runs without an account and checks the owner of the
	// form itself. Without it, such a post is rejected.
	saveSignedOut func(*http.Request) error
}

// The largest bodies of requests, in bytes.
const (
	formLimit   = 256 << 10
	fileLimit   = 52 << 20 // a file of 50 MiB and the form around it
	sourceLimit = 1 << 20  // a protocol of 256 KB with every byte escaped
)

// A policy reports whether an account may use a route. What the account sees
// there is decided by the query. Every route has a policy.
type policy func(*account.Account) error

func allowAnyone(*account.Account) error { return nil }

func requireAccount(a *account.Account) error {
	if a == nil {
		return fault.SignedOut
	}
	return nil
}

func requireViewer(a *account.Account) error { return requireRole(a, account.Role.CanView) }

func requireLead(a *account.Account) error { return requireRole(a, account.Role.CanLead) }

func requireAdmin(a *account.Account) error { return requireRole(a, account.Role.IsAdmin) }

// requireRole checks the role of a. To other accounts the page does not exist.
func requireRole(a *account.Account, isAllowed func(account.Role) bool) error {
	switch {
	case a == nil:
		return fault.SignedOut
	case !isAllowed(a.Role):
		return errRole
	}
	return nil
}

// errRole denies a page to an account whose role may not know that it exists.
var errRole = fmt.Errorf("not for this role: %w", fault.NotFound)

// guard limits the body of a request, applies the policy of its route and parses
// its form.
func (s *Server) guard(rt route) http.Handler {
	limit := rt.bodyLimit
	if limit == 0 {
		limit = formLimit
	}
	return s.serve(func(w http.ResponseWriter, r *http.Request) error {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		if limit > formLimit {
			extendDeadlines(w, maxUploadTime)
		}
		err := rt.authorize(currentAccount(r))
		isSignedOut := fault.KindOf(err) == fault.SignedOut
		if err != nil && !isSignedOut {
			return err
		}
		if rt.method != http.MethodGet && rt.bodyLimit == 0 {
			if err := parseForm(r); err != nil {
				return err
			}
		}
		if isSignedOut {
			if rt.method == http.MethodGet || rt.saveSignedOut != nil { // else renderError logs it
				s.logDenial(r, deniedSignedOut)
			}
			return redirectToSignIn(w, r, rt)
		}
		if s.lacksSecondFactor(currentAccount(r)) && rt.authorize(nil) != nil &&
			!strings.HasPrefix(rt.path, secondFactorPath) {
			if rt.method != http.MethodGet {
				return fault.Forbidden.Errorf("Your role needs a second factor. Set it up on your account page.")
			}
			return redirect(w, r, secondFactorPath)
		}
		return rt.handle(w, r)
	})
}

// redirectToSignIn sends a signed-out user to the sign-in page and back
// afterwards. A posted form is stored first where the route can do so.
func redirectToSignIn(w http.ResponseWriter, r *http.Request, rt route) error {
	query := url.Values{"next": {r.URL.RequestURI()}}
	if r.Method != http.MethodGet {
		if rt.saveSignedOut == nil {
			return fault.SignedOut
		}
		if err := rt.saveSignedOut(r); err != nil {
			return err
		}
		query.Set("after", "form-saved")
	}
	return redirect(w, r, "/sign-in?"+query.Encode())
}

// inReport passes the project of the path to h, which shows the report to viewers and leads of the project.
func (s *Server) inReport(h projectHandler) handler { return withProject(s.db.ReportProject, h) }

// inProject passes the project of the path to h. To accounts that do not lead
// it, it does not exist. Pages have the texts of its protocol in the language of
// the reader.
func (s *Server) inProject(h projectHandler) handler { return withProject(s.db.Project, h) }

func withProject(find func(context.Context, account.Account, string) (project.Project, error),
	h projectHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := find(r.Context(), *currentAccount(r), pathParam(r, "key"))
		if err != nil {
			return err
		}
		return h(w, r, inLanguageOf(r, p))
	}
}

// inLanguageOf returns p with the texts of its protocol in the language of the reader of a page.
func inLanguageOf(r *http.Request, p project.Project) project.Project {
	if r.Method == http.MethodGet {
		p.Protocol = p.Protocol.In(currentLocale(r).Tag())
	}
	return p
}

// inItem passes the project of the path to h, in the protocol version that the item of the path was labeled under.
func (s *Server) inItem(h projectHandler) handler {
	return s.inProject(func(w http.ResponseWriter, r *http.Request, p project.Project) error {
		found, err := s.db.InItemVersion(r.Context(), p, pathID[project.ItemID](r))
		if err != nil {
			return err
		}
		return h(w, r, inLanguageOf(r, found))
	})
}

// inBatch passes the batch of the path and its project to h.
func (s *Server) inBatch(h batchHandler) handler {
	return s.inProject(func(w http.ResponseWriter, r *http.Request, p project.Project) error {
		b, err := s.db.Batch(r.Context(), currentAccount(r).ID, p.ID, pathParam(r, "name"))
		if err != nil {
			return err
		}
		if p, err = s.db.WithVersion(r.Context(), p, b.ProtocolVersionID); err != nil {
			return err
		}
		return h(w, r, inLanguageOf(r, p), b)
	})
}
