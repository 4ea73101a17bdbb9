package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
)

type messageCommand struct {
	List   messageList   `cmd:"" help:"List the unanswered questions of annotators."`
	Answer messageAnswer `cmd:"" help:"Answer a question of an annotator."`
}

type messageList struct {
	Project string `required:"" help:"Key of the project."`
	Format  string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A questionEntry is a question in the JSON output.
type questionEntry struct {
	ID        labeling.QuestionID `json:"id"`
	Batch     string              `json:"batch"`
	Item      string              `json:"item"`
	Annotator string              `json:"annotator"`
	Message   string              `json:"message"`
	CreatedAt time.Time           `json:"created_at"`
}

// Run prints the unanswered questions of a project.
func (m messageList) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		questions, err := db.OpenQuestions(ctx, actor(ctx).ID, p.ID)
		if err != nil {
			return err
		}
		if m.Format == "json" {
			return printQuestionsJSON(s, questions)
		}
		if len(questions) == 0 {
			fmt.Fprintln(s.out, "No questions are waiting.")
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tASKED\tANNOTATOR\tBATCH\tITEM\tQUESTION")
		for _, q := range questions {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%q\n", q.ID, formatMinute(q.CreatedAt), q.Annotator, q.BatchName,
				q.SourceID, q.Message)
		}
		return table.Flush()
	})
}

func printQuestionsJSON(s streams, questions []postgres.Question) error {
	entries := make([]questionEntry, len(questions))
	for i, q := range questions {
		entries[i] = questionEntry{q.ID, q.BatchName, q.SourceID, q.Annotator, q.Message, q.CreatedAt}
	}
	return printJSON(s.out, map[string]any{"questions": entries})
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

type messageAnswer struct {
	Project string              `required:"" help:"Key of the project."`
	ID      labeling.QuestionID `arg:"" help:"Id of the question, from labelwright message list."`
	Answer  string              `arg:"" help:"The answer; - reads it from standard input."`
	resultFlags
}

// Run answers a question.
func (m messageAnswer) Run(c *cli, s streams, ctx runContext) error {
	text, err := s.readMessage(m.Answer)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), m.Project)
		if err != nil {
			return err
		}
		if err := db.AnswerQuestion(ctx, actor(ctx).ID, p, m.ID, text); err != nil {
			return err
		}
		return m.print(s, map[string]any{"project": p.Key, "id": m.ID},
			"Answer sent. Its annotator reads it before continuing.\n")
	})
}

type announceCommand struct {
	Project string `required:"" help:"Key of the project."`
	Batch   string `required:"" help:"Name of the batch."`
	Message string `arg:"" help:"The message; - reads it from standard input."`
	resultFlags
}

// Run sends a message to the annotators of a batch.
func (a announceCommand) Run(c *cli, s streams, ctx runContext) error {
	text, err := s.readMessage(a.Message)
	if err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), a.Project)
		if err != nil {
			return err
		}
		b, err := db.Batch(ctx, p.ID, a.Batch)
		if err != nil {
			return err
		}
		if err := db.Announce(ctx, actor(ctx).ID, p, b, text); err != nil {
			return err
		}
		return a.print(s, map[string]any{"project": p.Key, "batch": b.Name, "annotators": b.Annotators},
			"Announcement sent to %s. Annotators read it before they continue.\n", pluralize(b.Annotators, "annotator"))
	})
}

// maxMessageInput is more than any message may have.
const maxMessageInput = 64 << 10

// readMessage returns text, or standard input if it is "-".
func (s streams) readMessage(text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	content, err := io.ReadAll(io.LimitReader(s.in, maxMessageInput))
	return string(content), err
}
