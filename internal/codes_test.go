package internal

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"testing"
)

// computing are the packages whose results are codes and numbers. What people read about them is written by
// report/prose.
var computing = []string{"report", "report/agreement", "report/comparison", "report/consensus", "report/judging",
	"report/study", "ratereffect", "stats",
	"stats/comparison", "stats/consensus", "stats/judge", "stats/mixed"}

// phrase is a part of a sentence.
var phrase = regexp.MustCompile(`\pL[\pL,;:]* \pL`)

// TestComputingPackages_HaveNoProse checks that no text of more than one word is in a computing package, but for
// errors.
func TestComputingPackages_HaveNoProse(t *testing.T) {
	t.Parallel()
	for _, dir := range computing {
		texts := 0
		for path, file := range parseDir(t, dir) {
			isError := map[ast.Node]bool{}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Errorf" || s.Sel.Name == "New") &&
						len(n.Args) > 0 {
						isError[n.Args[0]] = true
					}
				case *ast.Field:
					if n.Tag != nil {
						isError[n.Tag] = true
					}
				case *ast.BasicLit:
					text, err := strconv.Unquote(n.Value)
					if n.Kind != token.STRING || err != nil {
						return true
					}
					if texts++; phrase.MatchString(text) && !isError[n] {
						t.Errorf("%s: %q is for package prose to write", path, text)
					}
				}
				return true
			})
		}
		if texts == 0 {
			t.Errorf("%s has no texts to check", dir)
		}
	}
}
