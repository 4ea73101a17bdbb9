package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/postgres/local"
)

// A balancer sends requests in turn to the nodes that /readyz reports as ready, like a load
// balancer in front of a team's servers. It never repeats a request.
type balancer struct {
	*httptest.Server
	mu    sync.Mutex
	nodes []*balancedNode
	next  int
}

type balancedNode struct {
	base    *url.URL
	isReady bool
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(b.chooseNode())
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport: &http.Transport{MaxIdleConnsPerHost: 16},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
	b.Server = httptest.NewServer(proxy)
	t.Cleanup(b.Close)
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() {
		for ctx.Err() == nil {
			b.checkNodes()
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return b
}

// chooseNode returns a node that is ready.
func (b *balancer) chooseNode() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.nodes {
		b.next++
		if n := b.nodes[b.next%len(b.nodes)]; n.isReady {
			return n.base
		}
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
}

func (b *balancer) checkNodes() {
	b.mu.Lock()
	nodes := b.nodes
	b.mu.Unlock()
	for _, n := range nodes {
		status, _ := readiness(n.base.String())
		b.mu.Lock()
		n.isReady = status == http.StatusOK
		b.mu.Unlock()
	}
}

func (b *balancer) add(t *testing.T, address string) {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	b.nodes = append(b.nodes[:len(b.nodes):len(b.nodes)], &balancedNode{base: base})
	b.mu.Unlock()
	for range 500 {
		b.mu.Lock()
		isReady := b.nodes[len(b.nodes)-1].isReady
		b.mu.Unlock()
		if isReady {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s is never ready", address)
}

// readiness returns the status of /readyz over a new connection.
func readiness(base string) (status int, err error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	response, err := client.Get(base + "/readyz")
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

type drainedNode struct {
	*runningServer
	url string // without the balancer
}

// Nodes stop one after the other behind a load balancer, and no client sees it: /readyz
// answers 503 while the node still takes connections.
func TestServe_RollingRestarts_NoClientError(t *testing.T) {
	t.Parallel()
	restarts := 3
	if os.Getenv("LABELWRIGHT_SLOW") == "1" {
		restarts = 50
	}
	database, err := local.Start(t.Context(), local.Options{Dir: newDataDir(t), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Skipf("needs PostgreSQL: %v", err)
	}
	t.Cleanup(func() { _ = database.Stop(context.Background()) })
	b := newBalancer(t)
	startNode := func() drainedNode {
		t.Helper()
		addr := closedPort(t)
		s := startServeAt(t, addr, "--database-url", database.URL(local.Database), "--base-url", b.URL, "--proxies", "1", "--drain-delay", "1500ms")
		b.add(t, "http://"+addr)
		return drainedNode{s, "http://" + addr}
	}
	nodes := []drainedNode{startNode(), startNode()}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var requests atomic.Int64
	var failed sync.Map
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			client := http.Client{Transport: &http.Transport{}}
			for ctx.Err() == nil {
				if err := getSignIn(&client, b.URL); err != nil {
					failed.Store(err.Error(), true)
				}
				requests.Add(1)
			}
		})
	}
	for range restarts {
		nodes = append(nodes, startNode())
		old := nodes[0]
		nodes = nodes[1:]
		old.interrupt()
		time.Sleep(100 * time.Millisecond) // in the drain delay
		if status, err := readiness(old.url); status != http.StatusServiceUnavailable {
			t.Errorf("while draining, /readyz answers %d, %v", status, err)
		}
		if code := old.wait(t); code != exitOK {
			t.Errorf("exit %d: %s", code, old.stderr.contents())
		}
		if _, err := readiness(old.url); err == nil {
			t.Error("the listener is still open")
		}
	}
	stop()
	clients.Wait()
	t.Logf("%d requests in %d restarts", requests.Load(), restarts)
	failed.Range(func(text, _ any) bool {
		t.Errorf("a client saw: %s", text)
		return true
	})
}

func getSignIn(client *http.Client, base string) error {
	response, err := client.Get(base + "/sign-in")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.200s", response.StatusCode, body)
	}
	return err
}
