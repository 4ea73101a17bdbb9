package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/parquet-go/parquet-go"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/protocol"
)

// helpExamples returns the command lines of the help, without redirections of their output.
func helpExamples() (examples []string) {
	for _, leaf := range kong.Must(new(cli)).Model.Leaves(false) {
		for line := range strings.Lines(leaf.Detail) {
			line = strings.TrimSpace(line)
			if _, command, found := strings.Cut(" "+line, " labelwright "); found &&
				(strings.HasPrefix(line, "labelwright ") || strings.HasPrefix(line, "DATABASE_URL=")) {
				command, _, _ = strings.Cut(command, " > ")
				examples = append(examples, command)
			}
		}
	}
	return examples
}

// notRun are the examples that run servers, or undo what the others need.
var notRun = []string{
	"demo --addr 127.0.0.1:8080", "serve --addr :8080 --base-url https://labels.example.org --proxies 1",
	"health --addr 127.0.0.1:8080",
	"migrate down --yes", "migrate force 8",
	"backup --schedule --recipient age1… /backups", "restore --data-dir /srv/labelwright labelwright.backup",
}

// A studyScript runs the examples of the help in the order of a study, and what they need between.
type studyScript struct {
	testEnv
	ran map[string]bool
}

// The examples of the help work as they are written, on the database of a study. Only ids, a
// pseudonym and the plan of the batch are made to fit: with its seed, ada and ben both label q17.
func TestHelp_Examples_Run(t *testing.T) {
	s := studyScript{newTestEnv(t), map[string]bool{}}
	s.writeFiles()
	s.setUp()
	s.label()
	s.decide()
	s.export()
	s.end()
	for _, example := range helpExamples() {
		if !s.ran[example] && !slices.Contains(notRun, example) {
			t.Errorf("not run: labelwright %s", example)
		}
	}
	for _, example := range slices.Sorted(maps.Keys(s.ran)) {
		if !slices.Contains(helpExamples(), example) {
			t.Errorf("not in the help: labelwright %s", example)
		}
	}
}

// run runs examples. Files are in the folder of the test.
func (s studyScript) run(examples ...string) {
	s.Helper()
	for _, example := range examples {
		s.ran[example] = true
		args := splitWords(example)
		for i, arg := range args {
			if name, _, _ := strings.Cut(arg, "/"); slices.Contains(exampleFiles, name) {
				args[i] = filepath.Join(s.dir, arg)
			}
		}
		s.mustRunQuietly(args...)
	}
}

// exampleFiles are the files and folders of the examples.
var exampleFiles = []string{"people.csv", "tone.yaml", "rules.md", "items.csv", "rag.jsonl", "observations.jsonl.gz",
	"records.parquet", "calibration.jsonl", "answers.json",
	"decisions.csv", "judgments.jsonl", "labels.csv", "dataset", "hub", "key.csv", "sheets",
	"labelwright.backup"}

func (s studyScript) writeFiles() {
	s.Helper()
	s.writeFile("people.csv", "email,name,role\nben@example.org,Ben,annotator\ncleo@example.org,Cleo,annotator\nanna@example.org,Anna,annotator\nlena@example.org,Lena,annotator\n")
	s.writeFile("rules.md", "Read each reply twice.\n")
	items, judgments, labels := "id,user_statement,response,system,source\n", "", "item,annotator,dimension,value\n"
	for i := range 20 {
		items += fmt.Sprintf("q%d,When do I prune roses %d?,In spring %d.,%s,%s\n", i+1, i, i,
			[]string{"alpha", "beta"}[i%2], map[bool]string{true: "test", false: "log"}[i == 18])
		judgments += fmt.Sprintf(`{"item":"q%d","emotion":%d,"validation":3,"helpfulness":%d,"safety":3,"overall":3}`+
			"\n", i+1, 2+i%2, 2+i%3)
		for n, annotator := range []string{"a", "b", "c", "gpt-4o"} {
			labels += fmt.Sprintf("%d,%s,score,%d\n%d,%s,tone,%s\n", i, annotator, 1+(i+n/2)%5, i, annotator,
				[]string{"low", "middle", "high"}[(i+n/2)%3])
		}
	}
	s.writeFile("items.csv", items)
	s.writeFile("judgments.jsonl", judgments)
	s.writeFile("labels.csv", labels)
	s.writeFile("rag.jsonl", `{"record_id":"r1","query":"Q?","answer":"A.","chunks":[{"chunk_id":"c1","chunk_rank":1,"text":"T."}]}`+"\n")
	s.writeFile("calibration.jsonl",
		`{"id":"c1","user_statement":"S.","response":"R.","reference":{"emotion":3,"validation":3,"helpfulness":3,"safety":3,"overall":3},"reason":"It is."}`+"\n")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	fmt.Fprintln(w, `{"id":"obs-0","traceId":"trace-0","startTime":"2026-01-01T00:00:00Z","type":"GENERATION","name":"answer","input":[{"role":"user","content":"Question?"}],"output":{"role":"assistant","content":"Answer."}}`)
	type turn struct {
		Role    string `parquet:"role"`
		Content string `parquet:"content"`
	}
	type record struct {
		Messages []turn `parquet:"messages,list"`
		Output   struct {
			Text string `parquet:"text"`
		} `parquet:"output"`
		Model string `parquet:"model"`
	}
	r := record{Messages: []turn{{"user", "Hello?"}}, Model: "m1"}
	r.Output.Text = "Hello."
	err := w.Close()
	if err == nil {
		s.writeFile("observations.jsonl.gz", zipped.String())
		err = parquet.WriteFile(filepath.Join(s.dir, "records.parquet"), []record{r})
	}
	if err != nil {
		s.Fatal(err)
	}
}

// setUp runs what needs no labels.
func (s studyScript) setUp() {
	s.Helper()
	s.run("migrate up", "migrate status", "version", "plan --scale 1..5 --kappa 0.5 --width 0.2 --annotators 6",
		"completion bash", "completion zsh", "completion fish",
		"agree labels.csv --scale 1..5 --scale tone=low,middle,high",
		"agree labels.csv --judge gpt-4o --epsilon 0.15",
		"consensus labels.csv --method dawid-skene --format json", "protocol schema", "protocol list",
		"protocol show empathy@1")
	s.writeFile("tone.yaml", strings.Replace(s.mustRun("protocol", "show", "empathy"), "protocol: empathy\nversion: 1\nrevision: 1\n",
		"protocol: tone\nversion: 1\n", 1))
	s.run("protocol validate tone.yaml", "protocol publish tone.yaml",
		`user add --email ada@example.org --name "Ada Lovelace" --role lead`, "user add --csv people.csv",
		"user list --format json", "user role lena@example.org lead",
		"user address lena@example.org lena@new.example.org")
	s.mustRun("user", "address", "lena@new.example.org", "lena@example.org")
	s.run("user disable anna@example.org", "user enable anna@example.org",
		"user reset anna@example.org --base-url https://labels.example.org")
	s.execSQL(`INSERT INTO identity.second_factors (account_id, secret, last_step, recovery_codes)
		SELECT account_id, 'secret', 1, '{}' FROM identity.users WHERE email = 'anna@example.org'`)
	s.mustRun("user", "add", "--email", "lou@example.org", "--name", "Lou", "--role", "annotator")
	s.run("user reset-second-factor anna@example.org", "user export anna@example.org --format json",
		"user erase lou@example.org --with-notes --confirm",
		`project create --key pilot --title "Pilot" --protocol empathy --lead ada@example.org`,
		"project settings --project pilot --instructions rules.md --daily-item-limit 100",
		`member add --project pilot --email ada@example.org --name "Ada Lovelace" --role annotator`,
		"member invite --project pilot", "member role --project pilot ada@example.org lead", "member list --project pilot --format json",
		"member hours --project pilot --format json")
	for _, part := range []string{"retrieval", "grounding", "generation"} {
		s.mustRun("project", "create", "--key", part, "--title", part, "--protocol", "rag-"+part)
	}
	s.mustRun("member", "add", "--project", "pilot", "--email", "lena@example.org", "--role", "lead")
	s.run("import --project pilot items.csv",
		"import --project retrieval --project grounding --project generation rag.jsonl",
		"import --project pilot --preset langfuse observations.jsonl.gz",
		"import --project pilot --map user_statement=messages[-1].content,response=output.text,meta.model=model records.parquet", "project list --format json",
		`item tag --project pilot --add "for the guide" q17 q18`,
		`item note --project pilot --note "The answer is cut off" q17`,
		`item tag --project pilot --remove "for the guide" --all-matching --tag "for the guide"`,
		`item archive --project pilot --reason "Test data" q17 q18`,
		`item archive --project pilot --reason "Test data" --all-matching --condition source=test`,
		"item restore --project pilot q17 q18",
		"reference --project pilot calibration.jsonl",
		"batch open --project pilot --batch first --annotators ada@example.org,ben@example.org --overlap 2 --plan")
}

// label opens a batch, in which ada and ben label until q17, and runs what leads do at the same time.
func (s studyScript) label() {
	s.Helper()
	for table, id := range map[string]int{"questions": 17, "correction_requests": 12} {
		s.execSQL(fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN id RESTART WITH %d`, table, id))
	}
	s.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators",
		"ada@example.org,ben@example.org,anna@example.org", "--overlap", "2", "--calibration", "1",
		"--fewer-calibration", "A test.", "--duplicates", "0", "--seed", "3", "--items-search", "prune")
	s.execSQL(acknowledgeReading)
	s.run("audit verify") // which finds the next change
	s.execSQL(`ALTER TABLE members DISABLE TRIGGER keep_pseudonym;
		UPDATE members SET pseudonym = 'a-x7k2m9qp' FROM identity.users u WHERE u.account_id = members.account_id
		AND u.email = 'ada@example.org' AND project_id = 1`)
	s.run("calibration list --project pilot --batch first --format json",
		`calibration override --project pilot --batch first --reason "We discussed the differences." anna@example.org`,
		"calibration retake --project pilot --batch first anna@example.org")
	for _, name := range []string{"ada", "ben"} {
		s.mustRun("calibration", "override", "--project", "pilot", "--batch", "first", "--reason", "A test.", name+
			"@example.org")
	}
	last := s.labelUntil("ada@example.org", 3, "q17")
	s.labelUntil("ben@example.org", 2, "q17")
	s.execSQL(`INSERT INTO questions (assignment_id, batch_id, account_id, message)
		SELECT id, batch_id, account_id, 'Why?' FROM assignments LIMIT 1`)
	s.execSQL(`INSERT INTO correction_requests (assignment_id, message) SELECT id, 'I meant a 2.' FROM assignments
		WHERE token = '` + last + `'`)
	s.run("inbox --format json", "message list --project pilot --format json",
		`message answer --project pilot 17 "Yes, if the leaflet names its publisher."`,
		`announce --project pilot --batch first "The guide has a new example for safety."`,
		"correction list --project pilot --batch first", "skip list --project pilot --batch first --format json",
		`--as lena@example.org correction decline --project pilot --batch first 12 "The guide asks for a 2 here, see section 3."`)
	s.execSQL(`UPDATE correction_requests SET resolved_at = NULL, resolved_by = NULL, reply = ''`)
	s.run("--as lena@example.org correction accept --project pilot --batch first 12")
	s.labelUntil("ada@example.org", 3, "q17")
	s.run(`--as lena@example.org correction reopen --project pilot --batch first --annotator a-x7k2m9qp q17 "Please read the note again."`)
	s.labelUntil("ada@example.org", 3, "q17")
	s.run("item list --project pilot --search \"prune roses\" --state disagreement --format json",
		"sheet out --project pilot --batch first --annotator ada@example.org --out sheets")
	s.labelUntil("ada@example.org", 3, "") // the item that was open is not on the sheet
	sheet := filepath.Join(s.dir, "sheets", "pilot-batch-1-a-x7k2m9qp-annotations.csv")
	s.fillSheet(sheet, "3,3,3,3,3,,")
	s.run("sheet in --project pilot --batch first --annotator ada@example.org --dry-run sheets/pilot-batch-1-a-x7k2m9qp-annotations.csv",
		"check --protocol empathy sheets/pilot-batch-1-a-x7k2m9qp-annotations.csv")
	s.execSQL(`INSERT INTO protocol_revisions (protocol_version_id, revision, definition)
		SELECT protocol_version_id, 3, replace(definition, E'\nrevision: 1\n', E'\nrevision: 3\n')
		FROM protocol_revisions r JOIN protocol_versions v ON v.id = r.protocol_version_id WHERE v.key = 'empathy'`)
	s.run("project take-version --project pilot", "batch use-revision --project pilot --batch first --accept 3", "batch list --project pilot",
		"batch show --project pilot --batch first --format json",
		`batch change --project pilot --batch first --overlap 3 --items-state disagreement --reason "third opinion"`,
		`batch change --project pilot --batch first --reassign-from ben@example.org --reassign-items all --reason "Ben is ill"`,
		`batch change --project pilot --batch first --add cleo@example.org --remove ben@example.org --reason "Ben left"`)
}

// labelByCommand runs what an annotator does, in a project of its own.
func (s studyScript) labelByCommand() {
	s.Helper()
	s.mustRun("project", "create", "--key", "desk", "--title", "Desk", "--protocol", "empathy")
	s.mustRun("project", "settings", "--project", "desk", "--allow-undo", "true")
	s.mustRun("import", "--project", "desk", s.writeFile("desk.csv", repliesCSV))
	s.execSQL(`ALTER TABLE batches ALTER COLUMN id RESTART WITH 7`)
	s.mustRun("batch", "open", "--project", "desk", "--batch", "one", "--annotators", "ben@example.org", "--overlap",
		"1", "--calibration", "0", "--fewer-calibration", "A test.", "--duplicates", "0")
	s.execSQL(acknowledgeReading)
	s.writeFile("answers.json", labelAnswers)
	const as = "--as ben@example.org label "
	s.run(as+"status", as+"next --batch 7")
	name := func() {
		s.execSQL(`UPDATE assignments SET token = 'bcdfghjkmn' WHERE batch_id = 7 AND state = 'open'`)
	}
	name()
	s.run(as+"show bcdfghjkmn", as+"break", as+"break --end", as+`ask bcdfghjkmn "Does a leaflet count?"`,
		as+`skip bcdfghjkmn --reason unclear --comment "The response ends in the middle."`)
	s.execSQL(`UPDATE assignments SET token = 'skipped' WHERE token = 'bcdfghjkmn'`)
	name()
	s.run(as+"submit bcdfghjkmn answers.json --draft", as+"submit bcdfghjkmn answers.json",
		as+`report bcdfghjkmn "I meant 4."`)
	s.execSQL(`UPDATE assignments SET token = 'next' WHERE batch_id = 7 AND state = 'open'`)
	s.mustRun("--as", "ben@example.org", "label", "submit", "next", filepath.Join(s.dir, "answers.json"))
	s.run(as + "undo --batch 7")
	s.mustRun("batch", "close", "--project", "desk", "--batch", "one", "--reason", "A test.", "--release-open")
	s.mustRun("batch", "open", "--project", "desk", "--batch", "again", "--annotators", "ben@example.org", "--overlap",
		"1", "--calibration", "0", "--fewer-calibration", "A test.", "--round", "labeled")
	s.run("batch compare --project desk --batch again")
}

// labelUntil submits items with one value until that of an id is submitted, or one item if there is
// no id. It returns its token.
func (s studyScript) labelUntil(email string, value int, itemID string) (token string) {
	s.Helper()
	db := s.openDB()
	defer db.Close()
	a, err := db.AccountByEmail(s.Context(), email)
	answers := protocol.Answers{Values: map[string]int{"emotion": value, "validation": value, "helpfulness": value,
		"safety": value, "overall": value}}
	for err == nil {
		if token, err = db.OpenNext(s.Context(), a.ID, 0); err == nil {
			_, err = db.Submit(s.Context(), a.ID, token, labeling.Submission{Answers: answers})
		}
		if err == nil && s.isTrue(`SELECT '`+itemID+`' IN ('', i.source_id) FROM assignments a JOIN items i ON i.id = a.item_id WHERE a.token = '`+token+`'`) {
			return token
		}
	}
	s.Fatalf("%s does not get %s: %v", email, itemID, err)
	return ""
}

// decide adjudicates items, and compares a judge.
func (s studyScript) decide() {
	s.Helper()
	s.writeFile("decisions.csv", "item,emotion,validation,helpfulness,safety,overall,cause,reason\nq17,3,3,3,3,3,ambiguous_item,Both read it well.\n")
	s.run("adjudicate --project pilot decisions.csv", "spot-check --project pilot --format json", "item calibrate --project pilot q17",
		`judge --project pilot --name "judge-4 prompt 2" judgments.jsonl`, "judge --project pilot --format json")
}

// export reports, exports and reads the audit log.
func (s studyScript) export() {
	s.Helper()
	s.run("report --project pilot --by system --format json",
		"export --project pilot --out dataset --format parquet --shape wide --consensus", "report --from dataset",
		"export --project pilot --out hub --layout huggingface --texts",
		"export --project pilot --unblinding-key key.csv",
		"audit list --project pilot --from 2026-11-01 --format json", "retention --format json",
		"backup labelwright.backup")
	if files, err := os.ReadDir(filepath.Join(s.dir, "hub")); err != nil || len(files) == 0 {
		s.Errorf("%d files, %v", len(files), err)
	}
}

// end closes the study, and tries what programs need.
func (s studyScript) end() {
	s.Helper()
	for table, id := range map[string]int{"identity.api_tokens": 3, "identity.webhooks": 3,
		"identity.webhook_deliveries": 1207} {
		s.execSQL(fmt.Sprintf(`ALTER TABLE %s ALTER COLUMN id RESTART WITH %d`, table, id))
	}
	s.run(`token create --account lena@example.org --name "judge pipeline" --scope read,judge --project pilot`,
		"token list --account lena@example.org", "token revoke 3",
		"webhook create --project pilot --events item.completed,batch.closed https://example.org/hooks/labels",
		"webhook change --project pilot 3 --events batch.closed,export.ready",
		"webhook list --project pilot", "webhook test --project pilot 3",
		"webhook deliveries --project pilot 3 --format json", "webhook resend --project pilot 1207",
		"webhook rotate-secret --project pilot 3", "webhook disable --project pilot 3",
		"webhook enable --project pilot 3", "webhook delete --project pilot 3 --yes",
		`batch close --project pilot --batch first --reason "enough labels"`,
		`judge --project pilot --name "judge-4 prompt 2" --next 100`,
		`batch reopen --project pilot --batch first --reason "closed too early"`)
	s.mustRun("batch", "close", "--project", "pilot", "--batch", "first", "--reason", "now it is")
	s.labelByCommand()
	s.run(`batch archive --project pilot --batch first --reason "reported"`,
		`item erase --project pilot --reason "Request of 3 May" --confirm q17 q18`,
		`member end --project pilot ada@example.org --thank-you "Thank you for 400 careful labels."`,
		"member remove --project pilot ada@example.org", `project archive --project pilot --reason "The study ended"`,
		`project erase --project pilot --reason "The study ended" --confirm`)
}
