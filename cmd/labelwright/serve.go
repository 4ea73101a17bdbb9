package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web"
)

type serveCommand struct {
	Addr    string `default:"127.0.0.1:8080" env:"LABELWRIGHT_ADDR" help:"Where to listen."`
	BaseURL string `env:"LABELWRIGHT_BASE_URL" placeholder:"URL" help:"Where people reach it, such as https://labels.example.org."`
	Proxies int    `env:"LABELWRIGHT_PROXIES" help:"How many trusted proxies stand before it."`
}

// Run serves until it is told to stop.
func (s serveCommand) Run(c *cli, out streams, ctx runContext) error {
	return c.serveDatabase(ctx, s, func(ctx context.Context, db *postgres.DB, base *url.URL) (token string, err error) {
		needsAdmin, err := db.HasNoAdmin(ctx)
		if err != nil {
			return "", err
		}
		if needsAdmin {
			token = account.NewToken()
			fmt.Fprintf(out.out, "There is no admin yet. Make the first one at\n\n  %s/setup/%s\n\n", base, token)
		}
		fmt.Fprintf(out.out, "Labelwright is ready at %s\n", base)
		return token, nil
	})
}

// prepareFunc readies a database that is about to be served at base, and returns
// the token that opens the page of the first admin, if it is to be open.
type prepareFunc func(ctx context.Context, db *postgres.DB, base *url.URL) (firstToken string, err error)

// serveDatabase brings up database and server, and stops both when ctx ends.
func (c *cli) serveDatabase(ctx context.Context, s serveCommand, prepare prepareFunc) (err error) {
	b, err := c.findDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := postgres.MigrateUp(ctx, b.url); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, b.url)
	if err != nil {
		return err
	}
	defer db.Close()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen at %s; is something else running there? Choose another with --addr: %w", s.Addr, err)
	}
	defer listener.Close()
	address, err := s.resolveBaseURL(listener.Addr())
	if err != nil {
		return err
	}
	token, err := prepare(ctx, db, address)
	if err != nil {
		return err
	}
	handler := web.New(db, web.Config{BaseURL: address, TrustedProxies: s.Proxies, SetupToken: token, Log: slog.Default()})
	return serveUntil(ctx, listener, handler, db, b.exited())
}

// resolveBaseURL returns where people reach a server that listens at addr.
func (s serveCommand) resolveBaseURL(addr net.Addr) (*url.URL, error) {
	if s.BaseURL != "" {
		return parseBaseURL(s.BaseURL)
	}
	tcpAddr, ok := addr.(*net.TCPAddr)
	if !ok || !tcpAddr.IP.IsLoopback() {
		return nil, usageError{fmt.Errorf("listening at %s, which others can reach, needs --base-url to say by which address they do", addr)}
	}
	return &url.URL{Scheme: "http", Host: addr.String()}, nil
}

// parseBaseURL reads the address by which people reach the server.
func parseBaseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" && u.Path != "/" {
		return nil, usageError{fmt.Errorf("--base-url has to be an address such as https://labels.example.org; %q is not", address)}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// serverMemoryLimit holds the reports that are kept and a large one being made: beyond,
// collecting often is better than growing.
const serverMemoryLimit = 512 << 20

// serveUntil answers requests until ctx ends, then lets those under way finish.
func serveUntil(ctx context.Context, listener net.Listener, h http.Handler, db *postgres.DB, databaseExited <-chan struct{}) error {
	setMemoryLimit(serverMemoryLimit)
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second, // web gives uploads longer
		WriteTimeout:      2 * time.Minute,  // and exports
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	serveErr := make(chan error, 1)
	go func() { serveErr <- server.Serve(listener) }()
	go deleteExpired(ctx, db)
	go releaseAbandoned(ctx, db)
	select {
	case err := <-serveErr:
		return fmt.Errorf("serve: %w", err)
	case <-databaseExited:
		return errors.Join(errors.New("the private PostgreSQL has ended by itself. Start again: what was saved is there"), server.Close())
	case <-ctx.Done():
	}
	shutdownCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return server.Shutdown(shutdownCtx)
}

// deleteExpired forgets every hour what is past its time.
func deleteExpired(ctx context.Context, db *postgres.DB) {
	for {
		if err := db.DeleteExpired(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "forgetting what is past its time", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Hour):
		}
	}
}

// releaseAbandoned gives back what annotators abandoned, so that nobody waits for it
// for more than a minute.
func releaseAbandoned(ctx context.Context, db *postgres.DB) {
	for {
		if _, err := db.ReleaseAbandoned(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "taking back abandoned items", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(30 * time.Second):
		}
	}
}
