package report_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/report"
)

type failingWriter struct{}

var errDiskFull = errors.New("disk full")

func (failingWriter) Write([]byte) (int, error) { return 0, errDiskFull }

func TestWriteJSON_WriteFails_Errors(t *testing.T) {
	t.Parallel()
	if err := (report.Report{Project: strings.Repeat("x", 9000)}).WriteJSON(failingWriter{}); !errors.Is(err,
		errDiskFull) {
		t.Error(err)
	}
}
