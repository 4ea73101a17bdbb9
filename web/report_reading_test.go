package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/report"
)

func TestAModelIsDrawnBesidePeople(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 24)
	s.label()
	known, err := s.db.KnownItems(t.Context(), s.project.ID)
	if err != nil {
		t.Fatal(err)
	}
	var said []report.Judgement
	for _, item := range known {
		said = append(said, report.Judgement{ItemID: item.ID, Values: map[string]int{"emotion": 3, "safety": 4}})
	}
	if err := s.db.AddModel(t.Context(), s.lead.ID, s.project, "judge 1", said); err != nil {
		t.Fatal(err)
	}
	a := s.as(s.lead).settled("/projects/told/report").says("The model judge 1, beside people", "Emotion recognition: the model less people", "Larger dots are more items")
	drawn := a.First("#models figure.picture")
	if dots := drawn.All("circle.bubble"); len(dots) == 0 || len(dots) != len(drawn.All("tbody tr")) {
		t.Errorf("%d dots and %d rows behind them", len(dots), len(drawn.All("tbody tr")))
	}
	if drawn.First("svg desc").Raw() == "" || len(drawn.All("line.bias")) != 1 || len(drawn.All("line.target")) != 2 {
		t.Error("the picture lacks its description, its bias or its limits")
	}
}

func TestTheConsensusIsListedItemByItemAndInPages(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 60)
	lead := s.as(s.lead)
	lead.get("/projects/told/consensus").is(200).says("There is nothing to report yet")
	s.label()
	first := lead.settled("/projects/told/consensus").says("Items 1 to 50 of 60", "unanimous of 2")
	if n := len(first.All("td.settled")); n != 50*5 {
		t.Errorf("the first page has %d answers", n)
	}
	if second := lead.settled(first.First("a[rel='next']").Attr("href")).says("Items 51 to 60 of 60"); len(second.All("a[rel='next']")) != 0 {
		t.Error("there is a page after the last")
	}
	for _, path := range []string{"?page=0", "?page=many", "?page=99999999999999999999"} {
		lead.get("/projects/told/consensus" + path).is(http.StatusNotFound)
	}
	lead.settled("/projects/told/consensus?page=900").says("No item came to its answer so")
	lead.settled("/projects/told/consensus?how=median").says("No item came to its answer so", "Show all items")
}

// Before a batch closes, nobody who labels learns what others said.
func TestAnnotatorsReadNothingOfReportsBeforeTheBatchCloses(t *testing.T) {
	t.Parallel()
	s := newStudy(t, 24)
	s.label()
	lead, ann := s.as(s.lead), s.as(s.annotators[0])
	lead.settled("/projects/told/report")
	if err := s.db.ShowHabits(t.Context(), s.lead.ID, s.project, true); err != nil {
		t.Fatal(err)
	}
	item := lead.settled("/projects/told/consensus").First("tbody th a").Attr("href")
	for _, path := range []string{"/report", "/report?batch=pilot", "/consensus", "/disagreements", "/annotators/a", "/export/file"} {
		ann.get("/projects/told" + path).is(http.StatusNotFound)
	}
	ann.get(item).is(http.StatusNotFound)
	own := ann.get("/work/habits?project=told").is(200).says("There is nothing to see yet")
	if strings.Contains(own.Text(), "Leniency") {
		t.Error("habits are shown before the batch closes")
	}
	other := s.person("elsewhere@example.org", account.Lead)
	s.as(other).get("/projects/told/report").is(http.StatusNotFound)
}
