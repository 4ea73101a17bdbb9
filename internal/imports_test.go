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

// allowedImports says which rooms of the house each room may know about. Commands,
// which wire the house, may know all.
var allowedImports = map[string]string{
	"migrations":               "",
	"internal":                 "",
	"internal/fault":           "",
	"internal/stats":           "",
	"internal/ratereffect":     "internal/stats",
	"internal/protocol":        "",
	"internal/account":         "internal/fault",
	"internal/project":         "internal/account internal/protocol internal/sequence internal/fault",
	"internal/sequence":        "internal/account internal/fault",
	"internal/labeling":        "internal/account internal/protocol internal/project internal/sequence internal/stats internal/fault",
	"internal/importer":        "internal/account internal/protocol internal/project internal/labeling internal/stats internal/fault",
	"internal/dataset":         "internal/protocol internal/project",
	"internal/report":          "internal/protocol internal/project internal/stats internal/ratereffect internal/fault",
	"internal/postgres":        "internal/account internal/protocol internal/project internal/sequence internal/labeling internal/importer internal/dataset internal/report internal/stats internal/fault migrations",
	"internal/postgres/local":  "",
	"internal/postgres/pgtest": "internal/postgres/local",
	"web/static":               "",
	"web/browsertest":          "",
	"web/htmltest":             "",
	"web/ui":                   "internal/account internal/stats web/static",
	"web/page":                 "internal/account internal/protocol internal/project internal/sequence internal/labeling internal/report internal/importer internal/dataset internal/stats internal/ratereffect internal/fault web/ui web/static",
	"web":                      "internal/account internal/protocol internal/project internal/sequence internal/labeling internal/report internal/importer internal/dataset internal/stats internal/fault internal/postgres web/page web/ui web/static",
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
		allowed, isListed := allowedImports[packages[0]]
		if !isListed {
			t.Errorf("%s is not a room of the house", packages[0])
		}
		for _, imported := range packages[1:] {
			if _, isInternal := allowedImports[imported]; isInternal && !slices.Contains(strings.Fields(allowed), imported) {
				t.Errorf("%s may not know %s", packages[0], imported)
			}
		}
	}
}

func TestPackages_NeverReadEnvironment(t *testing.T) {
	for _, root := range []string{".", "../web", "../migrations"} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "pgtest") || strings.Contains(path, "browsertest") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, call := range []string{"os.Getenv(", "os.LookupEnv(", "os.Environ("} {
				if strings.Contains(string(source), call) {
					t.Errorf("%s calls %s): only commands read the environment", path, call)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
