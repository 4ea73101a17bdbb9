package account

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// A Scope is a part of the API that a token may use. A scope never gives a right that the
// account has not.
type Scope string

// The scopes.
const (
	ScopeLabel  Scope = "label"
	ScopeRead   Scope = "read"
	ScopeJudge  Scope = "judge"
	ScopeManage Scope = "manage"
	ScopeExport Scope = "export"
	ScopeAdmin  Scope = "admin"
)

// Scopes lists every scope in the order of forms.
var Scopes = []Scope{ScopeLabel, ScopeRead, ScopeJudge, ScopeManage, ScopeExport, ScopeAdmin}

// Text returns what the scope allows.
func (s Scope) Text() string {
	return map[Scope]string{
		ScopeLabel:  "get items to label, and submit labels, as on the Work page",
		ScopeRead:   "see protocols, projects, items, members, batches, decisions, messages and reports",
		ScopeJudge:  "get items to judge, and submit the judgments of a model",
		ScopeManage: "publish protocols, create projects, import items, answer annotators, and change members, batches, calibration, decisions and webhooks",
		ScopeExport: "download annotations and datasets",
		ScopeAdmin:  "manage accounts, and read the audit log of all projects; only for admins",
	}[s]
}

// An APITokenID identifies an APIToken.
type APITokenID int64

// An APIToken is a token as its user and admins see it.
type APIToken struct {
	ID          APITokenID
	AccountID   ID
	Name        string
	Prefix      string
	Scopes      []Scope
	AllProjects bool
	Projects    []string // keys
	CreatedAt   time.Time
	ExpiresAt   time.Time
	LastUsedAt  *time.Time // to the minute
	RevokedAt   *time.Time
}

// IsActive reports whether the token can be used.
func (t APIToken) IsActive(now time.Time) bool { return t.RevokedAt == nil && t.ExpiresAt.After(now) }

// The number of days after which a token expires.
const (
	DefaultTokenDays = 90
	MaxTokenDays     = 366
)

// A NewAPIToken is the input for creating a token.
type NewAPIToken struct {
	Name     string
	Scopes   []Scope
	Projects []string // keys; empty: all projects of the account
	Days     int      // until it expires
}

// Check returns t without surrounding spaces, or what is wrong with it for an account with a
// role.
func (t NewAPIToken) Check(role Role) (NewAPIToken, error) {
	var err error
	if t.Name, err = plaintext.ReadLine(t.Name, 1, 100, fault.Invalid.Errorf(
		"Enter a name of 1 to 100 characters for the token, such as “nightly export”.")); err != nil {
		return t, err
	}
	if t.Days < 1 || t.Days > MaxTokenDays {
		return t, fault.Invalid.Errorf("A token expires after 1 to %d days.", MaxTokenDays)
	}
	return t, t.checkScopes(role)
}

func (t NewAPIToken) checkScopes(role Role) error {
	if len(t.Scopes) == 0 {
		return fault.Invalid.Errorf("Choose at least one scope: %s.", scopeNames())
	}
	for _, s := range t.Scopes {
		switch {
		case !slices.Contains(Scopes, s):
			return fault.Invalid.Errorf("“%s” is not a scope. The scopes are %s.", s, scopeNames())
		case s != ScopeLabel && !role.CanLead():
			return fault.Forbidden.Errorf("Only leads and admins can create a token with the scope %s. An admin can change the role.", s)
		case s == ScopeAdmin && !role.IsAdmin():
			return fault.Invalid.Errorf("Only admins can create a token with the scope admin.")
		case (s == ScopeAdmin || s == ScopeLabel) && len(t.Projects) > 0:
			return fault.Invalid.Errorf("A token with the scope %s cannot be limited to projects.", s)
		}
	}
	return nil
}

func scopeNames() string {
	names := make([]string, len(Scopes))
	for i, s := range Scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// TokenPrefix starts every API token, so that scanners for leaked secrets find it.
const TokenPrefix = "lw_"

// NewAPITokenText returns a token with 256 random bits, and the part of it that is stored to
// recognize it.
func NewAPITokenText() (token, prefix string) {
	random := make([]byte, 32)
	rand.Read(random)
	token = TokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	return token, token[:len(TokenPrefix)+6]
}

// A TokenAccess is what a request with a token may do: what its account may do now, within the
// scopes and projects of the token.
type TokenAccess struct {
	TokenID     APITokenID
	TokenName   string
	Account     Account
	Scopes      []Scope
	AllProjects bool
	ProjectIDs  []int64 // if not AllProjects
	ExpiresAt   time.Time
}

// Has reports whether the token has a scope.
func (a TokenAccess) Has(s Scope) bool { return slices.Contains(a.Scopes, s) }

// Reaches reports whether the token is not limited to other projects.
func (a TokenAccess) Reaches(projectID int64) bool {
	return a.AllProjects || slices.Contains(a.ProjectIDs, projectID)
}
