package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// showInbox shows what waits for a lead.
func (s *Server) showInbox(w http.ResponseWriter, r *http.Request) error {
	d := page.InboxData{User: currentUser(r), Now: time.Now()}
	var err error
	if d.Entries, err = s.db.Inbox(r.Context(), currentAccount(r).ID, *currentAccount(r)); err != nil {
		return err
	}
	if d.Projects, err = s.db.ProjectSummaries(r.Context(), *currentAccount(r)); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.Inbox(d))
}

// badgeLifetime is how long the badges of an account are reused.
const badgeLifetime = 2 * time.Second

// A badgeCache holds the badges of the leads who opened a page or watch one.
type badgeCache struct {
	mu      sync.Mutex
	entries map[account.ID]cachedBadges
}

type cachedBadges struct {
	badges ui.Badges
	readAt time.Time
}

// recent returns the badges of an account that are not older than maxAge.
func (c *badgeCache) recent(id account.ID, maxAge time.Duration) (ui.Badges, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, found := c.entries[id]
	return e.badges, found && time.Since(e.readAt) < maxAge
}

// store keeps the badges of an account, and drops those that are too old to be used.
func (c *badgeCache) store(id account.ID, badges ui.Badges) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[account.ID]cachedBadges{}
	}
	for other, e := range c.entries {
		if time.Since(e.readAt) > badgeLifetime {
			delete(c.entries, other)
		}
	}
	c.entries[id] = cachedBadges{badges, time.Now()}
}

// drop forgets the badges of an account.
func (c *badgeCache) drop(id account.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, id)
}

// badges counts what waits for an account, by the page where it is decided.
func (s *Server) badges(ctx context.Context, a account.Account, maxAge time.Duration) (ui.Badges, error) {
	if badges, found := s.badgeCache.recent(a.ID, maxAge); found {
		return badges, nil
	}
	waiting, err := s.db.WaitingCounts(ctx, a)
	if err != nil {
		return nil, err
	}
	badges := toBadges(waiting)
	s.badgeCache.store(a.ID, badges)
	return badges, nil
}

func toBadges(waiting []labeling.Waiting) ui.Badges {
	badges := ui.Badges{}
	for _, w := range waiting {
		badges[page.InboxPath] += w.Entries
		path := page.WaitingPath(w.Kind, w.ProjectKey, w.BatchName)
		badges[path] += w.Count
		if tab := page.TabPath(path); tab != path {
			badges[tab] += w.Count
		}
	}
	return badges
}

// serveWithBadges serves a request whose pages show the badges of a lead. After a change
// they are counted again.
func (s *Server) serveWithBadges(next http.Handler, w http.ResponseWriter, r *http.Request) {
	a := currentAccount(r)
	if a == nil || !a.Role.CanLead() {
		next.ServeHTTP(w, r)
		return
	}
	badges := sync.OnceValue(func() ui.Badges {
		badges, err := s.badges(r.Context(), *a, badgeLifetime)
		if err != nil { // without them, the page is still useful
			s.log.WarnContext(r.Context(), "count what waits", "error", err)
		}
		return badges
	})
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), badgesKey, badges)))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.badgeCache.drop(a.ID)
	}
}
