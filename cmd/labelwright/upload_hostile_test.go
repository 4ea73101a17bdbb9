package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"

	"github.com/labelwright/labelwright/internal/require"
)

// A hostileFile is a file that claims, or unpacks to, more than a server has.
type hostileFile struct {
	name    string // with the extension that it is uploaded with
	content func() []byte
	isFast  bool // tried in each run, not only with LABELWRIGHT_SLOW=1
}

const hostileSize = 40 << 20 // of files that are large themselves

func repeatTo(size int, before, text, after string) []byte {
	return []byte(before + strings.Repeat(text, max(0, size-len(before)-len(after))/len(text)) + after)
}

func gzipped(size int, before, text string) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, before)
	block := []byte(strings.Repeat(text, max(1, 1<<20/len(text))))
	for done := 0; done < size; done += len(block) {
		_, _ = w.Write(block) // to memory
	}
	_ = w.Close()
	return packed.Bytes()
}

// thrift appends a struct of Thrift's compact protocol: fields in the order of their numbers.
type thrift []byte

func (t thrift) head(last, id *int, kind byte) thrift {
	defer func() { *last = *id }()
	return append(t, byte(*id-*last)<<4|kind)
}

// structOf returns a struct with the fields by number: integers, texts, lists of structs, structs.
func structOf(fields ...any) []byte {
	t, last := thrift{}, 0
	for i := 0; i < len(fields); i += 2 {
		id := fields[i].(int)
		switch v := fields[i+1].(type) {
		case int:
			t = binary.AppendVarint(t.head(&last, &id, 6), int64(v))
		case string:
			t = append(binary.AppendUvarint(t.head(&last, &id, 8), uint64(len(v))), v...)
		case [][]byte:
			t = append(t.head(&last, &id, 9), 0xfc)
			t = append(binary.AppendUvarint(t, uint64(len(v))), bytes.Join(v, nil)...)
		case []byte:
			t = append(t.head(&last, &id, 12), v...)
		}
	}
	return append(t, 0)
}

// A parquetPage is a page of the only column of a file.
type parquetPage struct {
	kind, claimed, count, encoding, codec int
	content                               []byte
}

func parquetFooter(content []byte, schema [][]byte, groups ...[]byte) []byte {
	footer := structOf(1, 2, 2, schema, 3, 1, 4, groups)
	return append(binary.LittleEndian.AppendUint32(append(content, footer...), uint32(len(footer))), "PAR1"...)
}

// parquetOf returns a file with one column, of that repetition, and the pages. Its row group claims rows.
func parquetOf(repetition, rows int, pages ...parquetPage) []byte {
	file, values := []byte("PAR1"), 0
	for _, p := range pages {
		inner, field := structOf(1, p.count, 2, p.encoding, 3, 3, 4, 3), 5
		if p.kind == 2 {
			inner, field = structOf(1, p.count, 2, p.encoding), 7
		} else {
			values += p.count
		}
		file = append(append(file, structOf(1, p.kind, 2, p.claimed, 3, len(p.content), field, inner)...), p.content...)
	}
	schema := [][]byte{structOf(4, "root", 5, 1), structOf(1, 6, 3, repetition, 4, "response", 6, 0)}
	meta := structOf(1, 6, 2, [][]byte{}, 3, [][]byte{}, 4, pages[len(pages)-1].codec, 5, values, 7, len(file)-4, 9, 4)
	return parquetFooter(file, schema, structOf(1, [][]byte{structOf(2, 4, 3, meta)}, 3, rows))
}

// runOf returns levels of n times a value, with their length.
func runOf(n int, level byte) []byte {
	run := append(binary.AppendUvarint(nil, uint64(n)<<1), level)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...)
}

func plainText(text string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
}

func hostileFiles() []hostileFile {
	const million = 1_000_000
	nulls := func(count int) parquetPage {
		levels := runOf(count, 0)
		return parquetPage{claimed: len(levels), count: count, content: levels}
	}
	claims := func(claimed, count, codec int, content []byte) func() []byte {
		return func() []byte {
			return parquetOf(0, 10, parquetPage{claimed: claimed, count: count, codec: codec, content: content})
		}
	}
	packed := func(text []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(text)
		_ = w.Close()
		return b.Bytes()
	}
	text := repeatTo(8<<20, "", "word ", "")
	dictionary := plainText(string(text))
	return []hostileFile{
		{"claimed footer.parquet", func() []byte {
			return append(binary.LittleEndian.AppendUint32([]byte("PAR1"+strings.Repeat("x", 2000)), 0x7fffffff),
				"PAR1"...)
		}, true},
		{"empty schema elements.parquet", func() []byte {
			footer := append([]byte{0x15, 4, 0x19, 0xfc}, binary.AppendUvarint(nil, 4<<20)...)
			footer = append(footer, make([]byte, 4<<20)...)
			return append(binary.LittleEndian.AppendUint32(append([]byte("PAR1"), footer...), uint32(len(footer))),
				"PAR1"...)
		}, false},
		{"claimed page.parquet", claims(0x7ffffff0, 10, 0, []byte("x")), true},
		{"claimed values.parquet", claims(1, 0x7ffffff0, 0, []byte("x")), false},
		{"claimed snappy.parquet", claims(20<<20, 10, 1, append(binary.AppendUvarint(nil, 0xffffffff), 0, 0)), false},
		{"gzip page.parquet", claims(20<<20, 10, 2, packed(make([]byte, 200<<20))), false},
		{"snappy page.parquet", claims(20<<20, 10, 1, snappy.Encode(nil, make([]byte, 20<<20))), false},
		{"zstd window.parquet", claims(20<<20, 10, 6, []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0xf8, 1, 0, 0}), false},
		{"20 million rows.parquet", func() []byte {
			return parquetOf(1, 20*million, nulls(10*million), nulls(10*million))
		}, true},
		{"endless rows.parquet", func() []byte { return parquetOf(1, 1<<60, nulls(10)) }, false},
		{"one cell of 100 million.parquet", func() []byte {
			levels := append(append(binary.LittleEndian.AppendUint32(nil, 7),
				append(append([]byte{2, 0}, binary.AppendUvarint(nil, 100*million<<1)...), 1)...),
				runOf(100*million+1, 1)...)
			content := append(append(levels, 1), append(binary.AppendUvarint(nil, 200*million<<1), 0)...)
			return parquetOf(2, 1, parquetPage{kind: 2, claimed: 5, count: 1, content: plainText("x")},
				parquetPage{claimed: len(content), count: 100*million + 1, encoding: 8, content: content})
		}, true},
		{"repeated dictionary.parquet", func() []byte {
			indexes := append([]byte{1}, append(binary.AppendUvarint(nil, million<<1), 0)...)
			packedDictionary := snappy.Encode(nil, dictionary)
			return parquetOf(0, million, parquetPage{kind: 2, claimed: len(dictionary), count: 1, codec: 1,
				content: packedDictionary},
				parquetPage{claimed: len(indexes), count: million, encoding: 8, codec: 1,
					content: snappy.Encode(nil, indexes)})
		}, true},
		{"growing delta.parquet", func() []byte {
			head := func(n int) []byte {
				h := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(nil, 4<<20), 4), uint64(n))
				return append(h, 0)
			}
			ones := append(head(million), 2, 0, 0, 0, 0)
			content := append(append(ones, head(million)...), repeatTo(million, "", "x", "")...)
			return parquetOf(0, million, parquetPage{claimed: len(content), count: million, encoding: 7,
				content: content})
		}, false},
		{"10,000 columns.parquet", func() []byte {
			schema := [][]byte{structOf(4, "root", 5, 9_999)}
			for i := range 9_999 {
				schema = append(schema, structOf(1, 6, 3, 1, 4, fmt.Sprint("c", i)))
			}
			return parquetFooter([]byte("PAR1"), schema, structOf(3, million))
		}, false},
		{"deep schema.parquet", func() []byte {
			schema := [][]byte{}
			for range 9_000 {
				schema = append(schema, structOf(3, 2, 4, "g", 5, 1))
			}
			return parquetFooter([]byte("PAR1"), append(schema, structOf(1, 6, 3, 1, 4, "leaf")))
		}, false},
		{"million row groups.parquet", func() []byte {
			groups := make([][]byte, million)
			for i := range groups {
				groups[i] = structOf(3, million)
			}
			return parquetFooter([]byte("PAR1"), [][]byte{structOf(4, "root", 5, 1), structOf(1, 6, 3, 1, 4,
				"response")}, groups...)
		}, false},
		{"deep lists.json", func() []byte { return repeatTo(hostileSize, "", "[", "") }, false},
		{"deep objects.jsonl", func() []byte { return repeatTo(hostileSize, "", `{"a":`, "") }, false},
		{"long text.json", func() []byte { return repeatTo(hostileSize, `[{"response":"`, "word ", `"}]`) }, true},
		{"many values.json", func() []byte { return repeatTo(hostileSize, `[{"response":[0`, ",0", `]}]`) }, false},
		{"8 MiB of values.json", func() []byte { return repeatTo(8<<20-100, `[{"response":[0`, ",0", `]}]`) }, true},
		{"8 MiB of keys.jsonl", func() []byte {
			var b bytes.Buffer
			b.WriteString(`{"response":"r"`)
			for i := 0; b.Len() < 8<<20-100; i++ {
				fmt.Fprintf(&b, `,"%d":0`, i)
			}
			return append(b.Bytes(), '}')
		}, false},
		{"million objects.json", func() []byte { return repeatTo(hostileSize, "[{}", ",{}", "]") }, false},
		{"long line.jsonl", func() []byte { return repeatTo(hostileSize, `{"response":"`, "word ", `"}`) }, false},
		{"long number.jsonl", func() []byte { return repeatTo(8<<20-100, `{"query":"q","answer":`, "1", `}`) }, false},
		{"columns.json", func() []byte { return repeatTo(8<<20-100, `{"query":[0`, ",0", `]}`) }, false},
		{"open quote.csv", func() []byte { return repeatTo(hostileSize, "query,answer\n\"", "word ", "") }, false},
		{"million columns.csv", func() []byte { return repeatTo(1<<20-10, "query,answer", ",a", "\n") }, false},
		{"blank rows.csv", func() []byte { return repeatTo(hostileSize, "query,answer\n", ",\n", "") }, false},
		{"invalid rows.csv", func() []byte { return repeatTo(hostileSize, "query,answer\n", "x\n", "") }, true},
		{"UTF-16.csv", func() []byte { return repeatTo(hostileSize, "\xff\xfe", "\x00\xd8", "") }, false},
		{"bomb of zeros.jsonl.gz", func() []byte { return gzipped(2<<30, "", "\x00") }, false},
		{"bomb of rows.csv.gz", func() []byte { return gzipped(2<<30, "query,answer\n", "q,a\n") }, true},
		{"bomb of records.jsonl.gz", func() []byte { return gzipped(1<<30, "", `{"query":"q","answer":"a"}`+"\n") },
			false},
		{"bomb of Parquet.parquet.gz", func() []byte { return gzipped(1<<30, "PAR1", "\x00") }, false},
	}
}

// resetPeak makes a process forget its highest resident memory.
func resetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
		require.Missing(t, "proc", "Peaks of memory are reset by /proc: "+err.Error())
	}
}

// A hostile file takes no more memory than the README states, and little time; meanwhile another lead imports
// a row.
func TestServe_HostileUploads_BoundedMemoryAndTime(t *testing.T) {
	if testing.Short() {
		t.Skip("This test measures memory and time, so it runs only without -short.")
	}
	env := newTestEnv(t)
	s := startServeProcess(t, "--database-url", env.databaseURL, "--log", "warn")
	attacker, other := env.newLead(s.baseURL, 0), env.newLead(s.baseURL, 1)
	rows := 0
	for _, file := range hostileFiles() {
		if !file.isFast && !require.FullSize() {
			continue
		}
		content := file.content()
		resetPeak(t, s.Process.Pid)
		done := make(chan string)
		start := time.Now()
		go func() { done <- attacker.tryUpload("/projects/p0/import", file.name, content) }()
		rows++
		preview, err := other.upload("/projects/p1/import",
			strings.NewReader(fmt.Sprintf(`{"query":"Q?","answer":"%d"}`, rows)))
		if err == nil {
			err = other.importUpload(preview, "")
		}
		rowTook := time.Since(start)
		answer := <-done
		took, peak := time.Since(start), memoryOf(t, s.Process.Pid, "VmHWM")
		t.Logf("%-32s %6d KB: %3d MiB, %6.2f s, a row meanwhile %5.2f s: %s", file.name, len(content)>>10, peak,
			took.Seconds(), rowTook.Seconds(), answer)
		if err != nil || peak > maxUploadRSS || took > time.Minute || rowTook > 10*time.Second {
			t.Errorf("%s: %d MiB, %s, a row meanwhile %s, %v", file.name, peak, took, rowTook, err)
		}
	}
	env.checkContains(env.mustRun("project", "list"), fmt.Sprint(rows))
}

// tryUpload sends a file, waits until it was read, and returns the status and the first error that the page shows.
func (l *lead) tryUpload(path, name string, content []byte) string {
	body, contentType := multipartFile(name, bytes.NewReader(content))
	response, text, err := l.post(path, contentType, body)
	if err == nil && response.StatusCode == http.StatusSeeOther {
		text, err = l.wait(response.Header.Get("Location"))
	}
	if err != nil {
		return err.Error()
	}
	if _, after, found := strings.Cut(text, `<td dir="auto">`); found {
		message, _, _ := strings.Cut(after, "</td>")
		return fmt.Sprintf("%d %.150s", response.StatusCode, message)
	}
	return fmt.Sprintf("%d no error", response.StatusCode)
}

func multipartFile(name string, content io.Reader) (body io.Reader, contentType string) {
	const boundary = "a-boundary"
	head := fmt.Sprintf("--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=%q\r\nContent-Type: application/octet-stream\r\n\r\n", boundary, name)
	return io.MultiReader(strings.NewReader(head), content, strings.NewReader("\r\n--"+boundary+"--\r\n")),
		"multipart/form-data; boundary=" + boundary
}
