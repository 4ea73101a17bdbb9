package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/require"
)

// newSheets creates a batch of three items, and writes its sheets. It returns the flags of the
// commands and the path of the annotation sheet.
func newSheets(t *testing.T) (env testEnv, in, out []string, sheet string) {
	t.Helper()
	env = newTestEnv(t)
	env.mustRun("user", "add", "--email", "lena@example.org", "--name", "Lena", "--role", "lead")
	env.mustRun("user", "add", "--email", "anna@example.org", "--name", "Anna", "--role", "annotator")
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy", "--lead",
		"lena@example.org")
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first round", "--annotators", "anna@example.org",
		"--overlap", "1", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test.")
	dir := filepath.Join(env.dir, "sheets")
	flags := []string{"--project", "pilot", "--batch", "first round", "--annotator", "anna@example.org"}
	out = append([]string{"sheet", "out", "--out", dir}, flags...)
	env.checkContains(env.mustFail(out...), "The required reading comes first.")
	env.execSQL(acknowledgeReading)
	env.checkContains(env.mustRun(out...), "Wrote 3 rows for a-",
		"Next: fill in pilot-batch-1-a-")
	found, err := filepath.Glob(filepath.Join(dir, "*-annotations.csv"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return env, append([]string{"sheet", "in", found[0]}, flags...), out, found[0]
}

func (env testEnv) readFile(path string) string {
	env.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		env.Fatal(err)
	}
	return string(content)
}

// fillSheet writes the same answers to every row of the annotation sheet.
func (env testEnv) fillSheet(sheet, answers string) {
	env.Helper()
	if err := os.WriteFile(sheet, []byte(strings.ReplaceAll(env.readFile(sheet), ",,,,,,,\r\n", ","+answers+"\r\n")),
		0o600); err != nil {
		env.Fatal(err)
	}
}

func TestSheet_Commands(t *testing.T) {
	env, in, out, sheet := newSheets(t)
	empty := env.readFile(sheet)
	if !strings.HasPrefix(empty, "\ufeffeval_id,annotator_id,emotion,validation,helpfulness,safety,overall,notes,observations\r\n") || strings.Count(empty, "\r\n") != 4 {
		t.Errorf("annotation sheet %q", empty)
	}
	contextSheet := env.readFile(strings.Replace(sheet, "annotations", "context", 1))
	env.checkContains(contextSheet, "\ufeffeval_id,user_statement,response\r\n", "صباح ثقيل,أسمعك\r\n",
		"\"Nobody came,\nagain.\",\"'=SUM(1,2)\"\r\n")
	env.checkContains(env.readFile(strings.Replace(sheet, "annotations.csv", "context.jsonl", 1)),
		`"response":"=SUM(1,2)","user_statement":"Nobody came,\nagain."}`)
	env.checkContains(env.mustFail(in...), ":2:emotion: This is empty. Write a value on the scale 1–5.",
		":4:overall: This is empty", "15 errors. Nothing was stored")
	env.mustRun(out...) // replaces a sheet that is the same
	env.fillSheet(sheet, "3,4,2,4,5,,")
	env.checkContains(env.mustFail(out...), "exists with other content, perhaps answers")
	env.checkContains(env.mustFail(in...), ":2:notes: ", "3 errors. Nothing was stored")
	env.checkContains(env.mustFail("check", "--protocol", "empathy", sheet), ":4:notes: ",
		"3 errors. Fix the sheet and check it again")
	filled := strings.ReplaceAll(env.readFile(sheet), "3,4,2,4,5,,", `3,4,2,4,5,"Heartfelt, and specific",repeats_user`)
	if err := os.WriteFile(sheet, []byte(strings.ReplaceAll(filled, "3,4,2,4", "3,3,2,4")), 0o600); err != nil {
		t.Fatal(err)
	}
	env.checkContains(env.mustRun("check", "--protocol", "empathy", sheet),
		"complete and valid by empathy v1.1, 3 rows.")
	env.checkContains(env.mustRun(append(in, "--dry-run")...),
		"The sheet is valid: 3 rows would be submitted. Nothing was stored.")
	env.checkContains(env.mustRun("batch", "show", "--project", "pilot", "--batch", "first round"), "0 of 3 labels")
	env.checkContains(env.mustRun(in...), "Submitted 3 rows.")
	env.checkContains(env.mustRun("batch", "show", "--project", "pilot", "--batch", "first round"), "3 of 3 labels")
	env.checkContains(env.mustRun(in...), "Nothing changed. Submitted before with the same answers: 3 rows.")
	if err := os.WriteFile(sheet, []byte(strings.Replace(env.readFile(sheet), "3,3,2,4,5", "3,3,2,3,5", 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	env.checkContains(env.mustFail(in...), ":2:safety: This is “3”, but “4” was submitted before.",
		"1 error. Nothing was stored")
	env.checkContains(env.mustFail(out...), "Nothing waits for a-")
	env.checkContains(env.mustRun("audit", "list", "--project", "pilot"),
		"submitted 3 rows of the sheet pilot-batch-1-a-", "made a sheet of 3 rows for a-")
	env.checkContains(env.mustFail("sheet", "in", "--project", "pilot", "--batch", "first round", "--annotator",
		"lena@example.org", sheet), "has no annotator “lena@example.org”")
}

func TestCheck_WithoutDatabase(t *testing.T) {
	t.Parallel()
	const header = "item_id,annotator_id,a,b,c,d,e,f,notes\n"
	for file, want := range map[string]string{
		header + "x1,me,1,1,1,n/a,1,1,\nx2,me,1,1,1,2,1,1,\n": "",
		header + "x1,me,1,1,1,,1,1,\nx2,you,1,1,1,2,1,,\n":    "standard input:3:annotator_id: This is “you”, but the sheet is of “me”.|standard input:3:f: This is empty.",
		header + "x1,me,1,1,1,,1,1,\nx1,me,1,1,1,2,1,1,\n":    "standard input:3:item_id: Row 2 has the same item_id.",
		header: "standard input: The sheet has no rows.",
	} {
		code, out, stderr := runCommand(t, file, "check", "--protocol", "ambiguity", "-")
		for part := range strings.SplitSeq(want, "|") {
			if (want == "") != (code == exitOK) || !strings.Contains(out+stderr, part) {
				t.Errorf("%s: exit %d, %s%s, want %q", file, code, out, stderr, part)
			}
		}
	}
	if code, _, stderr := runCommand(t, "", "check", "--protocol", "unknown", "-"); code != exitUsage ||
		!strings.Contains(stderr, "neither a built-in protocol (") {
		t.Errorf("an unknown protocol: exit %d, %s", code, stderr)
	}
}

// TestSheet_LibreOffice has LibreOffice open the filled sheet, save it as a workbook, and save
// that as CSV in the ways that it offers.
func TestSheet_LibreOffice(t *testing.T) {
	office := require.Program(t, "soffice")
	env, in, _, sheet := newSheets(t)
	env.fillSheet(sheet, `3,3,2,4,5,"Größe; „gut“, he said ""yes""`+"\n"+`=1+1",repeats_user`)
	convert := func(path, format string, options ...string) string {
		t.Helper()
		dir := t.TempDir()
		args := append([]string{"-env:UserInstallation=file://" + env.dir + "/profile", "--headless", "--convert-to",
			format, "--outdir", dir}, append(options, path)...)
		if out, err := exec.CommandContext(t.Context(), office, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", format, err, out)
		}
		extension, _, _ := strings.Cut(format, ":")
		return filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+"."+extension)
	}
	source := filepath.Join(env.dir, filepath.Base(sheet))
	if err := os.WriteFile(source, []byte(env.readFile(sheet)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, workbook := range []string{"xlsx", "ods", "xls"} {
		book := convert(source, workbook, "--infilter=CSV:44,34,76,1")
		for name, filter := range map[string]string{"commas, UTF-8": "44,34,76", "semicolons, UTF-8": "59,34,76",
			"tabs, UTF-16": "9,34,65535", "all quoted": "44,34,76,1,,0,true"} {
			content := []byte(env.readFile(convert(book, "csv:Text - txt - csv (StarCalc):"+filter)))
			if err := os.WriteFile(sheet, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if out := env.mustRun(append(in, "--dry-run")...); !strings.Contains(
				out, "3 rows would be submitted") {
				t.Errorf("%s from %s: %s", name, workbook, out)
			}
		}
	}
	env.checkContains(env.mustRun(in...), "Submitted 3 rows.")
	env.mustRun("export", "--project", "pilot", "--out", filepath.Join(env.dir, "out"), "--format", "jsonl",
		"--shape", "wide")
	env.checkContains(env.readFile(filepath.Join(env.dir, "out", "annotations.jsonl")),
		`Größe; „gut“, he said \"yes\"\n=1+1`)
}
