package internal

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowedImports lists the packages of this module that each package may
// import. Commands may import all of them.
var allowedImports = map[string]string{
	"migrations":                 "",
	"internal":                   "",
	"internal/fault":             "",
	"internal/require":           "",
	"internal/sentence":          "",
	"internal/plaintext":         "internal/fault",
	"internal/locale":            "internal/fault",
	"internal/stats":             "",
	"internal/stats/consensus":   "internal/stats",
	"internal/stats/judge":       "internal/stats",
	"internal/stats/mixed":       "internal/stats",
	"internal/ratereffect":       "internal/stats internal/stats/mixed",
	"internal/protocol":          "internal/plaintext",
	"internal/account":           "internal/fault internal/plaintext",
	"internal/backup":            "internal/fault",
	"internal/audit":             "internal/account internal/locale",
	"internal/project":           "internal/account internal/protocol internal/sequence internal/fault internal/locale internal/plaintext internal/stats",
	"internal/sequence":          "internal/account internal/fault",
	"internal/labeling":          "internal/account internal/locale internal/plaintext internal/protocol internal/project internal/sequence internal/stats internal/fault",
	"internal/mail":              "internal/account internal/locale",
	"internal/outbox":            "internal/account internal/labeling internal/locale internal/mail internal/postgres internal/webhook",
	"internal/importer":          "internal/account internal/protocol internal/project internal/labeling internal/stats internal/fault internal/plaintext internal/dataset",
	"internal/version":           "",
	"internal/oidc":              "internal/account internal/fault",
	"internal/passkey":           "internal/account internal/fault",
	"internal/webhook":           "internal/fault internal/plaintext",
	"internal/telemetry":         "internal/account",
	"internal/dataset":           "internal/protocol internal/project internal/plaintext internal/version internal/stats",
	"internal/postgres":          "internal/account internal/audit internal/backup internal/protocol internal/project internal/sequence internal/labeling internal/importer internal/dataset internal/ratereffect internal/report internal/report/study internal/report/agreement internal/report/comparison internal/report/prose internal/stats internal/stats/consensus internal/fault internal/locale internal/plaintext internal/telemetry internal/version internal/webhook migrations internal/report/consensus internal/report/judging internal/report/round",
	"internal/report":            "internal/protocol internal/project internal/report/study internal/report/agreement internal/report/comparison internal/stats internal/stats/comparison internal/stats/consensus internal/stats/judge internal/stats/mixed internal/ratereffect internal/fault internal/report/judging internal/report/consensus",
	"internal/report/comparison": "internal/fault internal/report/study internal/stats internal/stats/comparison internal/stats/mixed internal/protocol internal/project",
	"internal/report/study":      "internal/protocol internal/project internal/stats",
	"internal/report/consensus":  "internal/project internal/protocol internal/stats internal/stats/consensus",
	"internal/report/judging":    "internal/fault internal/project internal/protocol internal/stats internal/stats/judge internal/report/study",
	"internal/stats/comparison":  "internal/stats internal/stats/mixed",
	"internal/report/round":      "internal/project internal/protocol internal/report/study internal/stats",
	"internal/report/agreement":  "internal/project internal/protocol internal/stats internal/stats/mixed internal/report/study",
	"internal/report/prose":      "internal/locale internal/ratereffect internal/report internal/report/agreement internal/report/comparison internal/report/study internal/stats internal/stats/comparison internal/stats/judge internal/report/consensus internal/report/judging",
	"internal/report/fromexport": "internal/dataset internal/fault internal/project internal/protocol internal/report internal/report/study",
	"internal/postgres/local":    "",
	"internal/postgres/pgtest":   "internal/postgres/local",
	"web/static":                 "",
	"web/manual":                 "internal/protocol",
	"web/browsertest":            "internal/require",
	"web/htmltest":               "",
	"web/ui":                     "internal/account internal/locale internal/stats web/static",
	"web/itemtext":               "internal/locale internal/protocol",
	"web/page":                   "internal/account internal/audit internal/locale internal/protocol internal/project internal/sequence internal/labeling internal/report internal/report/study internal/report/agreement internal/report/comparison internal/report/prose internal/importer internal/dataset internal/stats internal/stats/consensus internal/ratereffect internal/fault internal/version internal/webhook web/itemtext web/manual web/ui web/static internal/stats/judge internal/report/consensus internal/report/judging internal/report/round",
	"web/problem":                "internal/fault internal/importer internal/locale internal/postgres internal/project internal/protocol",
	"web/api":                    "internal/account internal/audit internal/dataset internal/fault internal/importer internal/labeling internal/locale internal/plaintext internal/postgres internal/project internal/protocol internal/report internal/report/study internal/report/agreement internal/report/comparison internal/report/prose internal/stats internal/stats/consensus internal/webhook web/page web/problem internal/report/consensus internal/report/judging internal/report/round",
	"web":                        "web/api web/manual web/problem internal/mail internal/account internal/audit internal/locale internal/protocol internal/project internal/sequence internal/labeling internal/report internal/report/study internal/report/agreement internal/report/comparison internal/report/prose internal/importer internal/dataset internal/stats internal/stats/consensus internal/fault internal/oidc internal/passkey internal/plaintext internal/postgres internal/telemetry internal/webhook web/page web/ui web/static internal/report/consensus internal/report/judging internal/report/round",

	// programs that simulate studies
	"internal/stats/studies/ratereffect": "internal/ratereffect internal/stats internal/stats/studies/simulated",
	"internal/stats/studies/comparison":  "internal/stats internal/stats/comparison internal/stats/mixed internal/stats/studies/simulated",
	"internal/stats/studies/simulated":   "internal/stats",
	"internal/stats/studies/interval":    "internal/stats internal/stats/mixed internal/stats/studies/simulated",
	"internal/stats/studies/judge":       "internal/stats internal/stats/judge internal/stats/studies/simulated",
	"internal/stats/studies/verdict":     "internal/project internal/protocol internal/report/agreement internal/report/study internal/stats internal/stats/studies/simulated",
}

// allowedModules lists the other modules that each package may import. Only
// internal/postgres and below know the database driver.
var allowedModules = map[string]string{
	"internal/account":           "github.com/ccojocar/zxcvbn-go github.com/pquerna/otp golang.org/x/crypto",
	"internal/backup":            "filippo.io/age github.com/klauspost/compress",
	"internal/dataset":           "github.com/go-json-experiment/json github.com/klauspost/compress github.com/parquet-go/parquet-go",
	"internal/importer":          "github.com/andybalholm/brotli github.com/go-json-experiment/json github.com/klauspost/compress github.com/pierrec/lz4/v4 golang.org/x/text",
	"internal/mail":              "github.com/wneessen/go-mail",
	"internal/oidc":              "github.com/coreos/go-oidc/v3 golang.org/x/oauth2",
	"internal/passkey":           "github.com/go-webauthn/webauthn",
	"internal/plaintext":         "github.com/go-json-experiment/json",
	"internal/postgres":          "github.com/go-json-experiment/json github.com/jackc/pgx/v5 github.com/golang-migrate/migrate/v4 github.com/riverqueue/river golang.org/x/sync golang.org/x/text",
	"internal/postgres/local":    "github.com/jackc/pgx/v5",
	"internal/locale":            "go.yaml.in/yaml/v3 golang.org/x/text",
	"internal/postgres/pgtest":   "github.com/jackc/pgx/v5",
	"internal/project":           "golang.org/x/text",
	"internal/protocol":          "go.yaml.in/yaml/v3",
	"internal/report/fromexport": "github.com/go-json-experiment/json",
	"internal/telemetry":         "github.com/prometheus/client_golang",
	"web/api":                    "github.com/danielgtaylor/huma/v2 github.com/go-chi/chi/v5 github.com/go-chi/httprate",
	"web":                        "github.com/a-h/templ github.com/alexedwards/scs/v2 github.com/go-chi/chi/v5 github.com/go-chi/httprate github.com/klauspost/compress golang.org/x/sync",
	"web/browsertest":            "github.com/chromedp/cdproto github.com/chromedp/chromedp golang.org/x/sync",
	"web/htmltest":               "github.com/andybalholm/cascadia golang.org/x/net",
	"web/itemtext":               "github.com/microcosm-cc/bluemonday github.com/yuin/goldmark",
	"web/manual":                 "github.com/yuin/goldmark",
	"web/page":                   "github.com/a-h/templ github.com/boombuler/barcode github.com/yuin/goldmark",
	"web/ui":                     "github.com/a-h/templ",
}

func TestImports_AllowedOnly(t *testing.T) {
	const module = "github.com/labelwright/labelwright/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`,
		module+"internal/...", module+"web/...", module+"migrations").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		packages := strings.Fields(strings.ReplaceAll(line, module, ""))
		if _, isListed := allowedImports[packages[0]]; !isListed {
			t.Errorf("%s is missing from allowedImports", packages[0])
		}
		for _, imported := range packages[1:] {
			if !isAllowedImport(packages[0], imported) {
				t.Errorf("%s must not import %s", packages[0], imported)
			}
		}
	}
}

// isAllowedImport reports whether a package may import another: one of the
// standard library, of this module or of another module.
func isAllowedImport(from, imported string) bool {
	if _, isInternal := allowedImports[imported]; isInternal {
		return slices.Contains(strings.Fields(allowedImports[from]), imported)
	}
	if domain, _, _ := strings.Cut(imported, "/"); !strings.Contains(domain, ".") {
		return true
	}
	return slices.ContainsFunc(strings.Fields(allowedModules[from]), func(module string) bool {
		return imported == module || strings.HasPrefix(imported, module+"/")
	})
}

func TestPackages_NeverReadEnvironment(t *testing.T) {
	for _, root := range []string{".", "../web", "../migrations"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "pgtest") || strings.Contains(path, "browsertest") ||
				strings.Contains(path, "require") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, call := range []string{"os.Getenv(", "os.LookupEnv(", "os.Environ("} {
				if strings.Contains(string(source), call) {
					t.Errorf("%s calls %s): only commands may read the environment", path, call)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
