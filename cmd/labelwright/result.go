package main

import (
	"fmt"

	"github.com/labelwright/labelwright/web/api"
)

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

// printAnswer makes an operation, and prints its answer: as the JSON that the API has, or by text.
func printAnswer[I, B any](c *cli, s streams, ctx runContext, f resultFlags, operation api.Operation[I, B], in I,
	text func(B) error) error {
	return c.withClient(ctx, func(client *api.Client) error {
		answer, err := operation.Call(ctx, client, in)
		if err != nil || f.Format == "json" {
			return printUnless(err, s, answer)
		}
		return text(answer)
	})
}

// pageFlags select a part of a list.
type pageFlags struct {
	Limit  int    `default:"50" help:"Number of entries, up to 500."`
	Cursor string `placeholder:"CURSOR" help:"Where to continue: next_cursor of the page before."`
}

func (f pageFlags) params() api.PageParams { return api.PageParams{Cursor: f.Cursor, Limit: f.Limit} }

// printCursor says how to see the rest of a list, if there is more.
func printCursor(s streams, entries, cursor string) {
	if cursor != "" {
		fmt.Fprintf(s.out, "\nMore %s: --cursor %s\n", entries, cursor)
	}
}
