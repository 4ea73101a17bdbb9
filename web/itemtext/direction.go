package itemtext

import (
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// direction returns the direction of the first letter in n. A browser would not look into
// the paragraphs of a list, which have directions of their own.
func direction(n ast.Node, source []byte) string {
	found := "ltr"
	_ = ast.Walk(n, func(n ast.Node, isEntering bool) (ast.WalkStatus, error) {
		t, isText := n.(*ast.Text)
		if !isText || !isEntering {
			return ast.WalkContinue, nil
		}
		for _, r := range string(t.Segment.Value(source)) {
			if unicode.IsLetter(r) {
				if isRightToLeft(r) {
					found = "rtl"
				}
				return ast.WalkStop, nil
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

// isRightToLeft reports whether r belongs to a script written from right to left.
func isRightToLeft(r rune) bool {
	return r >= 0x0590 && r <= 0x08ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}
