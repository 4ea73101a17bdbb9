package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/telemetry"
)

// A client cannot make metrics grow: methods and paths that are unknown share a label.
func TestMetrics_UnknownRequests_ShareLabel(t *testing.T) {
	t.Parallel()
	r := telemetry.New(telemetry.Options{})
	for i := range 100 {
		end := r.StartRequest(fmt.Sprintf("METHOD%d", i))
		end("", http.StatusNotFound)
	}
	recorder := httptest.NewRecorder()
	r.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if want := `labelwright_http_request_duration_seconds_count{method="other",route="unknown",status="404"} 100`; !strings.Contains(recorder.Body.String(), want) || strings.Contains(recorder.Body.String(), "METHOD") {
		t.Errorf("no %s in %s", want, recorder.Body)
	}
}

func TestStartQuery_Slow_LoggedOnOneLine(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := telemetry.New(telemetry.Options{SlowQuery: 20 * time.Millisecond,
		Log: slog.New(telemetry.NewLogHandler(slog.NewTextHandler(&log, nil)))})
	ctx := telemetry.WithRequest(t.Context(), &telemetry.Request{ID: "r-1", Client: "192.0.2.7", Account: 5})
	end := r.StartQuery(ctx, "SELECT 1")
	end(nil)
	if log.Len() > 0 {
		t.Errorf("a fast query is logged: %s", log.String())
	}
	end = r.StartQuery(ctx, "SELECT a\n\tFROM "+strings.Repeat("ü", 5000))
	time.Sleep(20 * time.Millisecond)
	end(errors.New("secret"))
	text := log.String()
	for _, want := range []string{"level=WARN", `msg="slow query"`, "failed=true", `sql="SELECT a FROM ü`,
		"request_id=r-1", "client=192.0.2.7", "account_id=5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(text, "secret") || len(text) > 3000 || strings.Count(text, "\n") != 1 {
		t.Errorf("the log has %d bytes: %s", len(text), text)
	}
}

func TestRecorder_Nil_DoesNothing(t *testing.T) {
	t.Parallel()
	var r *telemetry.Recorder
	endRequest := r.StartRequest(http.MethodGet)
	endRequest("/", http.StatusOK)
	endQuery := r.StartQuery(context.Background(), "SELECT 1")
	endQuery(nil)
	r.CountDenial("role")
}
