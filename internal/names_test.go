package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// domainPackages share one vocabulary: a bare type name has one meaning in all.
var domainPackages = []string{"account", "dataset", "fault", "importer", "labeling", "project", "protocol",
	"ratereffect", "report", "sequence", "stats", "webhook"}

// sharedNames are type names that Go idiom repeats: each is qualified by its package.
var sharedNames = map[string]bool{"ID": true}

func TestTypeNames_OneMeaningAcrossPackages(t *testing.T) {
	owner := map[string]string{}
	for _, name := range domainPackages {
		for _, file := range parseDir(t, name) {
			for _, d := range file.Decls {
				for _, typeName := range exportedTypes(d) {
					if other := owner[typeName]; other != "" && other != name && !sharedNames[typeName] {
						t.Errorf("%s.%s and %s.%s: give one of them a qualified name", other, typeName, name, typeName)
					}
					owner[typeName] = name
				}
			}
		}
	}
}

// TestIDs_CannotBeSwapped holds that no function takes two int64 parameters in
// a row: ids have types of their own.
func TestIDs_CannotBeSwapped(t *testing.T) {
	for _, dir := range []string{".", "../web", "../cmd"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			for name, file := range parseDir(t, path) {
				checkParameters(t, name, file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkParameters(t *testing.T, name string, file *ast.File) {
	for _, d := range file.Decls {
		function, isFunction := d.(*ast.FuncDecl)
		if !isFunction {
			continue
		}
		adjacent := 0
		for _, field := range function.Type.Params.List {
			typeName, isIdent := field.Type.(*ast.Ident)
			if !isIdent || typeName.Name != "int64" {
				adjacent = 0
				continue
			}
			if adjacent += max(1, len(field.Names)); adjacent > 1 {
				t.Errorf("%s: %s takes adjacent int64 parameters", name, function.Name.Name)
			}
		}
	}
}

func parseDir(t *testing.T, dir string) map[string]*ast.File {
	files := map[string]*ast.File{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
			continue
		}
		if files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func exportedTypes(d ast.Decl) (names []string) {
	general, isGeneral := d.(*ast.GenDecl)
	if !isGeneral || general.Tok != token.TYPE {
		return nil
	}
	for _, spec := range general.Specs {
		if name := spec.(*ast.TypeSpec).Name; name.IsExported() {
			names = append(names, name.Name)
		}
	}
	return names
}
