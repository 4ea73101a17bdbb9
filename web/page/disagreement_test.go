package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/web/page"
)

// disagreementsData is a page of a list of so many disagreements, every third on tone.
func disagreementsData(n int, field string, pageNo int) page.DisagreementsData {
	r := &report.Report{Fields: []report.FieldReport{{Key: "tone", Title: "Tone"}, {Key: "depth", Title: "Depth"}}}
	for i := range n {
		r.Disagreements = append(r.Disagreements, report.FieldDisagreement{ItemID: project.ItemID(i + 1), Item: fmt.Sprintf("item-%03d", i+1),
			Field: map[bool]string{true: "tone", false: "depth"}[i%3 == 0], MaxDistance: 1})
	}
	return page.DisagreementsData{ReportData: page.ReportData{Project: project.Project{Key: "p", Title: "Pilot"}, Batch: "first", Report: r}, Field: field, PageNo: pageNo}
}

func TestDisagreements_Pages_CoverAll(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, field    string
		sheet          int
		caption, first string
		rows           int
		before, next   string
	}{
		{"the first page", "", 1, "Disagreements 1 to 100 of 230", "item-001", 100, "", "/projects/p/disagreements?batch=first&page=2"},
		{"one between", "", 2, "Disagreements 101 to 200 of 230", "item-101", 100, "/projects/p/disagreements?batch=first", "/projects/p/disagreements?batch=first&page=3"},
		{"the last page", "", 3, "Disagreements 201 to 230 of 230", "item-201", 30, "/projects/p/disagreements?batch=first&page=2", ""},
		{"of one field there are fewer", "tone", 1, "77 disagreements", "item-001", 77, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := renderPage(t, page.Disagreements(disagreementsData(230, tt.field, tt.sheet)))
			if got := strings.TrimSpace(doc.FindOne("caption").Text()); got != tt.caption {
				t.Errorf("the caption is %q, want %q", got, tt.caption)
			}
			rows := doc.FindAll("tbody tr")
			if len(rows) != tt.rows || rows[0].FindOne("th").Text() != tt.first {
				t.Errorf("%d rows from %s on", len(rows), rows[0].FindOne("th").Text())
			}
			for rel, want := range map[string]string{"prev": tt.before, "next": tt.next} {
				links := doc.FindAll(`a[rel="` + rel + `"]`)
				if (want == "") != (len(links) == 0) || want != "" && links[0].Attr("href") != want {
					t.Errorf("%s leads to %v, want %q", rel, links, want)
				}
			}
		})
	}
}

func TestDisagreements_PastEnd_Links(t *testing.T) {
	t.Parallel()
	doc := renderPage(t, page.Disagreements(disagreementsData(230, "", 9)))
	if len(doc.FindAll("tbody tr")) != 0 || !strings.Contains(doc.Text(), "This page does not exist.") {
		t.Error(doc.Text())
	}
}
