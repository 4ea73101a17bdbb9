package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report"
)

// A study is a world with an empathy project that two annotators have labelled.
type study struct {
	world
	lead       account.Account
	annotators []account.Account
	project    project.Project
}

func newStudy(t *testing.T, items int) study {
	t.Helper()
	w := newWorld(t)
	s := study{world: w, lead: w.person("lead@example.org", account.Lead),
		annotators: []account.Account{w.person("ann@example.org", account.Annotator), w.person("ben@example.org", account.Annotator)}}
	var err error
	if s.project, err = w.db.CreateProject(t.Context(), s.lead, project.Draft{Key: "told", Title: "Told", Protocol: "empathy", SupportURL: "https://support.example/"}); err != nil {
		t.Fatal(err)
	}
	list := make([]project.Item, items)
	for i := range list {
		list[i] = project.Item{SourceID: fmt.Sprintf("e%02d", i+1), Facts: protocol.Facts{}, Content: project.Content{
			"user_statement": {Text: "Statement " + fmt.Sprint(i/2)}, "response": {Text: "Response."}},
			Meta: map[string]json.RawMessage{"condition": json.RawMessage(fmt.Sprintf("%q", []string{"base", "new"}[i%2]))}}
	}
	if err := w.db.Import(t.Context(), s.lead.ID, s.project, postgres.File{Name: "items.jsonl", SHA256: sha256.Sum256([]byte("told"))}, list); err != nil {
		t.Fatal(err)
	}
	w.open(s.lead, s.project, "pilot", 2, "ann@example.org", "ben@example.org")
	return s
}

// label has both label everything: they agree but on every fourth item.
func (s study) label() {
	s.Helper()
	for who, a := range s.annotators {
		for n := 0; ; n++ {
			token, err := s.db.Begin(s.Context(), a.ID, 0)
			if err != nil || token == "" {
				break
			}
			screen, err := s.db.Screen(s.Context(), a.ID, token)
			if err != nil {
				s.Fatal(err)
			}
			score := 2 + int(screen.ItemID%3)
			if screen.ItemID%4 == 0 && who == 1 {
				score = 2 + int((screen.ItemID+1)%3)
			}
			values := map[string]int{"emotion": score, "validation": score, "helpfulness": 3, "safety": 3, "overall": score}
			_, err = s.db.Submit(s.Context(), a.ID, token, labeling.Submission{ActiveMS: 60_000,
				Answers: protocol.Answers{Values: values, Note: "A note that tells.", Unsure: []string{}}})
			if err != nil {
				s.Fatal(err)
			}
			if _, err := s.db.GoOn(s.Context(), a.ID); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// settled opens a page again and again, as it does by itself, until what it
// shows is no longer being computed.
func (b browser) settled(path string) answer {
	b.Helper()
	for range 300 {
		if a := b.get(path).is(200); !strings.Contains(a.Text(), "being computed") {
			return a
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatalf("%s is being computed for ever", path)
	return answer{}
}

func TestALeadReadsTheReport(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 24)
	b := s.as(s.lead)
	b.get("/projects/told/report").is(200).says("There is nothing to report yet")
	s.label()
	a := b.settled("/projects/told/report").says("48 labels of 24 items by 2 annotators", "Agreement", "κ is how far people agree",
		"every answer is 3", "By condition", "In pairs", "No habit stands out", "not the choice of annotators")
	if a.First(".tabs [aria-current]").Text() != "Report" {
		t.Error("the tab is not marked")
	}
	for _, picture := range a.All("figure.picture svg") {
		if picture.Attr("role") != "img" || picture.First("title").Raw() == "" || picture.First("desc").Raw() == "" {
			t.Error("a picture says nothing of itself")
		}
	}
	if n := len(a.All("figure.picture")); n != 7 {
		t.Errorf("%d pictures, want the intervals, five confusions and the difference of the conditions", n)
	}
	a.says("In no label: ")
	settled := b.settled("/projects/told/consensus?field=emotion&how=tied").says("6 items", "tie of 2", "2 or 3")
	if n := len(settled.All("td.settled")); n != 6*5 {
		t.Errorf("%d answers stand in the list, want those of the 6 items with a tie", n)
	}
	list := b.settled("/projects/told/disagreements?field=emotion")
	row := list.First("tbody th a")
	item := b.get(row.Attr("href")).is(200).says("Everybody's answers, under their pseudonyms", "A note that tells.", "Response.")
	if len(item.All(".side thead th")) != 3 || strings.Contains(item.Text(), "Name of ann") {
		t.Error("the answers do not stand side by side under pseudonyms")
	}
	who := b.settled(a.First("tbody a[href]").Attr("href"))
	who.says("Habits", "The same item again", "24 labels")
	if len(who.All("figure.picture")) < 5 {
		t.Error("there is no histogram for each field")
	}
	b.settled("/projects/told/report?batch=pilot&by=condition").says("48 labels")
}

func TestAnnotatorsSeeTheirOwnHabitsOnceTheyMay(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 24)
	s.label()
	lead, ann := s.as(s.lead), s.as(s.annotators[0])
	const own = "/work/habits?project=told"
	ann.get(own).is(http.StatusNotFound)
	lead.get("/projects/told/report").is(200).says("Annotators do not see their own habits")
	lead.post("/projects/told/report/habits", url.Values{"show": {"perhaps"}}).is(http.StatusUnprocessableEntity)
	lead.post("/projects/told/report/habits", url.Values{"show": {"yes"}}).leads("/projects/told/report")
	ann.get(own).is(200).says("There is nothing to see yet")
	if err := s.db.CloseBatch(t.Context(), s.lead.ID, s.project, "pilot"); err != nil {
		t.Fatal(err)
	}
	ann.get("/work").is(200).says("Your habits in “Told”")
	ann.settled(own).says("Leniency.", "These are statistics, not marks")
	lead.get(own).is(http.StatusNotFound)
	lead.post("/projects/told/report/habits", url.Values{"show": {"no"}}).leads("/projects/told/report")
	ann.get(own).is(http.StatusNotFound)
}

func TestAReportOfWhatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 2)
	b := s.as(s.lead)
	b.get("/projects/told/report?batch=nope").is(http.StatusNotFound)
	b.get("/projects/told/annotators/nobody").is(http.StatusNotFound)
	b.get("/projects/told/items/999999/answers").is(http.StatusNotFound)
	b.get("/projects/told/report?by=secret").is(http.StatusUnprocessableEntity).says("cannot be compared by")
	s.as(s.annotators[0]).get("/projects/told/report").is(http.StatusNotFound)
}

// What the desk does does not depend on what a report is.
func TestAReportThatTakesLongIsMadeBehindTheRequest(t *testing.T) {
	t.Parallel()
	var d reportDesk
	key, go1, told := reportKey{project: 1}, make(chan struct{}), make(chan bool, 1)
	slow := func(_ context.Context, tell func(report.Progress)) (report.Report, error) {
		tell(report.Progress{Done: 2, All: 7, Doing: "habits"})
		told <- true
		<-go1
		return report.Report{Project: "slow"}, nil
	}
	first := postgres.Reach{Last: 1}
	if got, err := d.ask(t.Context(), key, first, time.Millisecond, slow); got.report != nil || !got.stale || err != nil {
		t.Fatalf("while it is made: %v, %v", got, err)
	}
	<-told
	if got, err := d.ask(t.Context(), key, first, time.Millisecond, nil); err != nil || got.making.Done != 2 || got.making.All != 7 || got.making.Doing != "habits" {
		t.Errorf("a second reader is told %+v, %v", got.making, err)
	}
	close(go1)
	if got, err := d.ask(t.Context(), key, first, time.Minute, nil); err != nil || got.stale || got.report.Project != "slow" {
		t.Fatalf("once it is made: %v, %v", got, err)
	}
	never := make(chan struct{})
	defer close(never)
	got, err := d.ask(t.Context(), key, postgres.Reach{Last: 2}, time.Millisecond, func(context.Context, func(report.Progress)) (report.Report, error) {
		<-never
		return report.Report{}, nil
	})
	if err != nil || !got.stale || got.report == nil || got.report.Project != "slow" {
		t.Errorf("while a newer one is made: %v, %v; want the last one", got, err)
	}
}

func TestAReportThatFailedIsTriedAgain(t *testing.T) {
	t.Parallel()
	var d reportDesk
	key, reach, broken := reportKey{project: 1}, postgres.Reach{Last: 1}, errors.New("broken")
	if _, err := d.ask(t.Context(), key, reach, time.Minute, func(context.Context, func(report.Progress)) (report.Report, error) { return report.Report{}, broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	got, err := d.ask(t.Context(), key, reach, time.Minute, func(context.Context, func(report.Progress)) (report.Report, error) {
		return report.Report{Project: "well"}, nil
	})
	if err != nil || got.report.Project != "well" {
		t.Errorf("%v, %v", got, err)
	}
}

// atOnce makes that report at once.
func atOnce(r report.Report) maker {
	return func(context.Context, func(report.Progress)) (report.Report, error) { return r, nil }
}

func TestALargeReportIsNotInTheWayOfASmallOne(t *testing.T) {
	t.Parallel()
	var d reportDesk
	never := make(chan struct{})
	defer close(never)
	large := postgres.Reach{Items: largeFrom}
	if _, err := d.ask(t.Context(), reportKey{project: 1}, large, time.Millisecond, func(context.Context, func(report.Progress)) (report.Report, error) {
		<-never
		return report.Report{}, nil
	}); err != nil {
		t.Fatal(err)
	}
	got, err := d.ask(t.Context(), reportKey{project: 2}, postgres.Reach{Items: 40}, time.Minute, atOnce(report.Report{Project: "small"}))
	if err != nil || got.report == nil || got.report.Project != "small" {
		t.Errorf("the small one: %+v, %v", got, err)
	}
}

func TestReportsOfManyItemsMakeRoomForEachOther(t *testing.T) {
	t.Parallel()
	var d reportDesk
	long := report.Report{Consensus: make([]report.Settled, rowsKept/4), Disagreements: make([]report.Disagreement, rowsKept/4)}
	for i := range int64(5) {
		if _, err := d.ask(t.Context(), reportKey{project: 1 + i}, postgres.Reach{}, time.Minute, atOnce(long)); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.shelves) != 2 || d.shelves[reportKey{project: 5}] == nil {
		t.Errorf("%d reports are kept, want the last 2", len(d.shelves))
	}
}

func TestTheDeskKeepsOnlySoMany(t *testing.T) {
	t.Parallel()
	var d reportDesk
	for i := range int64(3 * shelvesKept) {
		if _, err := d.ask(t.Context(), reportKey{project: 1 + i}, postgres.Reach{}, time.Minute, atOnce(report.Report{})); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.shelves) > shelvesKept {
		t.Errorf("%d reports are kept", len(d.shelves))
	}
}
