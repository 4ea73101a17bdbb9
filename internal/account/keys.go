package account

import (
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Command is an action of the labeling screen that a user can give another key.
type Command string

// The commands. The names are also those of web/static/shortcuts.mjs.
const (
	CommandNote        Command = "note"
	CommandEdgeCases   Command = "edge_cases"
	CommandGuide       Command = "guide"
	CommandAskLead     Command = "ask_lead"
	CommandBetween     Command = "between" // between two values, the lower one counts
	CommandSuggestions Command = "suggestions"
	CommandSupporting  Command = "supporting" // open or close the collapsed parts of the item
	CommandRawText     Command = "raw_text"
	CommandJudgedTurn  Command = "judged_turn"
	CommandColumns     Command = "columns"
	CommandCitation    Command = "citation" // the chunk of the next citation
	CommandFind        Command = "find"
	CommandShortcuts   Command = "shortcuts"
	CommandSkip        Command = "skip"
	CommandBreak       Command = "break"
	CommandUndo        Command = "undo" // of the last submit, where the project allows it
)

// DefaultKeys lists every command with its default key, in the order of forms.
var DefaultKeys = []struct {
	Command Command
	Key     string
}{
	{CommandNote, "n"},
	{CommandEdgeCases, "e"},
	{CommandGuide, "g"},
	{CommandAskLead, "q"},
	{CommandBetween, "u"},
	{CommandSuggestions, "f"},
	{CommandSkip, "s"},
	{CommandBreak, "b"},
	{CommandUndo, "z"},
	{CommandSupporting, "o"},
	{CommandRawText, "m"},
	{CommandJudgedTurn, "j"},
	{CommandColumns, "v"},
	{CommandCitation, "c"},
	{CommandFind, "/"},
	{CommandShortcuts, "?"},
}

// allowedKeys are the keys that a command can have. Digits are values.
const allowedKeys = "abcdefghijklmnopqrstuvwxyz/?.,;"

// Keys are the keys that a user changed, by command. Others have their default.
type Keys map[Command]string

// Of returns the key of a command.
func (k Keys) Of(c Command) string {
	if key := k[c]; key != "" {
		return key
	}
	for _, d := range DefaultKeys {
		if d.Command == c {
			return d.Key
		}
	}
	return ""
}

// All returns the key of every command.
func (k Keys) All() Keys {
	all := Keys{}
	for _, d := range DefaultKeys {
		all[d.Command] = k.Of(d.Command)
	}
	return all
}

// Field returns the name of the control with the key of c.
func (c Command) Field() string { return "key_" + string(c) }

// NormalizeKey returns a typed key as it is stored: letters are lower case.
func NormalizeKey(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// problems returns what is wrong with the keys: those that no command can have, and those
// that two commands have.
func (k Keys) problems() (problems []fault.FieldProblem) {
	usedBy := map[string]bool{}
	for _, d := range DefaultKeys {
		key := k.Of(d.Command)
		switch {
		case len(key) != 1 || !strings.Contains(allowedKeys, key):
			problems = append(problems, fault.FieldErrorf(d.Command.Field(),
				"“%s” cannot be a key. Use a letter from a to z, or one of / ? . , ;", key))
		case usedBy[key]:
			problems = append(problems, fault.FieldErrorf(d.Command.Field(),
				"Two actions have the key “%s”. Choose another one.", key))
		}
		usedBy[key] = true
	}
	return problems
}
