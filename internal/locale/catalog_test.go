package locale_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/webhook"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/static"
)

// localized are the directories whose calls of T and Text name texts of the catalog.
var localized = []string{"../../web", "../audit", "../importer", "../project", "../labeling", "../locale", "../mail",
	"../outbox", "../report/prose", "../postgres/retention.go"}

// commandFaults are the directories and files with errors that only commands, the API and tests give.
var commandFaults = []string{"../backup/", "../dataset/", "../report/fromexport/", "../../web/api/",
	"../../web/browsertest/", "../postgres/adjudication_import.go", "../postgres/api_request.go",
	"../postgres/audit_data.go", "../postgres/audit_verify.go", "../postgres/erasure_ledger.go",
	"../postgres/migrate.go", "../postgres/restore.go", "../postgres/version.go"}

// sheetErrors are the files with errors in sheets, items and lists of users: each text that ends as a sentence.
var sheetErrors = []string{"../importer/builder.go", "../importer/csv.go", "../importer/csv_rows.go",
	"../importer/error.go", "../importer/file_type.go", "../importer/item_id.go", "../importer/jsonl.go",
	"../importer/message.go", "../importer/part.go", "../importer/record.go", "../importer/sheet.go",
	"../importer/sheet_answers.go", "../importer/user_list.go", "../postgres/sheet_submit.go"}

func TestCatalog_EveryTextInEveryLanguage(t *testing.T) {
	used := map[string]string{}
	for _, root := range localized {
		walkGo(t, root, func(path string, file *ast.File) { collectTexts(t, path, file, used) })
	}
	for _, root := range []string{"..", "../../web"} {
		walkGo(t, root, func(path string, file *ast.File) { collectFaults(t, path, file, used) })
	}
	for _, path := range sheetErrors {
		collectSentences(t, path, used)
	}
	collectOmissions(t, "../importer/omission.go", used)
	for _, text := range fixedTexts() {
		used[text] = "fixedTexts"
	}
	collectModuleTexts(t, used)
	english, german := locale.Entries("en"), locale.Entries("de")
	for key := range english {
		if used[key] == "" {
			t.Errorf("en.yaml: %q is not used", key)
		}
	}
	for key := range german {
		if used[key] == "" {
			t.Errorf("de.yaml: %q is not used", key)
		}
	}
	var missing []string
	for key, place := range used {
		if german[key] == nil {
			missing = append(missing, "# "+place+"\n"+strconv.Quote(key)+": ")
		}
		checkForms(t, "en.yaml", key, english[key])
		checkForms(t, "de.yaml", key, german[key])
		if _, hasPlural := english[key]["other"]; hasPlural && german[key] != nil && german[key]["other"] == "" {
			t.Errorf("de.yaml: %q lacks plural forms", key)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("de.yaml lacks %d texts:\n%s", len(missing), strings.Join(missing, "\n"))
	}
}

func TestOffered_MatchesAccountLanguages(t *testing.T) {
	t.Parallel()
	tags := []string{""}
	for _, l := range locale.Offered {
		tags = append(tags, l.Tag())
	}
	if !slices.Equal(tags, account.Languages) {
		t.Errorf("users can choose %q, and %q are offered", account.Languages, tags)
	}
}

// fixedTexts are the texts of the catalog that the program does not name in a call.
func fixedTexts() []string {
	texts := slices.Concat(account.PasswordRules, protocol.CommonMessages, []string{page.FilledMessage})
	for _, reason := range labeling.SkipReasons {
		texts = append(texts, reason.Text())
	}
	for _, reason := range []labeling.SkipReason{labeling.Unclear, labeling.InvalidOrUnrealistic} {
		texts = append(texts, reason.LeadText())
	}
	for _, cause := range labeling.DisagreementCauses {
		texts = append(texts, cause.Text())
	}
	for _, event := range append(webhook.EventTypes, webhook.Test) {
		texts = append(texts, event.Text())
	}
	for _, problem := range webhook.Problems {
		texts = append(texts, problem.Text())
	}
	for _, scope := range account.Scopes {
		texts = append(texts, scope.Text())
	}
	for _, limit := range []labeling.Limit{labeling.DailyLimit, labeling.SessionLimit} {
		texts = append(texts, limit.Text())
	}
	for _, kind := range []fault.Kind{fault.SignedOut, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Invalid,
		fault.TooLarge, fault.Limited, fault.Unavailable, fault.Internal} {
		texts = append(texts, kind.Text())
	}
	return texts
}

// plainPercent is a percent sign of a German text without the no-break space. Examples of input have none.
var plainPercent = regexp.MustCompile(`[^\x{a0}-]%%`)

var inputPercents = strings.NewReplacer("25%%", "", "20%%:", "")

// checkForms compares the verbs of a translation with those of the text.
func checkForms(t *testing.T, file, key string, forms map[string]string) {
	t.Helper()
	for category, form := range forms {
		if file == "de.yaml" && plainPercent.MatchString(inputPercents.Replace(form)) {
			t.Errorf("%s: %q has a percent sign without a no-break space", file, form)
		}
		want, got := sortedVerbs(key), sortedVerbs(form)
		if len(want) == 1 && category != "" && category != "other" { // may write the count as a word
			got = want
		}
		if form == "" || !slices.Equal(want, got) {
			t.Errorf("%s: %q: the verbs of %q differ", file, key, form)
		}
	}
}

var position = regexp.MustCompile(`\[\d+\]`)

func sortedVerbs(text string) (verbs []string) {
	for _, v := range locale.Verbs(text) {
		verbs = append(verbs, position.ReplaceAllString(v, ""))
	}
	slices.Sort(verbs)
	return verbs
}

func walkGo(t *testing.T, root string, visit func(path string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		visit(path, parseFile(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func parseFile(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// collectTexts adds the texts in calls of T and Text. T takes only literals.
func collectTexts(t *testing.T, path string, file *ast.File, used map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name := calledName(call)
		if _, isMethod := call.Fun.(*ast.SelectorExpr); name != "Text" && (name != "T" || !isMethod) {
			return true
		}
		text, isLiteral := literal(call.Args[0])
		switch {
		case isLiteral:
			used[text] = path
		case name == "T" && !strings.HasSuffix(path, "locale/locale.go") && !strings.HasSuffix(path, "prose/writer.go"):
			t.Errorf("%s: T takes a literal text; for others use Translate with a locale.Text", path)
		}
		return true
	})
}

// formatArguments is the position of the text in calls that make an error.
var formatArguments = map[string]int{"Errorf": 0, "WithText": 0, "FieldErrorf": 1, "checkText": 2, "checkAtMost": 2}

// collectFaults adds the formats of the errors in a file that users of pages can get.
func collectFaults(t *testing.T, path string, file *ast.File, used map[string]string) {
	if slices.ContainsFunc(commandFaults, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		position, isError := formatArguments[calledName(call)]
		f, isMethod := call.Fun.(*ast.SelectorExpr)
		if !isError || len(call.Args) <= position || isMethod && isNamed(f.X, "fmt") {
			return true
		}
		text, isLiteral := literal(call.Args[position])
		switch _, isParameter := call.Args[position].(*ast.Ident); {
		case isLiteral && text != "%s":
			used[text] = path
		case !isParameter && !strings.HasSuffix(path, "postgres/report_result.go"): // which stores texts
			t.Errorf("%s: the text of an error is no literal", path)
		}
		return true
	})
}

// collectSentences adds the texts in a file that end as a sentence.
func collectSentences(t *testing.T, path string, used map[string]string) {
	ast.Inspect(parseFile(t, path), func(n ast.Node) bool {
		if e, ok := n.(*ast.BasicLit); ok {
			if text, isText := literal(e); isText && strings.Contains(text, " ") && strings.HasSuffix(text, ".") &&
				!strings.HasPrefix(text, " ") { // the end of a message
				used[text] = path
			}
		}
		return true
	})
}

// collectOmissions adds the texts of what an import leaves out, and how it can be imported.
func collectOmissions(t *testing.T, path string, used map[string]string) {
	collectSentences(t, path, used)
	ast.Inspect(parseFile(t, path), func(n ast.Node) bool {
		if c, ok := n.(*ast.CompositeLit); ok && c.Type != nil && isNamed(c.Type, "omission") {
			text, isText := literal(c.Elts[0])
			if !isText {
				t.Errorf("%s: the text of an omission is no literal", path)
			}
			used[text] = path
		}
		return true
	})
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// literal returns the text of a string literal, or of literals joined by +.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		return left + right, isLeft && isRight
	}
	return "", false
}

// collectModuleTexts adds the texts that the scripts of pages show.
func collectModuleTexts(t *testing.T, used map[string]string) {
	paths, err := filepath.Glob("../../web/static/*.mjs")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		for _, text := range static.Texts(filepath.Base(path)) {
			used[text] = path
		}
	}
}
