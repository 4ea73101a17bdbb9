package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// operationsByCommand are the operations of the API that do what a command does.
var operationsByCommand = map[string][]string{
	"user add":                 {"create-account", "create-accounts"},
	"user list":                {"list-accounts", "show-account"},
	"user role":                {"change-account"},
	"user address":             {"change-account"},
	"user disable":             {"change-account"},
	"user enable":              {"change-account"},
	"user reset":               {"invite-account"},
	"user export":              {"export-account"},
	"user erase":               {"erase-account"},
	"user reset-second-factor": {"reset-second-factor"},
	"protocol list":            {"list-protocols"},
	"protocol show":            {"show-protocol"},
	"protocol validate":        {"preview-protocol"},
	"protocol publish":         {"publish-protocol"},
	"protocol schema":          {"show-protocol-schema"},
	"project create":           {"create-project"},
	"project list":             {"list-projects", "show-project"},
	"project settings": {"change-project", "show-settings", "replace-settings", "show-description",
		"replace-description", "show-text-formats", "replace-text-formats"},
	"project erase":        {"erase-project"},
	"project archive":      {"archive-project", "unarchive-project"},
	"project take-version": {"show-versions", "take-version"},
	"member add":           {"add-member", "add-members"},
	"member invite":        {"invite-members"},
	"member role":          {"change-member"},
	"member remove":        {"remove-member", "preview-removal"},
	"member end":           {"end-work"},
	"member list":          {"list-members", "show-member"},
	"member hours":         {"list-hours"},
	"import":               {"import-items"},
	"item list":            {"list-items", "show-item", "stream-items"},
	"item note":            {"note-items"},
	"item tag":             {"tag-items"},
	"item archive":         {"archive-items"},
	"item erase":           {"erase-items"},
	"item restore":         {"restore-items"},
	"item calibrate":       {"calibrate-items"},
	"reference": {"import-references", "list-references", "show-reference", "set-reference",
		"remove-reference"},
	"calibration list":     {"list-calibrations"},
	"calibration override": {"override-calibration"},
	"calibration retake":   {"retake-calibration"},
	"correction list":      {"list-corrections"},
	"correction accept":    {"accept-correction"},
	"correction decline":   {"decline-correction"},
	"correction reopen":    {"reopen-item"},
	"skip list":            {"list-skips"},
	"label status":         {"show-work"},
	"label next":           {"open-next-item"},
	"label show":           {"show-open-item"},
	"label submit":         {"submit-label", "save-draft"},
	"label skip":           {"skip-item"},
	"label ask":            {"ask-lead"},
	"label report":         {"report-mistake"},
	"label undo":           {"undo-submit"},
	"label break":          {"start-break", "end-break"},
	"batch open":           {"preview-batch", "open-batch"},
	"batch change":         {"change-batch", "preview-change"},
	"batch close":          {"close-batch"},
	"batch reopen":         {"reopen-batch"},
	"batch archive":        {"archive-batch"},
	"batch compare":        {"compare-round"},
	"batch show":           {"show-batch"},
	"batch list":           {"list-batches"},
	"batch use-revision":   {"show-revision", "use-revision"},
	"inbox":                {"show-inbox"},
	"message list":         {"list-questions"},
	"message answer":       {"answer-question"},
	"announce":             {"announce", "list-announcements"},
	"adjudicate":           {"import-adjudications", "adjudicate", "show-adjudication", "list-adjudications"},
	"spot-check":           {"draw-spot-checks", "show-spot-checks"},
	"judge": {"submit-judgments", "list-judges", "list-work", "list-judgments", "stream-judgments",
		"get-next-labels", "show-report"},
	"sheet out": {"create-sheet"},
	"sheet in":  {"submit-sheet"},
	"report":    {"show-report"},
	"export": {"export-dataset", "show-export", "list-exports", "download-export", "cancel-export",
		"delete-export", "download-unblinding-key", "list-annotations"},
	"retention":             {"show-retention"},
	"audit list":            {"list-audit-log", "list-project-audit-log"},
	"token list":            {"show-token"},
	"webhook create":        {"create-webhook"},
	"webhook change":        {"change-webhook"},
	"webhook list":          {"list-webhooks", "show-webhook"},
	"webhook test":          {"test-webhook"},
	"webhook deliveries":    {"list-deliveries"},
	"webhook resend":        {"resend-delivery"},
	"webhook rotate-secret": {"rotate-webhook-secret"},
	"webhook disable":       {"disable-webhook"},
	"webhook enable":        {"enable-webhook"},
	"webhook delete":        {"delete-webhook"},
}

// onlyCommands have no operation, as the description of the API says: they need the machine of
// the server or no server at all, or make tokens.
var onlyCommands = []string{"demo", "serve", "migrate up", "migrate down", "migrate status", "migrate force",
	"audit verify", "backup", "restore", "check", "agree", "consensus", "plan",
	"token create", "token revoke", "completion", "version", "health"}

// What a command does, a program can do by API.
func TestCommands_HaveOperations(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../web/testdata/openapi.golden")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Info  struct{ Description string }
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for _, methods := range document.Paths {
		for _, op := range methods {
			described[op.OperationID] = true
		}
	}
	for _, leaf := range kong.Must(new(cli)).Model.Leaves(true) {
		command := strings.TrimPrefix(leaf.Path(), "labelwright ")
		operations := operationsByCommand[command]
		if slices.Contains(onlyCommands, command) {
			if name, _, _ := strings.Cut(command, " "); !strings.Contains(document.Info.Description, "`"+command+"`") &&
				!strings.Contains(document.Info.Description, "`"+name+"`") && name != "token" {
				t.Errorf("the description of the API does not say that %s is only a command", command)
			}
			continue
		}
		if len(operations) == 0 {
			t.Errorf("%s has no operation", command)
		}
		for _, id := range operations {
			if !described[id] {
				t.Errorf("%s: the API has no operation %s", command, id)
			}
		}
	}
	listed := slices.Concat(slices.Collect(maps.Values(operationsByCommand))...)
	for id := range described {
		if !slices.Contains(listed, id) {
			t.Errorf("no command does what %s does", id)
		}
	}
}
