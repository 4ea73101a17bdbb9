package itemtext

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
)

// maxJSONDepth is how deep the values of formatted JSON are nested.
const maxJSONDepth = 40

// codeBlock returns code as HTML. Info is what the text says about it, and may be empty.
func codeBlock(code, language, info string) string {
	code = strings.TrimRight(code, "\n")
	var out strings.Builder
	out.WriteString(`<pre class="code" dir="ltr">`)
	if info != "" {
		out.WriteString(`<span class="code-language">` + html.EscapeString(info) + `</span>`)
	}
	out.WriteString("<code>")
	highlight(&out, code, strings.ToLower(language))
	out.WriteString("</code></pre>")
	return out.String()
}

// formatJSON returns text with line breaks and indentation if all of it is a JSON object, or
// an array of objects, arrays or strings. Keys, their order and numbers stay as they are.
func formatJSON(text string) (formatted string, isJSON bool) {
	text = strings.Trim(text, layoutSpaces)
	if !startsJSON(text) || jsonDepth(text) > maxJSONDepth || !json.Valid([]byte(text)) {
		return "", false
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(text), "", "  "); err != nil {
		return "", false
	}
	return out.String(), true
}

func startsJSON(text string) bool {
	if strings.HasPrefix(text, "{") {
		return strings.HasSuffix(text, "}")
	}
	inside := strings.TrimSpace(strings.TrimPrefix(text, "["))
	return strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && inside != "" &&
		strings.ContainsRune(`{["`, rune(inside[0]))
}

// jsonDepth returns a bound on how deep the values of text are nested.
func jsonDepth(text string) (deepest int) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// A highlighter writes code with colored comments, strings, numbers and keywords. It reads
// each character once, where grammars of whole languages take 25 ms for 100 lines.
type highlighter struct {
	out  *strings.Builder
	code string
	syntax
}

func highlight(out *strings.Builder, code, language string) {
	h := highlighter{out, code, syntaxes[language]}
	switch {
	case language == "diff" || language == "patch":
		h.writeDiff()
	case h.syntax.quotes == "" && h.lineComment == "":
		out.WriteString(html.EscapeString(code))
	default:
		for h.code != "" {
			h.writeToken()
		}
	}
}

// write writes the first n bytes of the code in a class, or in none.
func (h *highlighter) write(n int, class string) {
	text := html.EscapeString(h.code[:n])
	h.code = h.code[n:]
	if class != "" {
		text = `<span class="` + class + `">` + text + `</span>`
	}
	h.out.WriteString(text)
}

func (h *highlighter) writeToken() {
	first := h.code[0]
	switch {
	case h.lineComment != "" && strings.HasPrefix(h.code, h.lineComment):
		h.write(endBefore(h.code, "\n"), "hl-comment")
	case h.blockStart != "" && strings.HasPrefix(h.code, h.blockStart):
		h.write(endAfter(h.code, len(h.blockStart), h.blockEnd), "hl-comment")
	case strings.IndexByte(h.quotes, first) >= 0:
		h.writeString(first)
	case first >= '0' && first <= '9':
		h.write(countWhile(h.code, func(c byte) bool { return isWordByte(c) || c == '.' }), "hl-number")
	case isWordByte(first):
		h.writeWord()
	default:
		h.write(max(1, countWhile(h.code, func(c byte) bool {
			return !isWordByte(c) && strings.IndexByte(h.quotes+h.firstBytes(), c) < 0
		})), "")
	}
}

// firstBytes returns the bytes that may start a comment.
func (h *highlighter) firstBytes() string {
	first := ""
	for _, start := range []string{h.lineComment, h.blockStart} {
		if start != "" {
			first += start[:1]
		}
	}
	return first
}

func (h *highlighter) writeString(quote byte) {
	if triple := strings.Repeat(string(quote), 3); h.hasTripleQuotes && strings.HasPrefix(h.code, triple) {
		h.write(endAfter(h.code, 3, triple), "hl-string")
		return
	}
	end := 1
	for ; end < len(h.code) && h.code[end] != quote && (h.code[end] != '\n' || quote == '`'); end++ {
		if h.code[end] == '\\' {
			end++
		}
	}
	switch {
	case end >= len(h.code) || h.code[end] != quote:
		h.write(1, "") // not closed on its line, such as an apostrophe
	case h.hasKeys && strings.HasPrefix(strings.TrimLeft(h.code[end+1:], " "), ":"):
		h.write(end+1, "hl-name")
	default:
		h.write(end+1, "hl-string")
	}
}

func (h *highlighter) writeWord() {
	n := countWhile(h.code, isWordByte)
	word := h.code[:n]
	if h.ignoresCase {
		word = strings.ToLower(word)
	}
	switch {
	case h.keywords[word]:
		h.write(n, "hl-keyword")
	case strings.HasPrefix(h.code[n:], "("):
		h.write(n, "hl-name")
	default:
		h.write(n, "")
	}
}

func (h *highlighter) writeDiff() {
	for h.code != "" {
		class := map[byte]string{'+': "hl-inserted", '-': "hl-deleted", '@': "hl-keyword"}[h.code[0]]
		h.write(min(endBefore(h.code, "\n")+1, len(h.code)), class)
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func countWhile(text string, matches func(byte) bool) int {
	for i := range len(text) {
		if !matches(text[i]) {
			return i
		}
	}
	return len(text)
}

// endBefore returns where the next mark in text starts, or the length of text.
func endBefore(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i
	}
	return len(text)
}

// endAfter returns where the next mark after start ends, or the length of text.
func endAfter(text string, start int, mark string) int {
	return min(start+endBefore(text[start:], mark)+len(mark), len(text))
}
