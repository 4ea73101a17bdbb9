package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/outbox"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web"
)

type serveCommand struct {
	Addr       string         `default:"127.0.0.1:8080" env:"LABELWRIGHT_ADDR" help:"Address to listen on."`
	BaseURL    string         `env:"LABELWRIGHT_BASE_URL" placeholder:"URL" help:"Address of the site for its users, such as https://labels.example.org."`
	Proxies    int            `env:"LABELWRIGHT_PROXIES" help:"Number of trusted proxies in front of the server."`
	DrainDelay *time.Duration `env:"LABELWRIGHT_DRAIN_DELAY" placeholder:"TIME" help:"How long /readyz answers 503 before a stopping server refuses connections, such as 5s. Longer than the load balancer needs to notice. Default: 5s behind proxies, else 0s."`
	Migrate    bool           `default:"true" negatable:"" env:"LABELWRIGHT_MIGRATE" help:"Update the schema at the start. With --no-migrate, run labelwright migrate up before."`

	SecondFactor []string `env:"LABELWRIGHT_SECOND_FACTOR" placeholder:"ROLE,…" help:"Roles that need a second factor at sign-in, such as admin,lead. Their users set it up before they can do anything else."`

	telemetryFlags
	mailFlags
	webhookFlags
	oidcFlags
}

// Run serves until the process is interrupted.
func (s serveCommand) Run(c *cli, out streams, ctx runContext) error {
	return c.serveDatabase(ctx, s, func(ctx context.Context, db *postgres.DB, base *url.URL) error {
		token, err := db.SetupToken(ctx)
		if err != nil {
			return err
		}
		if token != "" {
			fmt.Fprintf(out.out, "There is no admin yet. Create one at\n\n  %s/setup/%s\n\n", base, token)
		}
		fmt.Fprintf(out.out, "Labelwright is ready at %s\n", base)
		return nil
	})
}

// A prepareFunc prepares a database before it is served at base.
type prepareFunc func(ctx context.Context, db *postgres.DB, base *url.URL) error

// serveDatabase starts the database and the server, and stops both when ctx ends.
func (c *cli) serveDatabase(ctx context.Context, s serveCommand, prepare prepareFunc) (err error) {
	if _, _, err := net.SplitHostPort(s.Addr); err != nil {
		return usageError{fmt.Errorf("--addr %q is not an address. Use one such as 127.0.0.1:8080", s.Addr)}
	}
	if s.Proxies == 0 && strings.HasPrefix(s.BaseURL, "https://") {
		return usageError{errors.New("--base-url is https, which a proxy serves: set --proxies to the number of proxies, else all users share the address of the proxy, and its limits")}
	}
	b, err := c.findOwnDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if s.Migrate {
		if err := postgres.MigrateUp(ctx, b.migrateURL); err != nil {
			return err
		}
	}
	operators, err := s.start(ctx)
	if err != nil {
		return err
	}
	defer operators.stop()
	db, err := openRecordedDB(ctx, b.url, operators.Recorder)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := warnOfRights(ctx, db); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s. Stop the program that uses it, or choose another address with --addr: %w", s.Addr, err)
	}
	defer listener.Close()
	address, err := s.resolveBaseURL(listener.Addr())
	if err != nil {
		return err
	}
	warnOfPlainHTTP(address)
	if err := prepare(ctx, db, address); err != nil {
		return err
	}
	secondFactor, err := parseRoles(s.SecondFactor)
	if err != nil {
		return err
	}
	companies, err := s.newProviders(address)
	if err != nil {
		return err
	}
	sender, err := s.newSender()
	if err != nil {
		return err
	}
	if err := db.SetMailEnabled(ctx, sender != nil); err != nil {
		return err
	}
	events, err := s.newEventSender()
	if err != nil {
		return err
	}
	handler := web.New(db, web.Config{BaseURL: address, TrustedProxies: s.Proxies, Log: slog.Default(),
		Recorder: operators.Recorder, OIDC: companies, OIDCOnly: s.Only,
		SecondFactor: secondFactor})
	sent := &outbox.Outbox{DB: db, Base: address, Mail: sender, Webhooks: events, Log: slog.Default()}
	work := sent.Work()
	work.Explain = handler.ExplainFailure
	stopJobs, err := db.StartJobs(ctx, work)
	if err != nil {
		return err
	}
	defer stopJobs() // before the database is closed
	return s.serveUntil(ctx, listener, handler, b.exited())
}

// warnOfRights logs that the server has more rights in the database than it needs.
func warnOfRights(ctx context.Context, db *postgres.DB) error {
	can, err := db.CanChangeHistory(ctx)
	if can {
		slog.Warn("the server's database role may change annotations and the audit log; .github/SECURITY.md explains how to create the database roles")
	}
	return err
}

// resolveBaseURL returns --base-url, else the address of a server that only this machine can reach.
func (s serveCommand) resolveBaseURL(addr net.Addr) (*url.URL, error) {
	if s.BaseURL != "" {
		return parseBaseURL(s.BaseURL)
	}
	tcpAddr, ok := addr.(*net.TCPAddr)
	if !ok || !tcpAddr.IP.IsLoopback() {
		return nil, usageError{fmt.Errorf(
			"other machines can reach %s. Add --base-url with the address that users open", addr)}
	}
	return &url.URL{Scheme: "http", Host: addr.String()}, nil
}

// parseBaseURL parses the address of the site for its users.
func parseBaseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != path.Clean("/"+u.Path) &&
		u.Path != "" && !strings.HasSuffix(u.Path, "/") {
		return nil, usageError{fmt.Errorf("--base-url %q is not an address. Use one such as https://labels.example.org",
			address)}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(path.Clean("/"+u.Path), "/")}, nil
}

// serverMemoryLimit keeps the server within 400 MiB while it builds a report of a million labels. With
// many rows in the cache of reports that takes longer, because memory is freed more often.
const serverMemoryLimit = 320 << 20

// drainDelay returns --drain-delay, or its default.
func (s serveCommand) drainDelay() time.Duration {
	switch {
	case s.DrainDelay != nil:
		return *s.DrainDelay
	case s.Proxies > 0:
		return 5 * time.Second
	}
	return 0
}

// serveUntil serves until ctx ends. Then /readyz answers 503 for the load balancer, and it waits for requests
// in progress.
func (s serveCommand) serveUntil(ctx context.Context, listener net.Listener, h *web.Server,
	databaseExited <-chan struct{}) error {
	setMemoryLimit(serverMemoryLimit)
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second, // web extends it for uploads
		WriteTimeout:      2 * time.Minute,  // and this one for exports
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	serveErr := make(chan error, 1)
	go func() { serveErr <- server.Serve(listener) }()
	select {
	case err := <-serveErr:
		return fmt.Errorf("serve: %w", err)
	case <-databaseExited:
		return errors.Join(errors.New(
			"the private PostgreSQL stopped unexpectedly. Start Labelwright again; saved data is not lost"),
			server.Close())
	case <-ctx.Done():
	}
	h.Drain()
	time.Sleep(s.drainDelay())
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return server.Shutdown(shutdownCtx)
}
