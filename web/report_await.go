package web

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
)

// maxReportWait is how long a request waits for a report, unless the last one took longer.
const maxReportWait = 1500 * time.Millisecond

// awaitReport returns the status of a report. If it is time for the next one, awaitReport has a job compute it, and
// waits for it a moment.
func (s *Server) awaitReport(
	ctx context.Context, read func(context.Context) (postgres.ReportStatus, error),
) (postgres.ReportStatus, error) {
	for deadline := time.Now().Add(s.reportWait); ; {
		status, err := read(ctx)
		if err == nil && status.IsDue {
			err = s.db.RequestReport(ctx, status, locale.From(ctx).Tag())
		}
		if err == nil {
			err = status.Problem
		}
		isLong := status.ComputeTime > s.reportWait
		if err != nil || status.IsFinal() || isLong || time.Now().After(deadline) {
			return status, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return status, ctx.Err()
		}
	}
}
