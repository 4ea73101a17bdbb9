package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/web/api"
)

type messageCommand struct {
	List   messageList   `cmd:"" help:"List the unanswered questions of annotators."`
	Answer messageAnswer `cmd:"" help:"Answer a question of an annotator."`
}

type messageList struct {
	Project string `required:"" help:"Key of the project."`
	resultFlags
}

// Run prints the unanswered questions of a project.
func (m messageList) Run(c *cli, s streams, ctx runContext) error {
	in := api.ListQuestionsInput{ProjectPath: projectPath(m.Project)}
	return printAnswer(c, s, ctx, m.resultFlags, api.ListQuestions, in, func(list api.QuestionList) error {
		if len(list.Questions) == 0 {
			fmt.Fprintln(s.out, "No questions are waiting.")
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tASKED\tANNOTATOR\tBATCH\tITEM\tQUESTION")
		for _, q := range list.Questions {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%q\n", q.ID, formatMinute(q.CreatedAt), q.Annotator, q.Batch,
				q.Item, q.Message)
		}
		return table.Flush()
	})
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
	return c.withClient(ctx, func(client *api.Client) error {
		sent, err := api.AnswerQuestion.Call(ctx, client, api.AnswerQuestionInput{ProjectPath: projectPath(m.Project),
			Question: m.ID, Body: api.Answer{Answer: text}})
		if err != nil {
			return err
		}
		return m.show(s, sent, "Answer sent. Its annotator reads it before continuing.\n")
	})
}

type announceCommand struct {
	batchSelection
	Message string `arg:"" help:"The message; - reads it from standard input."`
	resultFlags
}

// Run sends a message to the annotators of a batch.
func (a announceCommand) Run(c *cli, s streams, ctx runContext) error {
	text, err := s.readMessage(a.Message)
	if err != nil {
		return err
	}
	return c.withClient(ctx, func(client *api.Client) error {
		sent, err := api.Announce.Call(ctx, client, api.BatchBody[api.NewAnnouncement]{BatchPath: a.path(),
			Body: api.NewAnnouncement{Message: text}})
		if err != nil {
			return err
		}
		return a.show(s, sent, "Announcement sent to %s. Annotators read it before they continue.\n",
			pluralize(len(sent.Announcements[0].Readers), "annotator"))
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
