package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// completionScripts ask "labelwright complete" for the words that can come next.
var completionScripts = map[string]string{
	"bash": `_labelwright() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t COMPREPLY < <(labelwright complete -- "${words[@]}" 2>/dev/null)
}
complete -o default -F _labelwright labelwright
`,
	"zsh": `#compdef labelwright
_labelwright() {
  local -a candidates
  candidates=("${(@f)$(labelwright complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${candidates[1]}" ]]; then compadd -- "${candidates[@]}"; else _files; fi
}
compdef _labelwright labelwright
`,
	"fish": `function __labelwright_complete
  set -l words (commandline -opc) (commandline -ct)
  labelwright complete -- $words[2..-1] 2>/dev/null
end
complete -c labelwright -a '(__labelwright_complete)'
`,
}

// Run prints the script.
func (c completionCommand) Run(s streams) error {
	_, err := fmt.Fprint(s.out, completionScripts[c.Shell])
	return err
}

// completeCommand prints the words that can replace the last one of a command line. The scripts
// of the shells call it.
type completeCommand struct {
	Words []string `arg:"" optional:"" help:"Words after labelwright, up to the cursor."`
}

// Run prints the words, one per line.
func (c completeCommand) Run(k *kong.Context, s streams) error {
	for _, word := range completeWords(k.Model.Node, c.Words) {
		if _, err := fmt.Fprintln(s.out, word); err != nil {
			return err
		}
	}
	return nil
}

// completeWords returns the words that can replace the last word: commands, flags, and values
// of flags and arguments with few values.
func completeWords(node *kong.Node, words []string) []string {
	last := ""
	if len(words) > 0 {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	var flag *kong.Flag // that wants a value
	arguments := 0
	for _, word := range words {
		switch child := findCommand(node, word); {
		case flag != nil:
			flag = nil
		case strings.HasPrefix(word, "-"):
			flag = findFlag(node, word)
		case child != nil && arguments == 0:
			node = child
		default:
			arguments++
		}
	}
	name, value, hasValue := strings.Cut(last, "=")
	switch {
	case flag != nil:
		return matching(flag.EnumSlice(), last, "")
	case hasValue && strings.HasPrefix(name, "--"):
		if flag = findFlag(node, name); flag == nil {
			return nil
		}
		return matching(flag.EnumSlice(), value, name+"=")
	case strings.HasPrefix(last, "-"):
		return matching(flagNames(node), last, "")
	}
	return matching(slices.Concat(commandNames(node), argumentValues(node, arguments)), last, "")
}

// matching returns the words that start with a prefix, sorted, with another text before each.
func matching(words []string, prefix, before string) (found []string) {
	for _, word := range words {
		if word != "" && strings.HasPrefix(word, prefix) {
			found = append(found, before+word)
		}
	}
	slices.Sort(found)
	return found
}

func findCommand(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

func commandNames(node *kong.Node) (names []string) {
	for _, child := range node.Children {
		if !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}

// findFlag returns the flag that a word such as --format names, if its value is another word.
func findFlag(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, flag := range group {
			if "--"+flag.Name == word && !flag.IsBool() && !flag.IsCounter() {
				return flag
			}
		}
	}
	return nil
}

func flagNames(node *kong.Node) (names []string) {
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			names = append(names, "--"+flag.Name)
		}
	}
	return names
}

// argumentValues returns the values of the next argument, if they are few.
func argumentValues(node *kong.Node, given int) []string {
	if given < len(node.Positional) {
		return node.Positional[given].EnumSlice()
	}
	return nil
}
