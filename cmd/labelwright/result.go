package main

import "fmt"

// resultFlags are the flags of commands that report what they did.
type resultFlags struct {
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// print prints what a command did: the result as JSON, or a sentence.
func (f resultFlags) print(s streams, result map[string]any, sentence string, args ...any) error {
	if f.Format == "json" {
		return printJSON(s.out, result)
	}
	_, err := fmt.Fprintf(s.out, sentence, args...)
	return err
}
