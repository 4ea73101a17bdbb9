package web

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/telemetry"
)

// Canaries are values that must not get out. A name, an e-mail address and an IP address end
// in the id of their account; comments of members have the id of the account that wrote them.
var (
	canaryPattern  = regexp.MustCompile(`(?i)canary[-_ ]?(name|mail|comment)\d+`)
	canaryIP       = regexp.MustCompile(`198\.51\.100\.\d+`)
	canaryMetadata = regexp.MustCompile(`(?i)canary[-_ ]?(condition|contact|batch)|\+49 30 5550 \d+`)
)

// findCanaries returns the canaries in a text, decoded as in a URL too, without those of own.
func findCanaries(text string, own account.ID, patterns ...*regexp.Regexp) (found []string) {
	if decoded, err := url.QueryUnescape(text); err == nil {
		text += "\n" + decoded
	}
	suffix := regexp.MustCompile(`(^|\D)` + formatID(own) + `$`)
	for _, pattern := range patterns {
		for _, match := range pattern.FindAllString(text, -1) {
			if own == 0 || !suffix.MatchString(match) {
				found = append(found, match)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// A canaryStudy is a study with canaries everywhere: calibration, labels, skips, corrections,
// questions, reports. Its server logs each request and query.
type canaryStudy struct {
	projectFixture
	log      *testLog
	recorder *telemetry.Recorder // of the server
	browsers map[string]browser
}

func newCanaryStudy(t *testing.T) canaryStudy {
	t.Helper()
	s := canaryStudy{projectFixture: newLabeledFixture(t), log: &testLog{}, browsers: map[string]browser{}}
	s.writeComments()
	s.testEnv, s.recorder = s.serveWithLog(s.log)
	for kind, a := range s.accounts {
		s.browsers[kind] = s.signInAs(a)
	}
	for _, sql := range []string{
		`UPDATE identity.users SET name = 'Canary name' || account_id, email = 'canary-mail' || account_id ||
			'@example.org'`,
		`UPDATE identity.sign_ins SET client_address = '198.51.100.' || account_id`,
		`ALTER TABLE items DISABLE TRIGGER keep_content`,
		`UPDATE items SET meta = meta || jsonb_build_object('condition', 'canary-condition ' || id % 2, 'contact',
			'canary-contact' || id || '@example.org', 'phone', '+49 30 5550 ' || id)`,
		`UPDATE skips k SET comment = 'canary-comment' || account_id FROM assignments a WHERE a.id = k.assignment_id
			AND NOT is_personal`,
		`UPDATE correction_requests c SET message = 'canary-comment' || account_id, reply = 'canary-comment' ||
			account_id FROM assignments a WHERE a.id = c.assignment_id`,
		`UPDATE questions SET message = 'canary-comment' || account_id`,
		`UPDATE calibration_comments SET message = 'canary-comment' || account_id`,
		`UPDATE calibration_attempts SET reason = 'canary-comment' || account_id`,
	} {
		s.execSQL(sql)
	}
	s.startJobs() // reports show names and metadata too
	return s
}

// writeComments gives each kind of comment that members write to leads to the study.
func (s canaryStudy) writeComments() {
	s.Helper()
	ctx, peer, lead := s.Context(), s.accounts["peer"], s.accounts["lead"]
	s.execSQL(`INSERT INTO reading_acknowledgments (project_id, account_id, document, version, day)
		SELECT r.project_id, ba.account_id, r.document, r.version, current_date FROM batch_annotators ba
		JOIN required_reading r USING (batch_id)
		ON CONFLICT DO NOTHING`)
	p, err := s.db.Project(ctx, s.accounts["admin"], "hard-days")
	if err != nil {
		s.Fatal(err)
	}
	b, err := s.db.Batch(ctx, 0, p.ID, "pilot")
	if err != nil {
		s.Fatal(err)
	}
	skipped, err := s.db.OpenNext(ctx, peer.ID, b.ID)
	if err == nil {
		err = s.db.AskLead(ctx, peer.ID, skipped, "Why?")
	}
	if err == nil {
		_, err = s.db.Skip(ctx, peer.ID, skipped, labeling.Skip{Reason: labeling.Unclear, Comment: "Odd"})
	}
	if err == nil {
		err = s.db.RequestCorrection(ctx, peer.ID, query[string](s.testEnv, `SELECT max(token) FROM assignments a
			JOIN annotations n ON n.assignment_id = a.id WHERE a.account_id = $1`, peer.ID), "I meant no")
	}
	if err == nil {
		err = s.db.AskLead(ctx, s.accounts["annotator"].ID, query[string](s.testEnv, `SELECT max(token) FROM assignments
			WHERE account_id = $1 AND state = 'open'`, s.accounts["annotator"].ID), "Which?")
	}
	if err == nil {
		err = s.db.Announce(ctx, lead.ID, p, b, "Hello")
	}
	if err != nil {
		s.Fatal(err)
	}
}

// serveWithLog returns a server on the same database with a log of each request and query, and
// with metrics.
func (env testEnv) serveWithLog(log io.Writer) (testEnv, *telemetry.Recorder) {
	env.Helper()
	o := telemetry.Options{SlowQuery: time.Nanosecond, Log: slog.New(telemetry.NewLogHandler(slog.NewJSONHandler(log,
		&slog.HandlerOptions{Level: slog.LevelDebug})))}
	recorder := telemetry.New(o)
	var err error
	if env.db, err = postgres.OpenRecorded(env.Context(), env.databaseURL, recorder); err != nil {
		env.Fatal(err)
	}
	env.Cleanup(env.db.Close)
	server := httptest.NewUnstartedServer(nil)
	env.baseURL = "http://" + server.Listener.Addr().String()
	env.server = newServer(env.db, Config{BaseURL: mustParseURL(env.baseURL), Log: o.Log, Recorder: recorder})
	server.Config.Handler = env.server
	server.Start()
	env.Cleanup(func() {
		env.server.Drain()
		server.Close()
	})
	return env, recorder
}

// samePage matches what differs in the addresses of pages with the same template.
var samePage = regexp.MustCompile(`\d+|=[^&]*`)

// visitAll opens up to two pages of each kind that links of the starts lead to, and passes each
// to visit. It counts them in kinds.
func (b browser) visitAll(starts []string, kinds map[string]int, visit func(testResponse)) (pages int) {
	b.Helper()
	seen, pending := map[string]bool{}, starts
	for ; len(pending) > 0; pending = pending[1:] {
		path := pending[0]
		kind := samePage.ReplaceAllString(path, "")
		if seen[path] || kinds[kind] > 1 {
			continue
		}
		seen[path] = true
		kinds[kind]++
		page := b.get(path)
		visit(page)
		for _, link := range page.linkTargets() {
			u, err := url.Parse(link)
			if err == nil && u.Host == "" && u.Scheme == "" && strings.HasPrefix(u.Path, "/") &&
				!strings.HasPrefix(u.Path, "/static") {
				u.Fragment = ""
				pending = append(pending, u.String())
			}
		}
	}
	return len(seen)
}

// linkTargets returns where the links and redirects of a page lead to.
func (a testResponse) linkTargets() (targets []string) {
	for _, e := range a.FindAll("a[href]") {
		targets = append(targets, e.Attr("href"))
	}
	if location := a.header.Get("Location"); location != "" {
		targets = append(targets, location)
	}
	return targets
}

// allURLs returns the URLs of a page and its response.
func (a testResponse) allURLs() []string {
	urls := append(a.linkTargets(), a.header.Get("Content-Location"), a.header.Get("Link"), a.path)
	for _, name := range []string{"action", "formaction", "src", "data-url", "hx-get"} {
		for _, e := range a.FindAll("[" + name + "]") {
			urls = append(urls, e.Attr(name))
		}
	}
	return urls
}

// Every name, e-mail address, IP address, phone number, condition and comment of a study is a
// canary. None of another account is shown to an annotator; none is in a URL or the log, and
// none in an export with default options but for the metadata of items.
func TestCanary_Study_NoneGetsOut(t *testing.T) {
	t.Parallel()
	s := newCanaryStudy(t)
	s.checkPages()
	s.checkLog()
	s.checkExports()
}

// checkPages checks the pages of annotators, and the URLs of all pages.
func (s canaryStudy) checkPages() {
	s.Helper()
	checkURLs := func(page testResponse) {
		for _, address := range page.allURLs() {
			if found := findCanaries(address, 0, canaryPattern, canaryIP, canaryMetadata); found != nil {
				s.Errorf("%s has the URL %s with %q", page.path, address, found)
			}
		}
	}
	for _, kind := range []string{"annotator", "peer", "on break", "newcomer", "stranger"} {
		own := s.accounts[kind].ID
		pages := s.browsers[kind].visitAll(s.annotatorPaths(kind), map[string]int{}, func(page testResponse) {
			if found := findCanaries(page.body, own, canaryPattern, canaryIP, canaryMetadata); found != nil {
				s.Errorf("%s: %s shows %q", kind, page.path, found)
			}
			checkURLs(page)
		})
		if pages < 10 {
			s.Errorf("%s: only %d pages", kind, pages)
		}
	}
	shown, kinds := 0, map[string]int{}
	for _, kind := range []string{"lead", "admin"} {
		s.browsers[kind].visitAll([]string{"/projects", "/inbox", "/protocols", "/admin/users", "/admin/audit-log",
			"/account", "/projects/hard-days/report/full", "/work"}, kinds, func(page testResponse) {
			shown += min(1, len(findCanaries(page.body, 0, canaryPattern, canaryMetadata)))
			checkURLs(page)
		})
	}
	if shown < 30 {
		s.Errorf("%d pages of leads show canaries", shown)
	}
	s.newBrowser().post("/sign-in", url.Values{"email": {"canary-mail99@example.org"},
		"password": {"canary-comment99"}})
}

// annotatorPaths returns the pages that an annotator can open, with the annotator's own item.
func (s canaryStudy) annotatorPaths(kind string) []string {
	s.Helper()
	token := query[string](s.testEnv, `SELECT coalesce(max(token), 'none') FROM assignments WHERE account_id = $1
		AND state = 'open'`, s.accounts[kind].ID)
	batch := query[int64](s.testEnv, `SELECT coalesce(max(batch_id), 0) FROM batch_annotators
		WHERE account_id = $1`, s.accounts[kind].ID)
	paths := []string{}
	for _, rt := range (&Server{}).routes() {
		a := s.accounts[kind]
		if rt.method == http.MethodGet && rt.authorize(&a) == nil {
			path := s.routePath(strings.ReplaceAll(rt.path, "/work/{token}", "/work/"+token))
			paths = append(paths, path, path+"?batch="+formatID(batch)+"&project=hard-days")
		}
	}
	return paths
}

// checkLog checks the log and the metrics. The log has the address of a client as client only.
func (s canaryStudy) checkLog() {
	s.Helper()
	text := s.log.text.String()
	if n := strings.Count(text, `"msg":"request"`); n < 100 {
		s.Errorf("the log has %d requests", n)
	}
	if found := findCanaries(text, 0, canaryPattern, canaryIP, canaryMetadata); found != nil {
		s.Errorf("the log has %q", found)
	}
	page := httptest.NewRecorder()
	s.recorder.Handler().ServeHTTP(page, httptest.NewRequestWithContext(s.Context(), http.MethodGet, "/metrics", nil))
	metrics := page.Body.String()
	if n := strings.Count(metrics, "labelwright_http_request_duration_seconds_count"); n < 50 {
		s.Errorf("the metrics have %d routes", n)
	}
	if found := findCanaries(metrics, 0, canaryPattern, canaryIP, canaryMetadata); found != nil {
		s.Errorf("the metrics have %q", found)
	}
}

// checkExports checks exports with default options in each layout, shape and format. Metadata is
// in its own columns only; a blinded export has none.
func (s canaryStudy) checkExports() {
	s.Helper()
	p, err := s.db.Project(s.Context(), s.accounts["admin"], "hard-days")
	if err != nil {
		s.Fatal(err)
	}
	calm, err := s.db.Project(s.Context(), s.accounts["admin"], "calm") // has a calibration
	if err != nil {
		s.Fatal(err)
	}
	s.checkExport(calm, postgres.ExportOptions{Format: dataset.CSV, Shape: dataset.Long})
	for _, layout := range []dataset.Layout{dataset.Plain, dataset.HuggingFace, dataset.LabelStudio, dataset.Langfuse} {
		for _, format := range []dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet} {
			for _, shape := range []dataset.Shape{dataset.Long, dataset.Wide} {
				for _, isBlinded := range []bool{false, true} {
					o := postgres.ExportOptions{Layout: layout, Format: format, Shape: shape,
						Contents: dataset.BothLabels, Blinded: isBlinded}
					if isBlinded && layout == dataset.Langfuse || !layout.HasTables() && (format != dataset.CSV ||
						shape != dataset.Wide) {
						continue // does not exist, or is the same
					}
					s.checkExport(p, o)
				}
			}
		}
	}
}

func (s canaryStudy) checkExport(p project.Project, o postgres.ExportOptions) {
	s.Helper()
	files := 0
	_, err := s.db.Export(s.Context(), 0, p, o, func(name string, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		files++
		patterns := []*regexp.Regexp{canaryPattern, canaryIP}
		if isData := strings.HasSuffix(name, "."+string(o.Format)) || !o.Layout.HasTables() &&
			strings.HasSuffix(name, ".json"); o.Blinded || !isData {
			patterns = append(patterns, canaryMetadata)
		}
		if found := findCanaries(file.String(), 0, patterns...); found != nil {
			s.Errorf("%+v: %s has %q", o, name, found)
		}
		return err
	})
	if err != nil || files < 4 {
		s.Errorf("%+v: %d files, %v", o, files, err)
	}
}
