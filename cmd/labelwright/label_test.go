package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/web/api"
)

const labelAnswers = `{"answers":{"emotion":3,"validation":3,"helpfulness":3,"safety":3,"overall":3}}`

// An annotator labels by command, in the process and on a server; without an account, nothing is labeled.
func TestLabel_ByCommand(t *testing.T) {
	env := newTestEnv(t)
	env.newCommandsProject()
	env.execSQL(acknowledgeReading)
	env.checkContains(env.mustFail("label", "next"), "name it with --as")
	token := strings.TrimSpace(env.mustRunQuietly("token", "create", "--account", "anna@example.org", "--name", "mine",
		"--scope", "label"))
	server := startServeProcess(t, "--database-url", env.databaseURL)
	as := []string{"--as", "anna@example.org"}
	label := func(args ...string) string {
		t.Helper()
		return env.mustRun(append(append(as[:len(as):len(as)], "label"), args...)...)
	}
	var item api.OpenItem
	if err := json.Unmarshal([]byte(label("next")), &item); err != nil || item.Token == "" {
		t.Fatalf("%+v, %v", item, err)
	}
	answers := env.writeFile("answers.json", labelAnswers)
	env.checkContains(label("submit", "--draft", item.Token, answers), "Saved the draft. Next: labelwright label show "+item.Token)
	env.checkContains(label("ask", item.Token, "Does it count?"), "Asked.")
	env.checkContains(label("break"), "You are on a break")
	env.checkContains(env.mustFail(append(as, "label", "show", item.Token)...), "You are on a break")
	env.checkContains(label("break", "--end"), item.Token, "open")
	none := env.writeFile("none.json", `{"answers":{}}`)
	env.checkContains(env.mustFail(append(as, "label", "submit", item.Token, none)...), "Choose an answer.")
	env.checkContains(label("submit", item.Token, answers), "Submitted. Next: labelwright label")
	env.checkContains(label("report", item.Token, "I meant 4."), "Reported to the leads.")
	onServer := []string{"--server", server.baseURL, "--token-file", env.writeFile("token", token)}
	for _, command := range [][]string{{"label", "status"}, {"label", "next"}} {
		if code, out, err := runCommand(t, "", append(onServer, command...)...); code != exitOK ||
			out != env.mustRun(append(as, command...)...) {
			t.Errorf("%v: exit %d: %s %s", command, code, out, err)
		}
	}
}
