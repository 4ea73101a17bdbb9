package page_test

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// importPages are the pages of an import in all their states.
func importPages(t testing.TB, lead ui.User) map[string]templ.Component {
	t.Helper()
	p := project.Project{Key: "pilot", Title: "Pilot", Protocol: builtinProtocol(t, "empathy")}
	rag := project.Project{Key: "answers", Title: "Pilot", Protocol: builtinProtocol(t, "rag-generation")}
	ledger := importer.Ledger{Records: 3, Invalid: 2,
		Keys: []importer.LedgerKey{{Key: "⟦response⟧", Shown: 3}, {Key: "⟦model⟧", Metadata: 3}, {Key: "⟦x⟧",
			LeftOut: 1}},
		LeftOut: []importer.ImportOmission{
			{What: "messages with the role “user” that no item shows", Count: 2, Name: "user",
				Template: "messages with the role “%s” that no item shows",
				Remedy:   "To label them, take each answer as an item, or use a protocol that shows conversations."},
			{What: "values outside the records", Count: 1, Template: "values outside the records"}}}
	outline := importer.Outline{Lists: []importer.RecordList{{Path: "⟦rows⟧", Count: 3}},
		Record: []importer.PathNode{{Key: "response", Path: "⟦response⟧", Value: "Hello"}}}
	preview := page.ImportPreviewData{User: lead, Project: p, File: "⟦a.csv⟧", ItemCount: 3,
		Targets: []page.ImportTarget{{Project: p, ItemCount: 3}, {Project: rag, ItemCount: 1,
			RefusalMessage: "⟦These items are here.⟧"}},
		Items: []project.Item{{SourceID: "q1", Content: newLabelData(t, "empathy").Content}},
		PersonalData: []project.PersonalDataMatch{{Kind: project.EmailAddress, Items: 9, Count: 12, Rows: []int{1, 3}},
			{Kind: project.PhoneNumber, Items: 1, Count: 1}},
		Ledger: ledger, SameTexts: 1, Decomposed: 2, Outline: outline,
		Reading: importer.Reading{Preset: "langfuse", SkipInvalid: true}}
	refused := page.ImportPreviewData{User: lead, Project: p, File: "⟦a.csv⟧", Outline: outline,
		FileErrors: importer.FileErrors{
			{File: "a.csv", Row: 3, Message: "The file is empty. Use a file with at least one row.",
				Format: "The file is empty. Use a file with at least one row."},
			{File: "a.csv", Row: 1033, Column: "response", Message: "A message of the importer that stays English."}}}
	reading := page.ImportPreviewData{User: lead, Project: p, File: "⟦a.csv⟧", Problem: "⟦Stopped.⟧", Outline: outline}
	return map[string]templ.Component{
		"/lead/import": page.Import(page.ImportData{User: lead, Project: p, IsNew: true,
			UnfinishedFile: "⟦a.csv⟧", UnfinishedPercent: 40}),
		"/lead/import-rag": page.Import(page.ImportData{User: lead, Project: rag, IsNew: true,
			Targets: []ui.Option{{Value: "pilot", Text: "Pilot", Chosen: true}}}),
		"/lead/import-preview": page.ImportPreview(preview),
		"/lead/import-errors":  page.ImportPreview(refused),
		"/lead/import-reading": page.ImportPreview(reading),
		"/lead/import-task":    page.ImportTask(page.ImportTaskData{User: lead, Project: p, Done: 1 << 20, Total: 1 << 24}),
		"/lead/imports": page.Imports(page.ImportsData{User: lead, Project: p, Imports: []page.ImportEntry{
			{ID: 1, FileName: "a.csv", ItemCount: 3, Ledger: ledger, HasInvalidRows: true}}}),
		"/lead/imports-none": page.Imports(page.ImportsData{User: lead, Project: p}),
	}
}
