package postgres_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/require"
)

// copiedRows are the rows that an export writes: labels and items.
var copiedRows = []string{`
	COPY (
		SELECT n.id, b.name, n.revision, a.kind, n.attempt_no, n.attempt_no = a.attempt_no, n.replaces_id, m.pseudonym,
		i.source_id, i.record_id, n.facts, i.meta,
		       n.answers, n.observations, n.unsure, n.note, n.submitted_at, n.active_ms, n.sequence_no,
		       n.items_since_completed_break, n.session_minutes
		FROM annotations n
		JOIN assignments a ON a.id = n.assignment_id
		JOIN batches b ON b.id = n.batch_id
		JOIN items i ON i.id = n.item_id
		JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
		ORDER BY n.id) TO STDOUT`, `
	COPY (
		SELECT i.source_id, i.record_id, i.is_calibration, s.state, i.word_count, i.facts, i.meta
		FROM items i
		JOIN item_states s ON s.item_id = i.id
		ORDER BY i.id) TO STDOUT`,
}

// BenchmarkExport exports a project as the command does, in its own process, and compares it
// with COPY of the same rows just before: copies is the ratio of the times. peak-MiB is the largest
// memory of the process, of which the program itself takes about 50. The projects have 60,000 labels, or a million:
// LABELWRIGHT_SLOW=1 adds
// it. Run it with
//
//	LABELWRIGHT_SLOW=1 go test ./internal/postgres -run '^$' -bench Export -benchtime 3x -timeout 1h
func BenchmarkExport(b *testing.B) {
	program := filepath.Join(b.TempDir(), "labelwright")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/labelwright").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, items := range []int{20_000, 333_334} {
		b.Run(fmt.Sprintf("items=%d/each=3", items), func(b *testing.B) {
			if items > 20_000 && !require.FullSize() {
				b.Skip("A million labels take minutes to create: LABELWRIGHT_SLOW=1 runs it.")
			}
			url := newLabeledProject(b, items, 3, 10)
			conn, err := pgx.Connect(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close(b.Context())
			for _, form := range [][]string{{"csv", "wide"}, {"csv", "long"}, {"jsonl", "wide"}, {"parquet", "wide"}} {
				b.Run(form[0]+"-"+form[1], func(b *testing.B) {
					var copied, exported time.Duration
					for b.Loop() {
						start := time.Now()
						for _, rows := range copiedRows {
							if _, err := conn.PgConn().CopyTo(b.Context(), io.Discard, rows); err != nil {
								b.Fatal(err)
							}
						}
						copied += time.Since(start)
						command := exec.Command(program, "export", "--project", "large", "--out",
							filepath.Join(b.TempDir(), "export"), "--format", form[0], "--shape", form[1])
						command.Env = append(os.Environ(), "DATABASE_URL="+url)
						start = time.Now()
						// its checks may find something
						if out, err := command.CombinedOutput(); err != nil && command.ProcessState.ExitCode() != 3 {
							b.Fatalf("%v: %s", err, out)
						}
						exported += time.Since(start)
						usage := command.ProcessState.SysUsage().(*syscall.Rusage)
						b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
						b.ReportMetric(command.ProcessState.UserTime().Seconds()+
							command.ProcessState.SystemTime().Seconds(), "cpu-s")
					}
					b.ReportMetric(float64(exported)/float64(copied), "copies")
				})
			}
		})
	}
}
