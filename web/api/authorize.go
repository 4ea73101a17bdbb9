package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/problem"
)

// A caller is the token of a request, and the project in its path.
type caller struct {
	account.TokenAccess
	project project.Project
}

// id returns the account that acts.
func (c caller) id() account.ID { return c.Account.ID }

type callerKey struct{}

func callerFrom(ctx context.Context) caller { return ctx.Value(callerKey{}).(caller) }

var (
	errNoOperation = fault.NotFound.Errorf("The API has no such address. See /api for what it has.")
	errNoToken     = fault.SignedOut.Errorf(
		"The request has no token. Send the header Authorization: Bearer lw_…, with a token from the page Account.")
	errNotLead = fault.Forbidden.Errorf(
		"The account of this token is not a lead. Others use the API only to label, with the scope “label”.")
)

// authorize finds what the token of a request may do now, and passes on requests that its
// scopes and projects allow. Whether the account may do it is decided by package postgres.
func (a *API) authorize(ctx huma.Context, next func(huma.Context)) {
	r, w := humachi.Unwrap(ctx)
	c, err := a.newCaller(w, r, ctx.Operation(), ctx.Param("project"))
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	withCaller := context.WithValue(ctx.Context(), callerKey{}, c)
	if localCallFrom(ctx.Context()) == nil {
		withCaller = postgres.WithToken(withCaller, c.TokenAccess)
	}
	if withCaller, err = withIfMatch(withCaller, r, ctx.Operation()); err != nil {
		a.writeError(w, r, err)
		return
	}
	next(huma.WithContext(ctx, withCaller))
}

func (a *API) newCaller(w http.ResponseWriter, r *http.Request, op *huma.Operation, projectKey string) (c caller,
	err error) {
	if call := localCallFrom(r.Context()); call != nil {
		c.TokenAccess = account.TokenAccess{Account: call.actor, AllProjects: true}
		if strings.Contains(op.Path, "{project}") {
			c.project, err = a.DB.Project(r.Context(), call.actor, projectKey)
		}
		return c, err
	}
	if c.TokenAccess, err = a.authenticate(w, r); err != nil {
		return c, err
	}
	if a.limiter.OnLimit(w, r, fmt.Sprintf("token %d", c.TokenID)) {
		return c, fault.Limited.Errorf(
			"This token made more than %d requests in a minute. Wait as long as the header Retry-After says.",
			requestsPerMinute)
	}
	scope, _ := op.Metadata[scopeKey].(account.Scope)
	if scope != "" && scope != account.ScopeLabel && !c.Account.Role.CanLead() {
		return c, errNotLead
	}
	if scope != "" && !c.Has(scope) {
		return c, problem.Scope.Errorf("This token lacks the scope “%s”. Create a token with it on the page Account.",
			scope)
	}
	if strings.Contains(op.Path, "{project}") {
		c.project, err = a.findProject(r.Context(), c.TokenAccess, projectKey)
	}
	return c, err
}

// authenticate returns the access of the bearer token.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (account.TokenAccess, error) {
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	err := errNoToken
	if strings.EqualFold(kind, "bearer") && token != "" {
		var access account.TokenAccess
		if access, err = a.DB.AuthenticateToken(r.Context(), strings.TrimSpace(token)); err == nil {
			return access, nil
		}
	}
	if fault.KindOf(err) == fault.SignedOut {
		if a.failures.OnLimit(w, r, a.ClientIP(r)) {
			return account.TokenAccess{}, fault.Limited.Errorf(
				"There were too many requests without a valid token. Wait a minute.")
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	return account.TokenAccess{}, err
}

// findProject returns a project that the account leads and the token reaches. Any other is
// fault.NotFound, with the same text for all that a token with limits does not reach.
func (a *API) findProject(ctx context.Context, access account.TokenAccess, key string) (project.Project, error) {
	p, err := a.DB.Project(ctx, access.Account, key)
	if err == nil && !access.Reaches(int64(p.ID)) {
		err = fault.NotFound
	}
	if errors.Is(err, fault.NotFound) && !access.AllProjects {
		return project.Project{}, fault.NotFound.Errorf("This token reaches no project “%s”.", key)
	}
	return p, err
}
