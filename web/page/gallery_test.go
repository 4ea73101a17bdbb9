package page_test

import (
	"context"
	"io"
	"strconv"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/web/ui"
)

// withChildren renders a component with content as its children.
func withChildren(component templ.Component, content ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return component.Render(templ.WithChildren(ctx, templ.Join(content...)), w)
	})
}

// componentGallery is a page with every component.
func componentGallery() templ.Component {
	var rows []templ.Component
	for i, name := range []string{"Emotion recognition", "Validation and warmth", "Helpfulness"} {
		row := `<tr><th scope="row">` + name + `</th><td class="numeric">0.` + strconv.Itoa(41+7*i) +
			`</td><td class="numeric">` + strconv.Itoa(8+60*i) + `</td><td>go</td></tr>`
		rows = append(rows, templ.Raw(row))
	}
	errs := []string{"This project has only 9 annotators."}
	return withChildren(ui.Page(ui.Frame{Title: "Components", User: annotator, CurrentPath: "/projects/x"}),
		ui.Breadcrumbs([]ui.Link{{Path: "/projects", Text: "Projects"}, {Path: "/projects/x", Text: "Pilot"}}),
		withChildren(ui.PageHeading("Components", "One sentence about the page."),
			ui.LinkButton(ui.Link{Path: "/x", Text: "Open a batch"}, ui.Primary),
			ui.LinkButton(ui.Link{Path: "/x", Text: "Import"}, ui.Plain)),
		ui.ErrorSummary("Batch not opened. Fix the following:",
			[]ui.FieldError{{FieldID: "overlap", Message: "Overlap: this project has only 9 annotators."},
				{Message: "items.csv:3:2: the response is empty."}}),
		withChildren(ui.Notice(ui.Success, "The batch is open.")),
		withChildren(ui.EmptyState("This project has no items yet. Import a file."),
			ui.LinkButton(ui.Link{Path: "/x", Text: "Import items"}, ui.Primary)),
		withChildren(ui.Table("Agreement per field", []ui.Column{{Text: "Field"}, {Text: "κ", Unit: "linear",
			Numeric: true}, {Text: "Shared", Unit: "items", Numeric: true}, {Text: "Verdict"}}), rows...),
		ui.Progress("Items", 37, 160),
		ui.SummaryList([]ui.SummaryRow{{Label: "Protocol", Value: "empathy v1.0"}, {Label: "Overlap", Value: "2"}}),
		ui.Command("labelwright import --project pilot items.csv"),
		ui.Field(ui.Input{Name: "overlap", Label: "Overlap", Hint: "How many annotators label each item.",
			Type: "number", Value: "12", Min: "1", Max: "9", Errors: errs}),
		ui.TextArea(ui.Input{Name: "reason", Label: "Reason", Rows: 3, MaxLength: 500}),
		ui.Select(ui.Choice{Name: "protocol", Label: "Protocol", Options: []ui.Option{{Value: "a", Text: "Ambiguity"},
			{Value: "e", Text: "Empathy", Chosen: true}}}),
		ui.Checkboxes(ui.Choice{Name: "who", Label: "Annotators", Options: []ui.Option{{Value: "1", Text: "Ada",
			Hint: "40 items open"}, {Value: "2", Text: "Bo", Chosen: true}}}),
		ui.FileField(ui.FileInput{Name: "file", Label: "Items", Hint: "CSV, JSONL or Parquet.",
			Accept: ".csv,.jsonl,.parquet"}),
		ui.Button(ui.Action{Path: "/x", Text: "Close the batch", Variant: ui.Danger,
			Hidden: []ui.HiddenField{{Name: "batch", Value: "3"}}}),
	)
}
