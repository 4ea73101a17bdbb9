package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/pgtest"
	"github.com/labelwright/labelwright/internal/require"
)

// runCommandEnv makes the test program behave as labelwright, so that a test can start and
// kill nodes as processes of their own.
const runCommandEnv = "LABELWRIGHT_TEST_RUN_COMMAND"

// A cluster is two nodes behind HAProxy, and their PostgreSQL. All are processes.
type cluster struct {
	*testing.T
	database *pgtest.Restartable
	nodes    []*clusterNode
	baseURL  string // at HAProxy
	statsAt  string // socket of HAProxy
}

// A clusterNode is one server.
type clusterNode struct {
	name, addr string
	args       []string
	cmd        *exec.Cmd
	log        syncBuffer
	exited     chan struct{}
}

func newCluster(t *testing.T, serveFlags ...string) *cluster {
	t.Helper()
	haproxy := require.Program(t, "haproxy")
	c := &cluster{T: t, database: pgtest.NewRestartable(t, postgres.MigrateUp)}
	front := closedPort(t)
	c.baseURL = "http://" + front
	for _, name := range []string{"a", "b"} {
		n := &clusterNode{name: name, addr: closedPort(t)}
		n.args = append([]string{"serve", "--addr", n.addr, "--database-url", c.database.URL(), "--base-url", c.baseURL,
			"--proxies", "1"}, serveFlags...)
		c.nodes = append(c.nodes, n)
		c.start(n)
	}
	c.startHAProxy(haproxy, front)
	for _, n := range c.nodes {
		c.waitUntilUp(n)
	}
	return c
}

// startHAProxy starts HAProxy with the configuration of this repository. It notices faster,
// and it repeats no request: a connection that a node refuses is a client's error.
func (c *cluster) startHAProxy(program, addr string) {
	c.Helper()
	text, err := os.ReadFile("../../.github/deploy/haproxy.cfg")
	if err != nil {
		c.Fatal(err)
	}
	dir := newDataDir(c.T)
	c.statsAt = filepath.Join(dir, "stats")
	config := string(text)
	for _, r := range [][2]string{
		{"bind :80", "bind " + addr}, {"inter 1s", "inter 100ms"}, {"retries 3", "retries 0"},
		{"10.0.0.11:8080", c.nodes[0].addr}, {"10.0.0.12:8080", c.nodes[1].addr},
		{"global\n", "global\n    stats socket " + c.statsAt + "\n"},
	} {
		if !strings.Contains(config, r[0]) {
			c.Fatalf("haproxy.cfg has no %q", r[0])
		}
		config = strings.ReplaceAll(config, r[0], r[1])
	}
	path := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		c.Fatal(err)
	}
	cmd := exec.Command(program, "-db", "-f", path)
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if c.Failed() {
			c.Logf("HAProxy: %s", log.contents())
		}
	})
}

// start starts a node, and waits until it is ready.
func (c *cluster) start(n *clusterNode) {
	c.Helper()
	n.cmd = exec.Command(os.Args[0], n.args...)
	n.cmd.Env = append(os.Environ(), runCommandEnv+"=1")
	n.cmd.Stdout, n.cmd.Stderr = &n.log, &n.log
	if err := n.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	cmd, exited := n.cmd, make(chan struct{})
	n.exited = exited
	go func() {
		_ = cmd.Wait() // the exit code is in cmd
		close(exited)
	}()
	c.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
		if c.Failed() {
			c.Logf("%s: %s", n.name, n.log.contents())
		}
	})
	c.waitFor(n.name+" is ready", func() bool {
		status, _ := readiness("http://" + n.addr)
		return status == http.StatusOK
	})
}

// waitFor waits until a condition holds.
func (c *cluster) waitFor(condition string, holds func() bool) {
	c.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	for _, n := range c.nodes {
		c.Logf("%s: %s", n.name, n.log.contents())
	}
	c.Fatalf("after a minute it is not true that %s", condition)
}

// waitUntilUp waits until HAProxy sends requests to a node.
func (c *cluster) waitUntilUp(n *clusterNode) {
	c.Helper()
	c.waitFor("HAProxy uses "+n.name, func() bool { return strings.HasPrefix(c.serverStatus(n.name), "UP") })
}

// serverStatus returns the status of a server in HAProxy.
func (c *cluster) serverStatus(name string) string {
	conn, err := net.Dial("unix", c.statsAt)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "show stat\n"); err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		return err.Error()
	}
	const statusColumn = 17
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, ","); len(cells) > statusColumn && cells[0] == "nodes" && cells[1] == name {
			return cells[statusColumn]
		}
	}
	return "unknown"
}

// restart stops a node as its operator would, and starts it again. /readyz must answer 503
// before the node refuses connections.
func (c *cluster) restart(n *clusterNode) {
	c.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.Error(err)
	}
	hasAnswered503 := false
	for err := error(nil); err == nil; time.Sleep(10 * time.Millisecond) {
		var status int
		status, err = readiness("http://" + n.addr)
		hasAnswered503 = hasAnswered503 || status == http.StatusServiceUnavailable
	}
	if !hasAnswered503 {
		c.Errorf("%s refused connections before /readyz answered 503", n.name)
	}
	<-n.exited
	if code := n.cmd.ProcessState.ExitCode(); code != exitOK {
		c.Errorf("%s: exit %d: %s", n.name, code, n.log.contents())
	}
	c.start(n)
	c.waitUntilUp(n)
}

// kill ends a node without notice, and starts it again.
func (c *cluster) kill(n *clusterNode) {
	c.Helper()
	_ = n.cmd.Process.Kill()
	<-n.exited
	time.Sleep(200 * time.Millisecond)
	c.start(n)
	c.waitUntilUp(n)
}

// killDatabase ends PostgreSQL without notice, and starts it again.
func (c *cluster) killDatabase() {
	c.Helper()
	c.database.Kill()
	time.Sleep(300 * time.Millisecond)
	c.database.Start()
	for _, n := range c.nodes {
		c.waitFor(n.name+" is ready", func() bool {
			status, _ := readiness("http://" + n.addr)
			return status == http.StatusOK
		})
		c.waitUntilUp(n)
	}
}

// readiness returns the status of /readyz over a new connection.
func readiness(base string) (status int, err error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	response, err := client.Get(base + "/readyz")
	if err != nil {
		return 0, fmt.Errorf("read /readyz: %w", err)
	}
	return response.StatusCode, response.Body.Close()
}
