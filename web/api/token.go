package api

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/account"
)

// A Token is the token of the request.
type Token struct {
	Name      string          `json:"name"`
	Account   string          `json:"account" doc:"Email address of the account."`
	Role      account.Role    `json:"role" enum:"admin,lead,viewer,annotator"`
	Scopes    []account.Scope `json:"scopes"`
	Limited   bool            `json:"limited" doc:"The token reaches some projects of the account only: see /projects."`
	ExpiresAt time.Time       `json:"expires_at"`
}

// The operations on tokens.
var (
	ShowToken = newRead(endpoint{id: "show-token", path: "/token", tag: "Token",
		summary: "Show the token of the request"},
		func(_ context.Context, _ *API, c caller, _ *NoInput) (Token, error) {
			return Token{c.TokenName, c.Account.Email, c.Account.Role, c.Scopes, !c.AllProjects, c.ExpiresAt.UTC()}, nil
		})
)
