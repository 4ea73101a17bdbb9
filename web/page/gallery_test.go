package page_test

import (
	"context"
	"io"
	"strconv"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/web/ui"
)

// around puts content where a piece has its children.
func around(piece templ.Component, content ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return piece.Render(templ.WithChildren(ctx, templ.Join(content...)), w)
	})
}

// gallery is a page that has every piece once.
func gallery() templ.Component {
	var rows []templ.Component
	for i, name := range []string{"Emotion recognition", "Validation and warmth", "Helpfulness"} {
		row := `<tr><th scope="row">` + name + `</th><td class="figure">0.` + strconv.Itoa(41+7*i) + `</td><td class="figure">` + strconv.Itoa(8+60*i) + `</td><td>go</td></tr>`
		rows = append(rows, templ.Raw(row))
	}
	wrong := []string{"There are only 9 people in this project."}
	return around(ui.Page(ui.Frame{Title: "Pieces", Visitor: annotator, Here: "/projects/x", Wide: true}),
		ui.Crumbs([]ui.Link{{Path: "/projects", Text: "Projects"}, {Path: "/projects/x", Text: "Pilot"}}),
		around(ui.Head("Every piece", "One sentence that says what one does here."), ui.Go(ui.Link{Path: "/x", Text: "Open a batch"}, ui.Main), ui.Go(ui.Link{Path: "/x", Text: "Import"}, ui.Plain)),
		ui.Complaints("Please look at these again.", []ui.Complaint{{At: "overlap", Says: "Overlap: there are only 9 people in this project."}, {Says: "items.csv:3:2: the response is empty."}}),
		around(ui.Notice(ui.Good, "The batch is open.")),
		around(ui.Empty("There are no items yet. Import a file to begin."), ui.Go(ui.Link{Path: "/x", Text: "Import items"}, ui.Main)),
		around(ui.Table("Agreement per field", []ui.Column{{Text: "Field"}, {Text: "κ", Unit: "linear", Figure: true}, {Text: "Shared", Unit: "items", Figure: true}, {Text: "Verdict"}}), rows...),
		ui.Progress("Items", 37, 160),
		ui.Terms([]ui.Term{{Name: "Protocol", Detail: "empathy v1.0"}, {Name: "Overlap", Detail: "2"}}),
		ui.Command("labelwright import --project pilot items.csv"),
		ui.Field(ui.Input{Name: "overlap", Label: "Overlap", Hint: "How many people label each item.", Type: "number", Value: "12", Min: "1", Max: "9", Problems: wrong}),
		ui.Area(ui.Input{Name: "why", Label: "Reason", Rows: 3, Limit: 500}),
		ui.Select(ui.Choice{Name: "protocol", Label: "Protocol", Options: []ui.Option{{Value: "a", Text: "Ambiguity"}, {Value: "e", Text: "Empathy", Chosen: true}}}),
		ui.Checks(ui.Choice{Name: "who", Label: "Who", Options: []ui.Option{{Value: "1", Text: "Ada", Hint: "40 items open"}, {Value: "2", Text: "Bo", Chosen: true}}}),
		ui.File(ui.Pick{Name: "file", Label: "Items", Hint: "CSV, JSONL or Parquet.", Accept: ".csv,.jsonl,.parquet"}),
		ui.Button(ui.Act{Path: "/x", Text: "Close the batch", Kind: ui.Danger, Hidden: []ui.Hidden{{Name: "batch", Value: "3"}}}),
	)
}
