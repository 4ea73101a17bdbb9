package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// An ImportResult is what an import stored.
type ImportResult struct {
	Items           int              `json:"items" doc:"Number of items that were added."`
	Ledger          *importer.Ledger `json:"ledger,omitempty" doc:"What became of each value of the file: shown to annotators, stored as an id or as metadata, or left out."`
	InvalidRows     []InvalidRow     `json:"invalid_rows,omitempty" doc:"Rows that were left out because of errors, with skip_invalid. At most 200; the page Imports has all of them."`
	AlreadyImported bool             `json:"already_imported" doc:"The same content was imported before, so nothing was added."`
}

// An InvalidRow is a row that was left out of an import.
type InvalidRow struct {
	Row     int    `json:"row" doc:"The line, or the number of the record."`
	Column  string `json:"column"`
	Message string `json:"message"`
}

// importFiles are the names of files of items by the type of the body: the importer knows their
// formats by the extension.
var importFiles = map[string]string{jsonLines: "items.jsonl", jsonLType: "items.jsonl", jsonType: "items.json",
	csvType: "items.csv", parquetType: "items.parquet"}

// importTypes are the types of bodies.
var importTypes = []string{jsonLines, jsonLType, jsonType, csvType, parquetType, AnyFile}

// An ImportInput is the input of ImportItems.
type ImportInput struct {
	ProjectPath
	FileParams
	Preset string   `query:"preset" enum:"anthropic,argilla,deepeval,huggingface,inspect,label-studio,langfuse,langsmith,mlflow,openai-chat,otel,phoenix,prodigy,promptfoo,ragas" doc:"The program that wrote the file. Ids of traces and spans become metadata."`
	Map    []string `query:"map,explode" maxItems:"100" doc:"COLUMN=PATH: where a column is in each record, such as answer=output.choices[0].message.content. Repeatable. A column that is mapped twice makes two items of each record, with one pair_id."`
	ReadingParams
}

// ReadingParams say how a file is read, except for the preset and the mapping.
type ReadingParams struct {
	Encoding    string `query:"encoding" doc:"Encoding of the text if it is not UTF-8, such as windows-1252."`
	Records     string `query:"records" doc:"Path of the list of records in a document, such as results.results."`
	GroupBy     string `query:"group_by" doc:"If each row is one message: the path of what the messages of one conversation share."`
	Take        string `query:"take" enum:"last,each" doc:"If the protocol shows one answer and a record has several turns or completions: last (the usual choice), or each as an item of its own."`
	SkipInvalid bool   `query:"skip_invalid" doc:"Leave out rows with errors instead of refusing the file."`
	Order       string `query:"order" doc:"Path of the number or time of a message, with group_by. Without it, messages stay in the order of the file."`
}

func (in ImportInput) reading() importer.Reading {
	return importer.Reading{Preset: in.Preset, Mapping: strings.Join(in.Map, "\n"), Encoding: in.Encoding,
		Records: in.Records, GroupBy: in.GroupBy, Order: in.Order, Take: in.Take, SkipInvalid: in.SkipInvalid}
}

// ImportItems imports a file of items.
var ImportItems = Upload[ImportInput, ImportResult]{endpoint{id: "import-items", method: http.MethodPost,
	path: "/projects/{project}/items", tag: "Items", scope: account.ScopeManage, summary: "Import items",
	text: "The body is a file of items: one JSON object per line, JSON, CSV with a header, or Parquet. An item has the parts of the protocol (see show-protocol for their kinds), optionally `id` and `record_id`, and any other fields, which are metadata that annotators do not see: " +
		"`{\"id\":\"r1\",\"query\":\"…\",\"answer\":\"…\",\"model\":\"b\"}`. " +
		"All items are imported or none. The same body again adds nothing. Up to 50 MiB."},
	fileBody{"The items.", importTypes}, receiveItems}

func receiveItems(ctx context.Context, a *API, e endpoint, in *ImportInput) (*writeOutput[ImportResult], error) {
	options, err := in.reading().Options()
	if err != nil {
		return nil, a.toProblem(ctx, err)
	}
	c := callerFrom(ctx)
	release, err := a.startImport(c)
	if err != nil {
		return nil, a.toProblem(ctx, err)
	}
	defer release()
	body, err := a.openBody(ctx, importLimit, importTypes...)
	if err != nil {
		return nil, a.toProblem(ctx, err)
	}
	defer body.release()
	name := importFiles[body.kind]
	if body.kind == AnyFile {
		name = cmp.Or(in.File, "items") // which the importer refuses: it needs an extension
	}
	token, err := a.DB.ReceiveUpload(ctx, c.id(), c.project, name, body)
	if err != nil {
		return nil, a.toProblem(ctx, err)
	}
	defer func() {
		if err := a.DB.DeleteUpload(ctx, c.id(), token); err != nil {
			a.Log.WarnContext(ctx, "upload not deleted", "error", postgres.Redact(err))
		}
	}()
	sent := fmt.Appendf(body.sum(), " %s %s %+v", body.kind, name, in.reading())
	return runOnce(ctx, a, e, sent, func() (ImportResult, error) { return a.importUpload(ctx, c, token, options) })
}

// startImport makes imports of an account into a project wait for each other: an account has
// one upload in a project.
func (a *API) startImport(c caller) (release func(), err error) {
	type importKey struct {
		accountID account.ID
		projectID project.ID
	}
	key := importKey{c.id(), c.project.ID}
	if _, isRunning := a.importing.LoadOrStore(key, true); isRunning {
		return nil, fault.Unavailable.Errorf(
			"Another import of this account into the project is running. Wait until it is done.")
	}
	return func() { a.importing.Delete(key) }, nil
}

func (a *API) importUpload(ctx context.Context, c caller, token string, options importer.Options) (ImportResult,
	error) {
	if err := a.DB.ReadUpload(ctx, c.Account, c.project, token, options, nil); err != nil {
		return ImportResult{}, err
	}
	previews, err := a.DB.PreviewUpload(ctx, c.Account, c.project, token)
	if err != nil {
		return ImportResult{}, err
	}
	err = a.DB.ImportUpload(ctx, c.Account, c.project, token)
	if errors.Is(err, postgres.ErrAlreadyImported) {
		return ImportResult{AlreadyImported: true}, nil
	}
	if duplicates, ok := errors.AsType[postgres.DuplicateIDsError](err); ok {
		return ImportResult{}, fault.Conflict.Errorf("%s", duplicates.Error())
	}
	if errors.Is(err, fault.NotFound) {
		return ImportResult{}, fault.Conflict.Errorf(
			"The account uploaded another file to this project at the same time. Nothing was imported. Try again.")
	}
	result := ImportResult{Items: previews[0].ItemCount, Ledger: &previews[0].Ledger}
	for _, e := range previews[0].InvalidRows {
		result.InvalidRows = append(result.InvalidRows, InvalidRow{e.Row, e.Column, e.Message})
	}
	return result, err
}
