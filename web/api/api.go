// Package api serves the JSON API under /api/v1. An operation calls the same methods of
// package postgres as the pages, as the account of the token, so that both have the same rules
// and rights.
package api

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/httprate"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/problem"
)

// The limits of requests per minute: of one token, and of requests without a valid token from
// one address.
const (
	requestsPerMinute = 600
	failuresPerMinute = 60
)

// The largest bodies, in bytes.
const (
	bodyLimit   = 1 << 20
	importLimit = 50 << 20
	readLimit   = 8 << 20 // of a body that is read at once
)

// A ReportFunc returns the report of a project, or of one of its batches, as an account may see
// it: nil while it is being computed.
type ReportFunc func(ctx context.Context, actorID account.ID, p project.Project, choice postgres.ReportChoice) (
	*report.Report, error)

// A SendExportFunc sends the file of an export. An error before its first byte is returned.
type SendExportFunc func(w http.ResponseWriter, r *http.Request, actorID account.ID, p project.Project,
	id postgres.ExportID) error

// A Config is what the API shares with the pages.
type Config struct {
	DB         *postgres.DB
	Log        *slog.Logger
	Report     ReportFunc
	SendExport SendExportFunc
	// InvitationLink returns the address of an invitation.
	InvitationLink func(token string) string
	RequestID      func(*http.Request) string
	ClientIP       func(*http.Request) string
	OnDenial       func(r *http.Request, reason string) // logs an access that was denied
}

// An API answers requests.
type API struct {
	Config
	mux       *chi.Mux
	huma      huma.API
	limiter   *httprate.RateLimiter // by token
	failures  *httprate.RateLimiter // by address
	bodySlots chan struct{}         // one for each large body that is read at once
	importing sync.Map              // the account and project of each import that runs
	order     []string              // ids of the operations
}

var useProblems = sync.OnceFunc(func() {
	huma.NewError = newHumaError
	huma.DefaultArrayNullable = false
})

// New returns an API with all its operations.
func New(c Config) *API {
	useProblems()
	a := &API{Config: c, mux: chi.NewMux(), bodySlots: make(chan struct{}, 4),
		limiter:  httprate.NewRateLimiter(requestsPerMinute, time.Minute),
		failures: httprate.NewRateLimiter(failuresPerMinute, time.Minute)}
	a.mux.Use(a.keepExchange)
	a.mux.NotFound(func(w http.ResponseWriter, r *http.Request) { a.writeError(w, r, errNoOperation) })
	a.mux.MethodNotAllowed(a.rejectMethod)
	a.huma = humachi.New(a.mux, newConfig())
	a.huma.UseMiddleware(a.authorize)
	for _, o := range operations {
		o.register(a)
	}
	return a
}

// SetLimit changes how many requests per minute a token may make, and how many fail without a
// valid one.
func (a *API) SetLimit(requests int) {
	a.limiter, a.failures = httprate.NewRateLimiter(requests, time.Minute), httprate.NewRateLimiter(requests,
		time.Minute)
}

// ServeHTTP answers a request below /api/v1.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// A Described is an operation of any type: an Operation, Upload, Download or Stream.
type Described interface {
	ID() string
	register(*API)
}

// Operations returns all operations, in the order of the description.
func Operations() []Described { return slices.Clone(operations) }

// operations is all that programs can do, in the order of the description.
var operations = []Described{
	ShowToken,
	ListAccounts, CreateAccount, CreateAccounts, ShowAccount, ChangeAccount, InviteAccount,
	ResetSecondFactor,
	ExportAccount, EraseAccount,
	ListProtocols, ShowProtocol, ShowProtocolSchema, PreviewProtocol, PublishProtocol,
	ListProjects, CreateProject, ShowProject, ChangeProject, ArchiveProject, UnarchiveProject, EraseProject,
	ShowVersions, TakeVersion,
	ShowSettings, ReplaceSettings,
	ShowDescription, ReplaceDescription, ShowTextFormats, ReplaceTextFormats,
	ListItems, ShowItem, ImportItems, StreamItems, ArchiveItems, RestoreItems, EraseItems, CalibrateItems,
	TagItems, NoteItems,
	ListReferences, ShowReference, SetReference, RemoveReference, ImportReferences,
	ListMembers, AddMember, AddMembers, InviteMembers, ShowMember, ChangeMember, PreviewRemoval, RemoveMember, EndWork,
	ListHours,
	ListBatches, ShowBatch, CompareRound, PreviewBatch, OpenBatch, ChangeBatch, PreviewChange, CloseBatch, ReopenBatch,
	ArchiveBatch,
	ShowRevision, UseRevision,
	ListCalibrations, OverrideCalibration, RetakeCalibration,
	ListCorrections, ReopenItem, AcceptCorrection, DeclineCorrection, ListSkips,
	ShowInbox, ListQuestions, AnswerQuestion, ListAnnouncements, Announce,
	ShowWork, OpenNextItem, ShowOpenItem, SaveDraft, SubmitLabel, SkipItem, AskLead, ReportMistake, UndoSubmit,
	StartBreak, EndBreak,
	StreamAnnotations,
	ListJudges, ListWork, ListJudgments, GetNextLabels, StreamJudgments, SubmitJudgments,
	ImportAdjudications, ListAdjudications, ShowAdjudication, Adjudicate, DrawSpotChecks, ShowSpotChecks,
	CreateSheet, SubmitSheet,
	ShowReport,
	ListExports, ExportDataset, ShowExport, DownloadExport, DownloadUnblindingKey, CancelExport, DeleteExport,
	ListWebhooks, CreateWebhook, ShowWebhook, ChangeWebhook, DeleteWebhook, RotateWebhookSecret,
	TestWebhook, DisableWebhook, EnableWebhook, ListDeliveries, ResendDelivery,
	ListProjectAuditLog, ListAuditLog, ShowRetention,
}

func newConfig() huma.Config {
	c := huma.DefaultConfig("Labelwright", "1")
	c.Info.Description = "Programs use Labelwright with a token, made on the page Account: `Authorization: Bearer lw_…`. " +
		"A token has the rights of its account when it is used, within its scopes and projects.\n\n" +
		"**Errors** are problems as RFC 9457 has them. Rely on `code`, which is stable, not on the text. " +
		"An object that the account may not see is `not_found`.\n\n" +
		"**Writes** take the header `Idempotency-Key`, any text of up to 200 characters. A request with the same key gets the first response " +
		"again for a day, with `Idempotency-Replayed: true`; a different request with the key is refused. Use a new key for each request.\n\n" +
		"**Lists** have `next_cursor`. Pass it as `cursor` to continue; it is missing at the end.\n\n" +
		"**Reads** have an `ETag`. With `If-None-Match` the answer is 304 if nothing changed. " +
		"Send the `ETag` of an account, project, member, batch or webhook as `If-Match` to change it only if no one else did: otherwise the answer is 412 with the code `precondition_failed`. " +
		"Progress, such as new labels, does not count as a change.\n\n" +
		"**Only by command** are what needs the machine of the server or no server at all: `serve`, `demo`, `migrate`, `health`, `completion`, `version`, `backup`, `restore` and `audit verify`; " +
		"`agree`, `consensus`, `plan` and `check`, which compute from files; and tokens, because a token never makes another one.\n\n" +
		"**Limits**: 600 requests per minute and token. `X-RateLimit-Remaining` has how many are left, and 429 has `Retry-After`."
	c.Info.License = &huma.License{Name: "See LICENSE"}
	c.Servers = []*huma.Server{{URL: "/api/v1"}}
	c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", nil
	c.RejectUnknownQueryParameters = true
	c.Formats = maps.Clone(c.Formats) // of all APIs of the process
	for name, format := range c.Formats {
		c.Formats[name] = huma.Format{Marshal: format.Marshal, Unmarshal: func(data []byte, v any) error {
			if err := plaintext.CheckJSON(data); err != nil {
				return err
			}
			return format.Unmarshal(data, v)
		}}
	}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer",
			Description: "A token made on the page Account or with `labelwright token create`."},
	}
	return c
}

// exchange is the request and the response of an operation, for streams.
type exchange struct {
	w http.ResponseWriter
	r *http.Request
}

type exchangeKey struct{}

func (a *API) keepExchange(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, exchange{w, r})))
	})
}

func exchangeFrom(ctx context.Context) exchange { return ctx.Value(exchangeKey{}).(exchange) }

// rejectMethod names the methods that the path takes.
func (a *API) rejectMethod(w http.ResponseWriter, r *http.Request) {
	path := chi.RouteContext(r.Context()).RoutePath
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete} {
		if a.mux.Match(chi.NewRouteContext(), method, path) {
			w.Header().Add("Allow", method)
		}
	}
	a.writeError(w, r, problem.MethodNotAllowed.Errorf("This address takes other methods: see the header Allow."))
}
