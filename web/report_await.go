package web

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/postgres"
)

// reportTimeout is how long a request waits for a report, unless the last one took longer.
const reportTimeout = 1500 * time.Millisecond

// awaitReport returns the status of a report. If it is time for the next one, awaitReport starts to compute
// it in the background, and waits for it a moment.
func (s *Server) awaitReport(
	ctx context.Context, read func(context.Context) (postgres.ReportStatus, error),
) (postgres.ReportStatus, error) {
	var done <-chan error
	isDone := false
	for deadline := time.Now().Add(reportTimeout); ; {
		status, err := read(ctx)
		if err != nil {
			return status, err
		}
		if status.IsDue && done == nil {
			done = s.startReport(status)
		}
		isLong := status.ComputeTime > reportTimeout
		if status.IsFinal() || isLong || isDone || time.Now().After(deadline) {
			return status, nil
		}
		poll := time.After(50 * time.Millisecond) // another request or server may compute it
		select {
		case err := <-done:
			if err != nil {
				return status, err
			}
			isDone = true
		case <-poll:
		case <-ctx.Done():
			return status, ctx.Err()
		}
	}
}

// startReport computes a report in the background. The channel gets the error, or nil.
func (s *Server) startReport(status postgres.ReportStatus) <-chan error {
	done := make(chan error, 1)
	s.background.Go(func() {
		_, err := s.db.ComputeReport(s.running, status)
		if err != nil && s.running.Err() == nil {
			s.ExplainFailure("", err) // logs what only an operator can fix
		}
		done <- err
	})
	return done
}
