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

// show prints the answer of an operation: as the JSON that the API has, or as text.
func (f resultFlags) show(s streams, answer any, text string, args ...any) error {
	if f.Format == "json" {
		return printJSON(s.out, answer)
	}
	_, err := fmt.Fprintf(s.out, text, args...)
	return err
}

// printUnless prints the answer of an operation as JSON, unless there was an error.
func printUnless(err error, s streams, answer any) error {
	if err != nil {
		return err
	}
	return printJSON(s.out, answer)
}
