package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/api"
)

// labelCommand does what an annotator does on the labeling page.
type labelCommand struct {
	Status labelStatus `cmd:"" help:"Show what to label next."`
	Next   labelNext   `cmd:"" help:"Open the next item, and print it."`
	Show   labelShow   `cmd:"" help:"Print an open item."`
	Submit labelSubmit `cmd:"" help:"Submit the label of an open item, or save it as a draft."`
	Skip   labelSkip   `cmd:"" help:"Skip an open item."`
	Ask    labelAsk    `cmd:"" help:"Ask the leads about an open item."`
	Report labelReport `cmd:"" help:"Report a mistake in a submitted item."`
	Undo   labelUndo   `cmd:"" help:"Take back the last submit."`
	Break  labelBreak  `cmd:"" help:"Start a break, or end it."`
}

// batchNumber is the flag of commands on one of the annotator's batches.
type batchNumber struct {
	Batch project.BatchID `placeholder:"NUMBER" help:"Number of the batch, from labelwright label status. Default: any."`
}

func (b batchNumber) body() api.BodyInput[api.BatchChoice] {
	return api.BodyInput[api.BatchChoice]{Body: api.BatchChoice{Batch: b.Batch}}
}

// openItem is the argument of commands on an item.
type openItem struct {
	Token string `arg:"" help:"Token of the item, from labelwright label status or next."`
}

func (i openItem) path() api.OpenItemPath { return api.OpenItemPath{Token: i.Token} }

type labelStatus struct{ resultFlags }

// Run prints the batches of the annotator.
func (l labelStatus) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.ShowWork, api.NoInput{}, func(w api.AnnotatorWork) error {
		return printWork(s, w)
	})
}

func printWork(s streams, w api.AnnotatorWork) error {
	if w.OnBreak {
		fmt.Fprintln(s.out, "You are on a break. Continue with: labelwright label break --end")
	}
	if w.HasUnreadMessages {
		fmt.Fprintln(s.out, "You have messages. Read them on the page Work first.")
	}
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "BATCH\tPROJECT\tCOMPLETED\tOF\tOPEN ITEM\tSTATUS")
	for _, b := range w.Batches {
		fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%s\t%s\n", b.Batch, b.Project, b.CompletedItems, b.ExpectedItems, b.Open,
			batchWorkStatus(b))
	}
	return table.Flush()
}

func batchWorkStatus(b api.OwnBatch) string {
	switch {
	case b.Open != "":
		return "open"
	case b.NeedsCalibrationReview:
		return "review your calibration result on the page Work"
	case b.Limit != labeling.NoLimit:
		return "limit of the " + string(b.Limit) + " reached"
	case b.Paused:
		return "paused"
	case !b.HasMore:
		return "finished"
	}
	return "ready"
}

type labelNext struct {
	batchNumber
	resultFlags
}

// Run opens the next item and prints it, or what prevents it.
func (l labelNext) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		next, err := api.OpenNextItem.Call(ctx, client, l.body())
		if err != nil {
			return err
		}
		if next.Next != "" {
			return labelShow{openItem{next.Next}}.print(s, ctx, client)
		}
		w, err := api.ShowWork.Call(ctx, client, api.NoInput{})
		if err != nil || l.Format == "json" {
			return printUnless(err, s, w)
		}
		return printWork(s, w)
	})
}

type labelShow struct{ openItem }

// Run prints an item as JSON.
func (l labelShow) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error { return l.print(s, ctx, client) })
}

func (l labelShow) print(s streams, ctx runContext, client *api.Client) error {
	item, err := api.ShowOpenItem.Call(ctx, client, l.path())
	return printUnless(err, s, item)
}

// maxAnswersInput is more than the answers to an item may have.
const maxAnswersInput = 1 << 20

type labelSubmit struct {
	openItem
	File  string `arg:"" help:"JSON with the answers, such as {\"answers\":{\"helpful\":1},\"note\":\"Why.\"}; - reads standard input."`
	Draft bool   `help:"Save the answers as a draft."`
	resultFlags
}

// Run submits a label, or saves its draft.
func (l labelSubmit) Run(c *cli, s streams, ctx runContext) error {
	file, err := s.open(l.File)
	if err != nil {
		return err
	}
	defer file.Close()
	in := api.OpenItemBody[api.LabelBody]{OpenItemPath: l.path()}
	if err := json.NewDecoder(io.LimitReader(file, maxAnswersInput)).Decode(&in.Body); err != nil {
		return fmt.Errorf("%s is not JSON with answers: %w", l.File, err)
	}
	operation, done := api.SubmitLabel, "Submitted."
	if l.Draft {
		operation, done = api.SaveDraft, "Saved the draft."
	}
	return printAnswer(c, s, ctx, l.resultFlags, operation, in, func(n api.NextItem) error {
		return printNextItem(s, done, n)
	})
}

// printNextItem prints what a command did, and the item that follows.
func printNextItem(s streams, text string, n api.NextItem) error {
	next := "labelwright label status"
	if n.Next != "" {
		next = "labelwright label show " + n.Next
	}
	_, err := fmt.Fprintf(s.out, "%s Next: %s\n", text, next)
	return err
}

type labelSkip struct {
	openItem
	Reason  labeling.SkipReason `required:"" enum:"unclear,invalid_or_unrealistic,outside_expertise,distressing" help:"Why: unclear, invalid_or_unrealistic, outside_expertise or distressing. Leads cannot tell the last two apart."`
	Comment string              `help:"What is wrong with the item. Needed for the first two reasons."`
	resultFlags
}

// Run skips an item.
func (l labelSkip) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.SkipItem, api.OpenItemBody[api.NewSkip]{OpenItemPath: l.path(),
		Body: api.NewSkip{Reason: l.Reason, Comment: l.Comment}}, func(n api.NextItem) error {
		return printNextItem(s, "Skipped.", n)
	})
}

type labelAsk struct {
	openItem
	Message string `arg:"" help:"Question; - reads it from standard input."`
	resultFlags
}

// Run asks the leads about an item.
func (l labelAsk) Run(c *cli, s streams, ctx runContext) error {
	message, err := s.readMessage(l.Message)
	if err != nil {
		return err
	}
	return printAnswer(c, s, ctx, l.resultFlags, api.AskLead, api.OpenItemBody[api.QuestionBody]{
		OpenItemPath: l.path(), Body: api.QuestionBody{Message: message}}, func(n api.NextItem) error {
		return printNextItem(s, "Asked.", n)
	})
}

type labelReport struct{ labelAsk }

// Run reports a mistake.
func (l labelReport) Run(c *cli, s streams, ctx runContext) error {
	message, err := s.readMessage(l.Message)
	if err != nil {
		return err
	}
	return printAnswer(c, s, ctx, l.resultFlags, api.ReportMistake, api.OpenItemBody[api.QuestionBody]{
		OpenItemPath: l.path(), Body: api.QuestionBody{Message: message}}, func(w api.AnnotatorWork) error {
		fmt.Fprintln(s.out, "Reported to the leads.")
		return printWork(s, w)
	})
}

type labelUndo struct {
	Batch project.BatchID `required:"" placeholder:"NUMBER" help:"Number of the batch, from labelwright label status."`
	Open  string          `placeholder:"TOKEN" help:"Token of the item that is open now, if there is one."`
	resultFlags
}

// Run takes back the last submit.
func (l labelUndo) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.UndoSubmit, api.BodyInput[api.Undo]{Body: api.Undo{Batch: l.Batch,
		Open: l.Open}}, func(n api.NextItem) error {
		return printNextItem(s, "Took back the last submit.", n)
	})
}

type labelBreak struct {
	batchNumber
	End bool `help:"End the break."`
	resultFlags
}

// Run starts or ends a break.
func (l labelBreak) Run(c *cli, s streams, ctx runContext) error {
	print := func(w api.AnnotatorWork) error { return printWork(s, w) }
	if l.End {
		return printAnswer(c, s, ctx, l.resultFlags, api.EndBreak, api.NoInput{}, print)
	}
	return printAnswer(c, s, ctx, l.resultFlags, api.StartBreak, l.body(), print)
}
