package page_test

import (
	"testing"

	"github.com/labelwright/labelwright/web/page"
)

// A page has one primary action at most: on Work it is the batch to continue.
func TestPages_Annotator_OnePrimaryAction(t *testing.T) {
	t.Parallel()
	all := samplePages(t)
	delete(all, "/components")
	for path, c := range all {
		if n := len(renderPage(t, c).FindAll("main .primary:not(.notice)")); n > 1 {
			t.Errorf("%s has %d primary actions", path, n)
		}
	}
	blocked := page.Queue{Batch: "1", BlockedReason: "Wait.", CalibrationPath: "/work/calibration"}
	next, other := page.Queue{Batch: "2", BatchName: "second"}, page.Queue{Batch: "3"}
	d := renderPage(t, page.WorkHome(page.WorkHomeData{User: annotator, Queues: []page.Queue{blocked, next, other}}))
	if primary := d.FindOne("main .primary"); primary.Text() != "Start" {
		t.Errorf("the primary action is %q", primary.Text())
	}
	if got := d.FindOne("form:has(.primary) input[name=batch]").Attr("value"); got != "2" {
		t.Errorf("it starts batch %s, want the first that is not blocked", got)
	}
}

// After the last item of a batch the focus is on the button that starts the next one.
func TestDone_NextBatch_StartsByEnter(t *testing.T) {
	t.Parallel()
	d := renderPage(t, page.Done(page.DoneData{User: annotator, Project: sampleProject,
		Next: &page.Queue{Batch: "4", BatchName: "third"}}))
	button := d.FindOne("form[action='/work'] button[autofocus]")
	if button.Text() != "Start the next batch: Work · third Enter" ||
		d.FindOne("form[action='/work'] input[name=batch]").Attr("value") != "4" {
		t.Errorf("the button %q starts no batch", button.Text())
	}
}
