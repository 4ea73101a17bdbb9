package main

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/labelwright/labelwright/web/api"
)

func TestMessages_ByCommand_AnsweredAndSent(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("user", "add", "--email", "ann@example.org", "--name", "Ann", "--role", "annotator")
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "empathy")
	env.mustRun("import", "--project", "pilot", env.writeFile("replies.csv", repliesCSV))
	env.mustRun("batch", "open", "--project", "pilot", "--batch", "first", "--annotators", "ann@example.org",
		"--overlap", "1", "--duplicates", "0", "--calibration", "0", "--fewer-calibration", "A test.")
	db := env.openDB()
	ann, err := db.AccountByEmail(t.Context(), "ann@example.org")
	if err != nil {
		t.Fatal(err)
	}
	env.checkContains(env.mustRun("message", "list", "--project", "pilot"), "No questions are waiting.")
	token, err := db.OpenNext(t.Context(), ann.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	env.execSQL(acknowledgeReading)
	if err := db.AskLead(t.Context(), ann.ID, token, "Does a leaflet\ncount?"); err != nil {
		t.Fatal(err)
	}
	env.checkContains(env.mustRun("message", "list", "--project", "pilot"), "Ann", "first", `"Does a leaflet\ncount?"`)
	var list api.QuestionList
	if err := json.Unmarshal([]byte(env.mustRun("message", "list", "--project", "pilot", "--format", "json")),
		&list); err != nil || len(list.Questions) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	id := strconv.FormatInt(int64(list.Questions[0].ID), 10)
	env.checkContains(env.mustFail("message", "answer", "--project", "pilot", "999", "Yes"), "no such question")
	env.checkContains(env.mustFail("message", "answer", "--project", "pilot", id, ""), "answer: ")
	env.checkContains(env.mustRun("message", "answer", "--project", "pilot", id, "Yes, if it names one."),
		"Answer sent")
	env.checkContains(env.mustFail("message", "answer", "--project", "pilot", id, "No"),
		"answered already, by a command")
	env.checkContains(env.mustRun("announce", "--project", "pilot", "--batch", "first", "The guide has a new example."),
		"sent to 1 annotator")
	env.checkContains(env.mustFail("announce", "--project", "pilot", "--batch", "none", "Hello"), "none")
	start, err := db.WorkStart(t.Context(), ann.ID)
	if err != nil || len(start.Unread) != 2 {
		t.Errorf("unread = %+v, %v", start.Unread, err)
	}
}
