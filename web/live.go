package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/ui"
)

// The limits of live pages. All streams of a process share one poll of the database.
const (
	livePollInterval  = 2 * time.Second
	liveHeartbeat     = 20 * time.Second // also how often a stream checks that its user is signed in
	liveLifetime      = 15 * time.Minute // then the browser opens a new stream
	liveWriteTimeout  = 10 * time.Second
	maxLivePerAccount = 5 // a new stream ends the oldest one
	maxLiveStreams    = 1000
)

// A liveHub notifies streams when what they show has changed.
type liveHub struct {
	db      *postgres.DB
	log     *slog.Logger
	mu      sync.Mutex
	streams map[*liveStream]struct{}
	polls   bool          // a poll is running
	closed  chan struct{} // the server drains
	close   func()
}

// A liveStream is the stream of one page.
type liveStream struct {
	account account.ID
	batch   project.BatchID // whose board is shown; 0: none
	opened  time.Time
	changed chan struct{} // has one element after a change
	evicted chan struct{} // closed for a newer stream of the account
}

func (h *liveHub) init(db *postgres.DB, log *slog.Logger) {
	h.db, h.log, h.streams, h.closed = db, log, map[*liveStream]struct{}{}, make(chan struct{})
	h.close = sync.OnceFunc(func() { close(h.closed) })
}

var errTooManyStreams = fault.Unavailable.Errorf(
	"Too many pages are open to update them all. Reload the page to see changes.")

// open adds a stream. Of an account with too many, it ends the oldest.
func (h *liveHub) open(id account.ID, batch project.BatchID) (*liveStream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := slices.SortedFunc(h.streamsOf(id), func(a, b *liveStream) int { return a.opened.Compare(b.opened) })
	if len(own) >= maxLivePerAccount {
		close(own[0].evicted)
		delete(h.streams, own[0])
	}
	if len(h.streams) >= maxLiveStreams {
		return nil, errTooManyStreams
	}
	stream := &liveStream{account: id, batch: batch, opened: time.Now(), changed: make(chan struct{}, 1),
		evicted: make(chan struct{})}
	h.streams[stream] = struct{}{}
	if !h.polls {
		h.polls = true
		go h.poll()
	}
	return stream, nil
}

func (h *liveHub) streamsOf(id account.ID) func(func(*liveStream) bool) {
	return func(yield func(*liveStream) bool) {
		for stream := range h.streams {
			if stream.account == id && !yield(stream) {
				return
			}
		}
	}
}

func (h *liveHub) remove(stream *liveStream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, stream)
}

// poll compares versions until no stream is open or the server drains.
func (h *liveHub) poll() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last postgres.LiveVersions // none: the first ones count as a change, because pages are older than the poll
	for {
		select {
		case <-h.closed:
			return
		case <-time.After(livePollInterval):
		}
		batches, isIdle := h.watchedBatches()
		if isIdle {
			return
		}
		versions, err := h.db.LiveVersions(ctx, batches)
		if err != nil {
			h.log.WarnContext(ctx, "poll for changes", "error", err)
			continue
		}
		h.notify(last, versions)
		last = versions
	}
}

// watchedBatches returns the batches whose boards are shown. Without streams, the poll ends.
func (h *liveHub) watchedBatches() (batches []project.BatchID, isIdle bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	watched := map[project.BatchID]bool{}
	for stream := range h.streams {
		if stream.batch != 0 {
			watched[stream.batch] = true
		}
	}
	h.polls = len(h.streams) > 0
	return slices.Collect(maps.Keys(watched)), !h.polls
}

// notify wakes the streams whose version changed.
func (h *liveHub) notify(last, versions postgres.LiveVersions) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for stream := range h.streams {
		if last.Inbox == versions.Inbox && last.Batches[stream.batch] == versions.Batches[stream.batch] {
			continue
		}
		select {
		case stream.changed <- struct{}{}:
		default: // it has not handled the last change yet
		}
	}
}

// streamInbox sends the badges of a lead, and when they change.
func (s *Server) streamInbox(w http.ResponseWriter, r *http.Request) error {
	return s.streamEvents(w, r, 0)
}

// streamBatch also reports when the board of a batch changes.
func (s *Server) streamBatch(w http.ResponseWriter, r *http.Request, _ project.Project, b project.Batch) error {
	return s.streamEvents(w, r, b.ID)
}

// streamEvents sends server-sent events until the browser leaves, the user signs out, or the
// server drains.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request, batch project.BatchID) error {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return fault.Invalid.Errorf("This address is for the script that updates pages.")
	}
	if s.isDraining.Load() {
		return fault.Unavailable.Errorf("The server restarts.")
	}
	stream, err := s.live.open(currentAccount(r).ID, batch)
	if err != nil {
		return err
	}
	defer s.live.remove(stream)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // of nginx
	e := eventWriter{s: s, w: w, r: r, control: http.NewResponseController(w)}
	_ = e.control.SetReadDeadline(time.Now().Add(liveLifetime + liveHeartbeat))
	if e.send("retry: 5000\n\n") && e.sendChanges(false) {
		e.follow(stream)
	}
	return nil
}

// An eventWriter writes the events of one stream.
type eventWriter struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
}

// follow sends events until the stream ends.
func (e eventWriter) follow(stream *liveStream) {
	heartbeat, end := time.NewTicker(liveHeartbeat), time.After(liveLifetime)
	defer heartbeat.Stop()
	for isOpen := true; isOpen; {
		select {
		case <-stream.changed:
			isOpen = e.sendChanges(true)
		case <-heartbeat.C:
			isOpen = e.isSignedIn() && e.send(": still open\n\n")
		case <-stream.evicted:
			e.send("event: end\ndata:\n\n")
			return
		case <-end:
			return
		case <-e.s.live.closed:
			return
		case <-e.r.Context().Done():
			return
		}
	}
}

// isSignedIn reports whether the browser is still signed in, as a lead. It does not count as
// activity.
func (e eventWriter) isSignedIn() bool {
	isLead, err := e.s.db.IsSignedInLead(e.r.Context(), currentSignIn(e.r))
	return err == nil && isLead
}

// sendChanges sends the badges, and whether the page itself changed.
func (e eventWriter) sendChanges(isChange bool) bool {
	if isChange && !e.isSignedIn() {
		return false
	}
	badges, err := e.s.badges(e.r.Context(), *currentAccount(e.r), livePollInterval/2)
	if err != nil {
		return false
	}
	if badges == nil {
		badges = ui.Badges{}
	}
	data, err := json.Marshal(badges)
	if err != nil {
		return false
	}
	text := fmt.Sprintf("event: badges\ndata: %s\n\n", data)
	if isChange {
		text += "event: change\ndata:\n\n"
	}
	return e.send(text)
}

// send writes events and reports whether the browser still takes them.
func (e eventWriter) send(text string) bool {
	_ = e.control.SetWriteDeadline(time.Now().Add(liveWriteTimeout))
	_, err := e.w.Write([]byte(text))
	return err == nil && e.control.Flush() == nil
}
