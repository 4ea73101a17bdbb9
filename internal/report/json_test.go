package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

func TestWriteJSON_Report_MatchesEncoder(t *testing.T) {
	t.Parallel()
	d := newDataBuilder(t, "empathy")
	addTwoAnnotators(d, 30, 4)
	for name, r := range map[string]report.Report{"report": d.build(), "empty report": {Project: "a <b> & “c”"}} {
		var want, got bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteJSON(&got); err != nil || got.String() != want.String() {
			t.Errorf("%s: %v\n%.400s\nwant\n%.400s", name, err, got.String(), want.String())
		}
	}
}

type failingWriter struct{}

var errDiskFull = errors.New("disk full")

func (failingWriter) Write([]byte) (int, error) { return 0, errDiskFull }

func TestWriteJSON_WriteFails_Errors(t *testing.T) {
	t.Parallel()
	if err := (report.Report{Project: strings.Repeat("x", 9000)}).WriteJSON(failingWriter{}); !errors.Is(err, errDiskFull) {
		t.Error(err)
	}
}
