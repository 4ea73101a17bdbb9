package web

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// The parts of a state key, in their order.
const (
	closedPart = iota
	pausedPart
	readingPart
	unreadPart
	settingsPart
	versionPart
	answersPart // of the item itself
	stateParts
)

// stateKey names the state around an item as the page showed it. The page sends it with each
// draft, and learns what changed since.
func stateKey(s postgres.ScreenState) string { return strings.Join(partsOfState(s), ".") }

func partsOfState(s postgres.ScreenState) []string {
	return []string{
		closedPart: boolDigit(s.BatchClosed), pausedPart: boolDigit(s.Paused), readingPart: boolDigit(s.MustRead),
		unreadPart:   boolDigit(s.HasUnreadMessages),
		settingsPart: shortHash(s.SessionSettings), versionPart: shortHash(ui.AssetPath("")),
		answersPart: fmt.Sprint(s.AnsweredQuestions),
	}
}

func boolDigit(isSet bool) string {
	if isSet {
		return "1"
	}
	return "0"
}

func shortHash(text string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(text)) // writing to a hash cannot fail
	return fmt.Sprintf("%x", sum.Sum32())
}

// changeSince returns the most important change since a page showed the state seen, with the
// next action; zero if there is none.
func changeSince(l *locale.Locale, seen string, s postgres.ScreenState, token string) page.ScreenChange {
	before, now := strings.Split(seen, "."), partsOfState(s)
	if len(before) != stateParts {
		return page.ScreenChange{}
	}
	isNew := func(part int) bool { return before[part] != now[part] && now[part] != "0" }
	path := "/work/" + token
	switch {
	case isNew(readingPart):
		return page.ScreenChange{Text: l.T(
			"A lead changed what you must read. Your answers are saved. Read it before you submit."),
			Action: l.T("Read now"), Path: path}
	case isNew(closedPart):
		return page.ScreenChange{Text: l.T(
			"The batch was closed. Your answers are saved, and you can still submit this item."),
			Action: l.T("Back to your work"), Path: "/work"}
	case isNew(pausedPart):
		return page.ScreenChange{Text: l.T(
			"A lead paused your work in this batch. Your answers are saved, and you can still submit this item."),
			Action: l.T("Back to your work"), Path: "/work"}
	case isNew(answersPart):
		return page.ScreenChange{Text: l.T("A lead answered your question about this item."),
			Action: l.T("Show answer"), Path: path}
	case isNew(unreadPart):
		return page.ScreenChange{Text: l.T("You have a new message from your lead."), Action: l.T("Read message"),
			Path: "/work"}
	case isNew(settingsPart):
		return page.ScreenChange{Text: l.T("A lead changed the session settings, such as breaks or limits."),
			Action: l.T("Reload page"), Path: path}
	case isNew(versionPart):
		return page.ScreenChange{Text: l.T("This site was updated. Your answers are saved."),
			Action: l.T("Reload page"), Path: path}
	}
	return page.ScreenChange{}
}

// screenChange returns what changed since the page that sent the request, which showed the
// item before. A page that is opened otherwise shows what is so since before.
func screenChange(r *http.Request, screen postgres.LabelingScreen) page.ScreenChange {
	state := screen.ScreenState
	state.AnsweredQuestions = 0 // of another item
	seen := r.PostFormValue(protocol.ControlScreenState)
	if parts := strings.Split(seen, "."); len(parts) == stateParts {
		parts[answersPart] = "0"
		return changeSince(currentLocale(r), strings.Join(parts, "."), state, screen.Token)
	}
	state.HasUnreadMessages = false
	before := state
	before.BatchClosed, before.Paused = false, false
	return changeSince(currentLocale(r), stateKey(before), state, screen.Token)
}

// writeChange answers a saved draft with what changed since the page showed the item.
func (s *Server) writeChange(w http.ResponseWriter, r *http.Request, seen string) error {
	state, err := s.db.ScreenState(r.Context(), currentAccount(r).ID, itemToken(r))
	if err != nil {
		return err
	}
	change := changeSince(currentLocale(r), seen, state, itemToken(r))
	if change == (page.ScreenChange{}) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(change)
}
