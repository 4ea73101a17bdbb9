package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/telemetry"
	"github.com/labelwright/labelwright/internal/version"
)

// telemetryFlags configure metrics and the log of slow queries.
type telemetryFlags struct {
	MetricsAddr string        `env:"LABELWRIGHT_METRICS_ADDR" placeholder:"ADDR" help:"Address for /metrics (Prometheus) and /debug/pprof/, such as 127.0.0.1:9090. Everybody who reaches it can read them. Default: none."`
	SlowQuery   time.Duration `default:"1s" env:"LABELWRIGHT_SLOW_QUERY" placeholder:"TIME" help:"Log queries that take at least this long, without their arguments. 0s logs none."`
}

// An operatorServer records what a server does, and serves it to operators.
type operatorServer struct {
	*telemetry.Recorder
	server   http.Server
	listener net.Listener // nil without --metrics-addr
}

// start starts recording, and the pages for operators if they have an address.
func (f telemetryFlags) start(ctx context.Context) (*operatorServer, error) {
	recorder := telemetry.New(telemetry.Options{Version: version.String(), Log: slog.Default(), SlowQuery: f.SlowQuery})
	o := &operatorServer{Recorder: recorder, server: http.Server{Handler: recorder.Handler(),
		ReadHeaderTimeout: 5 * time.Second}}
	if f.MetricsAddr == "" {
		return o, nil
	}
	_, _, err := net.SplitHostPort(f.MetricsAddr)
	if err != nil {
		return nil, usageError{fmt.Errorf("--metrics-addr %q is not an address. Use one such as 127.0.0.1:9090",
			f.MetricsAddr)}
	}
	if o.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", f.MetricsAddr); err != nil {
		return nil, fmt.Errorf("cannot listen on %s. Stop the program that uses it, or choose another address with --metrics-addr: %w", f.MetricsAddr, err)
	}
	slog.Info("metrics and profiles are served", "url", "http://"+o.listener.Addr().String()+"/metrics")
	go func() {
		if err := o.server.Serve(o.listener); !errors.Is(err, http.ErrServerClosed) {
			slog.Error("metrics are no longer served", "error", err)
		}
	}()
	return o, nil
}

// stop ends the pages.
func (o *operatorServer) stop() { _ = o.server.Close() }

// warnOfPlainHTTP logs that passwords can be read on their way.
func warnOfPlainHTTP(base *url.URL) {
	if base.Scheme == "http" && isPublicHost(base.Hostname()) {
		slog.Warn("the base URL begins with http:// and is public: passwords and answers are sent unencrypted. Put a proxy with HTTPS in front, and begin --base-url with https://", "base_url", base.String())
	}
}

// isPublicHost reports whether a host is neither this machine nor in a private network, as
// far as its name shows.
func isPublicHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return !address.IsLoopback() && !address.IsPrivate() && !address.IsLinkLocalUnicast()
	}
	_, domain, isQualified := strings.Cut(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	if !isQualified {
		return false
	}
	top := domain[strings.LastIndex(domain, ".")+1:]
	switch top {
	case "localhost", "local", "internal", "lan", "home", "test", "invalid":
		return false
	}
	return !strings.HasSuffix(domain, "home.arpa")
}
