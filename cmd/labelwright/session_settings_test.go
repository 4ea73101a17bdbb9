package main

import (
	"strings"
	"testing"
)

func TestProjectSettings_Given_Stored(t *testing.T) {
	env := newTestEnv(t)
	env.mustRun("project", "create", "--key", "pilot", "--title", "Pilot", "--protocol", "rag-generation")
	env.checkContains(env.mustRun("project", "settings", "--project", "pilot", "--miss-policy", "retake",
		"--skip-policy", "drop", "--break-after-minutes", "45",
		"--daily-item-limit", "1200", "--session-limit-minutes", "0", "--share-calibration-scores", "true",
		"--allow-undo=false"), "share calibration      true", "allow undo             false",
		"miss policy            retake",
		"daily item limit       1,200", "session limit minutes  none")
	env.checkContains(env.mustRun("project", "settings", "--project", "pilot"), "skip policy            drop",
		"break after minutes    45")
	env.checkContains(env.mustRun("project", "settings", "--project", "pilot", "--text-format", "answer=text",
		"--text-format", "query=code"), "query=code, answer=text, context_set=text")
	env.checkContains(env.mustRun("project", "settings", "--project", "pilot", "--text-format", "answer=protocol"),
		"query=code, answer=markdown, context_set=text")
	if code, _, err := runCommand(t, "", "--database-url", env.databaseURL, "project", "settings", "--project", "pilot",
		"--daily-item-limit", "20000"); code != exitUsage || !strings.Contains(err, "daily_item_limit: expected number <= 10000") {
		t.Errorf("too high a limit: exit %d: %s", code, err)
	}
	if code, _, err := runCommand(t, "", "project", "settings", "--project", "pilot", "--miss-policy",
		"again"); code != exitUsage {
		t.Errorf("unknown policy: exit %d: %s", code, err)
	}
}
