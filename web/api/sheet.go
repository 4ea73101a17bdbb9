package api

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
)

// A Sheet is the files of an annotator who labels in a spreadsheet.
type Sheet struct {
	Annotator    string    `json:"annotator" doc:"Pseudonym."`
	Rows         int       `json:"rows"`
	Remaining    int       `json:"remaining" doc:"Items that wait for the next sheet."`
	Annotations  SheetFile `json:"annotations" doc:"To fill in and submit."`
	Context      SheetFile `json:"context" doc:"The texts."`
	ContextLines SheetFile `json:"context_lines" doc:"The texts as JSON lines."`
}

// A SheetFile is a file of a sheet.
type SheetFile struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// A SheetResult is what a submitted sheet stored.
type SheetResult struct {
	Submitted int `json:"submitted" doc:"Rows."`
	Unchanged int `json:"unchanged" doc:"Rows that were submitted before with the same answers."`
}

// A SheetPath is the input of an operation on the sheets of an annotator.
type SheetPath struct {
	BatchPath
	Member string `path:"member" maxLength:"254" doc:"Pseudonym or email address of the annotator." example:"a-k3v9q2xw"`
}

// A SheetInput is the input of SubmitSheet.
type SheetInput struct {
	SheetPath
	DryRun bool `query:"dry_run" doc:"Check the sheet like a submitted one, and store nothing."`
}

// The operations on sheets.
var (
	CreateSheet = newWrite(endpoint{id: "create-sheet", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/sheets/{member}", tag: "Sheets", scope: account.ScopeManage,
		status: http.StatusCreated, summary: "Make the sheets of an annotator",
		text: "Of a planned batch, with up to 1,000 items that wait. The annotator signs in and acknowledges the required reading before. Until something changes, a sheet that is made again is the same."},
		createSheet)

	SubmitSheet = newUpload(endpoint{id: "submit-sheet", method: http.MethodPost,
		path: "/projects/{project}/batches/{batch}/sheets/{member}/submit", tag: "Sheets", scope: account.ScopeManage,
		summary: "Submit a filled annotation sheet",
		text:    "The body is the CSV file. All rows are submitted or none; `errors` of a 422 has each by row and column. The same sheet again changes nothing. Up to 8 MiB."},
		fileBody{"The annotation sheet.", []string{csvType, AnyFile}}, submitSheet)
)

func createSheet(ctx context.Context, a *API, c caller, in *SheetPath) (Sheet, error) {
	owner, err := a.DB.SheetOwner(ctx, c.id(), c.project, in.Batch, in.Member)
	if err != nil {
		return Sheet{}, err
	}
	made, err := a.DB.CreateSheet(ctx, c.id(), owner.BatchID, owner.AccountID)
	if err != nil {
		return Sheet{}, err
	}
	sheet := Sheet{Annotator: made.Annotator, Rows: len(made.Rows), Remaining: made.Remaining}
	sheet.Context.Name, sheet.ContextLines.Name, sheet.Annotations.Name = made.FileNames()
	var annotations, texts, lines strings.Builder
	if err = made.WriteAnnotations(&annotations); err == nil {
		err = made.WriteContext(&texts)
	}
	if err == nil {
		err = made.WriteContextJSONL(&lines)
	}
	sheet.Annotations.Content, sheet.Context.Content, sheet.ContextLines.Content = annotations.String(), texts.String(),
		lines.String()
	return sheet, err
}

func submitSheet(ctx context.Context, a *API, c caller, in *SheetInput, file uploadedFile) (SheetResult, error) {
	owner, err := a.DB.SheetOwner(ctx, c.id(), c.project, in.Batch, in.Member)
	if err != nil {
		return SheetResult{}, err
	}
	_, _, name := dataset.Sheet{Project: c.project.Key, Batch: owner.BatchID, Annotator: owner.Pseudonym}.FileNames()
	result, err := a.DB.SubmitSheet(ctx, c.id(), owner.BatchID, owner.AccountID, postgres.SheetFile{Name: name,
		Content: bytes.NewReader(file.content), IsTrial: in.DryRun})
	return SheetResult(result), err
}
