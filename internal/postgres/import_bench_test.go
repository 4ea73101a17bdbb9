package postgres_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/require"
)

// BenchmarkImport imports a file as the command does, in its own process, and compares it with
// COPY of the rows that it stored into the same tables, which are emptied before: copies is the
// ratio of the times. The COPY runs in one transaction, too, with all indexes, constraints and
// triggers; the triggers fill the tables of item states and available items. peak-MiB is the
// largest memory of the process. The files have 100,000 items, or a million: LABELWRIGHT_SLOW=1
// adds it. Run it with
//
//	LABELWRIGHT_SLOW=1 go test ./internal/postgres -run '^$' -bench Import -benchtime 1x -timeout 1h
func BenchmarkImport(b *testing.B) {
	program := filepath.Join(b.TempDir(), "labelwright")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/labelwright").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	sizes := []int{100_000}
	if require.FullSize() { // minutes
		sizes = append(sizes, 1_000_000)
	}
	for _, items := range sizes {
		for _, format := range []string{"csv", "jsonl"} {
			b.Run(fmt.Sprintf("items=%d/%s", items, format), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "items."+format)
				writeItemFile(b, path, items)
				url := startServer(b).URL(local.Database)
				db := openMigrated(b, url, nil)
				if _, err := db.CreateProject(b.Context(), account.Account{Role: account.Admin},
					project.Spec{Key: "large", Title: "Large", Protocol: "empathy"}); err != nil {
					b.Fatal(err)
				}
				var imported, copied time.Duration
				for b.Loop() {
					command := exec.Command(program, "import", "--project", "large", path)
					command.Env = append(os.Environ(), "DATABASE_URL="+url)
					start := time.Now()
					if out, err := command.CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, out)
					}
					imported += time.Since(start)
					usage := command.ProcessState.SysUsage().(*syscall.Rusage)
					b.ReportMetric(float64(usage.Maxrss)/1024, "peak-MiB")
					b.ReportMetric(command.ProcessState.UserTime().Seconds()+
						command.ProcessState.SystemTime().Seconds(), "cpu-s")
					copied += copyImported(b, url)
				}
				b.ReportMetric(float64(imported)/float64(copied), "copies")
			})
		}
	}
}

// copiedTables are the tables that an import writes, with the columns that a COPY gives.
var copiedTables = []struct{ name, columns string }{
	{"imports", "project_id, sha256, file_name, item_count"},
	{"items", "project_id, import_id, source_id, record_id, content, facts, word_count, meta, title, preview, search"},
	{"search_terms", "project_id, term, trigrams"},
	{"item_conditions", "project_id, name, condition"},
}

// copyImported empties the tables that an import wrote, copies the same rows into them and
// returns how long that took. At the end, the tables are empty again.
func copyImported(b *testing.B, url string) time.Duration {
	conn, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(context.Background())
	dir := b.TempDir()
	for _, t := range copiedTables {
		file, err := os.Create(filepath.Join(dir, t.name))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := conn.PgConn().CopyTo(b.Context(), file, fmt.Sprintf("COPY (SELECT %s FROM %s) TO STDOUT",
			t.columns, t.name)); err != nil {
			b.Fatal(err)
		}
		file.Close()
	}
	const empty = `
		SET session_replication_role = replica;
		TRUNCATE imports, items, search_terms, item_conditions, item_states, available_items RESTART IDENTITY CASCADE;
		SET session_replication_role = origin;
		CHECKPOINT`
	if _, err := conn.Exec(b.Context(), empty); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	err = pgx.BeginFunc(b.Context(), conn, func(pgx.Tx) error {
		for _, t := range copiedTables {
			file, err := os.Open(filepath.Join(dir, t.name))
			if err != nil {
				return err
			}
			defer file.Close()
			if _, err := conn.PgConn().CopyFrom(b.Context(), file, fmt.Sprintf("COPY %s (%s) FROM STDIN", t.name,
				t.columns)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	elapsed := time.Since(start)
	if _, err := conn.Exec(b.Context(), empty); err != nil {
		b.Fatal(err)
	}
	return elapsed
}

// writeItemFile writes items with texts of 10 to 40 words, of 20,000 different ones, and two
// columns of metadata.
func writeItemFile(b *testing.B, path string, items int) {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		words[i] = randomWord(random)
	}
	text := func(count int) string {
		chosen := make([]string, count)
		for i := range chosen {
			// some are frequent
			chosen[i] = words[int(float64(len(words))*random.Float64()*random.Float64()*random.Float64())]
		}
		return strings.Join(chosen, " ")
	}
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	defer out.Flush()
	row := "{\"eval_id\": \"item-%d\", \"user_statement\": \"%s\", \"response\": \"%s.\", \"system\": %d, \"run\": \"r%d\"}\n"
	if filepath.Ext(path) == ".csv" {
		row = "item-%d,\"%s\",\"%s.\",%d,r%d\n"
		io.WriteString(out, "eval_id,user_statement,response,system,run\n")
	}
	for n := range items {
		fmt.Fprintf(out, row, n, text(4+random.IntN(10)), text(6+random.IntN(24)), n%2, n/1000)
	}
}

func randomWord(random *rand.Rand) string {
	return string(bytes.Map(func(rune) rune { return 'a' + rune(random.IntN(26)) }, make([]byte, 3+random.IntN(7))))
}
