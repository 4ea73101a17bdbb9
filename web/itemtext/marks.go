package itemtext

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A markRun is a row of one of the marks * _ ~, or of such marks or backticks after a
// backslash each.
type markRun struct {
	mark              byte
	isEscaped         bool
	canOpen, canClose bool
	left              int // marks that are not matched
	openers, closers  []string
	atStart, atEnd    int  // marks that are matched, at both ends
	wouldFormat       bool // escaped marks that would mean something
}

// blockEscape is a backslash before what would start a block.
var blockEscape = regexp.MustCompile("^\\\\(?:#{1,6}\\s|[-+*]\\s|>\\s+\\pL|-{3,}\\s*(?:\n|$)|```|~~~)")

var numberEscape = regexp.MustCompile(`(?:^|\n)[0-9]{1,9}$`)

// tokenize divides the text from start to end.
func (t *inlineText) tokenize(start, end int) (tokens []token) {
	shown := start // where characters start that are shown
	add := func(n token) {
		if shown < n.start {
			tokens = append(tokens, token{start: shown, end: n.start})
		}
		if n.start < n.end {
			tokens = append(tokens, n)
		}
		shown = n.end
	}
	next, _ := slices.BinarySearchFunc(t.atoms, start, func(a atom, at int) int { return a.start - at })
	for i := start; i < end; {
		for next < len(t.atoms) && t.atoms[next].start < i {
			next++
		}
		if next < len(t.atoms) && t.atoms[next].start == i && t.atoms[next].end <= end {
			add(token{start: i, end: t.atoms[next].end, atom: &t.atoms[next]})
			i = t.atoms[next].end
			continue
		}
		switch c := t.text[i]; c {
		case '*', '_', '~':
			n := countWhile(t.text[i:end], func(other byte) bool { return other == c })
			add(token{start: i, end: i + n, run: t.newRun(c, i, i+n, false)})
			i += n
		case '\\':
			n, run := t.readEscape(i, end)
			if run != nil {
				add(token{start: i, end: i + n, run: run})
			} else if n == 1 { // the backslash is left out, and what it escapes is shown
				add(token{start: i, end: i})
				shown = i + 1
				n = 2
			}
			i += max(n, 1)
		case '[', '!':
			l, isLink := t.readLink(i, end)
			if !isLink {
				i++
				continue
			}
			add(token{start: i, end: l.targetEnd, link: &l})
			i = l.targetEnd
		default:
			i++
		}
	}
	add(token{start: end, end: end})
	return tokens
}

// readEscape reads what starts with a backslash. It returns a run of escaped marks, or 1 if the
// backslash is left out, or else how many characters are shown as they are.
func (t *inlineText) readEscape(i, end int) (n int, run *markRun) {
	if i+1 >= end || t.text[i+1] >= utf8.RuneSelf {
		return 2, nil
	}
	isAtStart := i == 0 || t.text[i-1] == '\n'
	switch c := t.text[i+1]; {
	case isAtStart && blockEscape.MatchString(t.text[i:end]), c == '|' && t.isInTable:
		return 1, nil
	case (c == '.' || c == ')') && numberEscape.MatchString(t.text[max(0, i-11):i]):
		return 1, nil
	case strings.IndexByte("*_~`", c) >= 0:
		n := 2
		for i+n+1 < end && t.text[i+n] == '\\' && t.text[i+n+1] == c {
			n += 2
		}
		return n, t.newRun(c, i, i+n, true)
	case c == '[':
		if _, isLink := t.readLink(i+1, end); isLink {
			return 1, nil
		}
	}
	return 2, nil
}

// newRun returns the marks from start to end, and whether they can open or close what they
// mean: not inside a word, where they are signs of calculations and names.
func (t *inlineText) newRun(mark byte, start, end int, isEscaped bool) *markRun {
	r := &markRun{mark: mark, isEscaped: isEscaped, left: end - start}
	if isEscaped {
		r.left /= 2
	}
	before, after := lastRune(t.text[:start]), ' '
	if end < len(t.text) {
		after, _ = utf8.DecodeRuneInString(t.text[end:])
	}
	// In scripts without spaces a row of two is the mark between words.
	isDouble := r.left > 1 && mark != '_'
	r.canOpen = !unicode.IsSpace(after) && (!strings.ContainsRune(".,;:!?/)]}", after) || isDouble && after == '.') &&
		(unicode.IsSpace(before) || isOuter(before, `([{"'<>|-:;,*_~`) || isDouble && isSpaceless(before))
	r.canClose = !unicode.IsSpace(before) && !strings.ContainsRune("([{", before) &&
		(unicode.IsSpace(after) || isOuter(after, `)]}"'<>|-:;,.!?*_~`) || isDouble && isSpaceless(after))
	if mark == '~' && r.left != 2 {
		r.canOpen, r.canClose = false, false
	}
	return r
}

// isOuter reports whether r, outside of a mark, is one of a list or a sign of another script.
func isOuter(r rune, list string) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune(list, r)
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

func lastRune(text string) rune {
	if text == "" {
		return ' '
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}

// isSpaceless reports whether r belongs to a script without spaces between words.
func isSpaceless(r rune) bool {
	return r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff || r >= 0x3040 &&
		r <= 0x30ff || r >= 0x3400 && r <= 0x9fff ||
		r >= 0x20000 && r <= 0x3ffff
}

// matchRuns matches marks: first those without a backslash, then those that would match without
// one.
func matchRuns(text string, tokens []token) {
	hasEscaped := false
	matchPass(text, tokens, func(r *markRun) bool {
		hasEscaped = hasEscaped || r.isEscaped
		return !r.isEscaped
	}, (*markRun).format)
	if hasEscaped {
		matchPass(text, tokens, func(*markRun) bool { return true }, func(opener, closer *markRun, _ int) {
			opener.wouldFormat, closer.wouldFormat = true, true
		})
	}
}

// matchPass calls match with the pairs among the runs that are taken.
func matchPass(text string, tokens []token, takes func(*markRun) bool, match func(opener, closer *markRun, n int)) {
	open := map[byte][]int{} // tokens, by their mark
	left := map[*markRun]int{}
	for i, token := range tokens {
		r := token.run
		if r == nil || !takes(r) || r.left == 0 {
			continue
		}
		left[r] = r.left
		for stack := open[r.mark]; r.canClose && left[r] > 0 && len(stack) > 0; stack = open[r.mark] {
			last := stack[len(stack)-1]
			opener := tokens[last].run
			n := min(left[r], left[opener], 2)
			if !encloses(text[tokens[last].end:token.start], r.mark, n) {
				open[r.mark] = nil
				break
			}
			match(opener, r, n)
			left[r] -= n
			left[opener] -= n
			for mark, others := range open {
				for len(others) > 0 && (others[len(others)-1] > last || others[len(others)-1] == last &&
					left[opener] == 0) {
					others = others[:len(others)-1]
				}
				open[mark] = others
			}
		}
		if r.canOpen && left[r] > 0 {
			open[r.mark] = append(open[r.mark], i)
		}
	}
}

// encloses reports whether n marks can be around text: it has words, no bracket of another
// pair, and is not the name of a variable between underscores.
func encloses(text string, mark byte, n int) bool {
	if mark == '_' && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
			r != '_'
	}) < 0 {
		return false
	}
	depth, hasWords := 0, false
	for _, r := range text {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		default:
			hasWords = hasWords || r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r)
		}
		if n == 1 && depth < 0 {
			return false
		}
	}
	return hasWords && (n != 1 || depth == 0)
}

var emphasis = map[byte][3]string{'*': {1: "em", 2: "strong"}, '_': {1: "em", 2: "strong"}, '~': {2: "del"}}

// format matches n marks of a run with those of a later one.
func (r *markRun) format(closer *markRun, n int) {
	element := emphasis[r.mark][n]
	r.openers, closer.closers = append(r.openers, element), append(closer.closers, element)
	r.left, closer.left = r.left-n, closer.left-n
	r.atEnd, closer.atStart = r.atEnd+n, closer.atStart+n
}

// run writes marks: what they close, those that are shown, and what they open.
func (r *markdownRenderer) run(t *inlineText, start, end int, run *markRun) {
	for _, element := range run.closers {
		r.write("</" + element + ">")
		r.depth--
	}
	if run.isEscaped && run.wouldFormat {
		for i := start; i < end; i += 2 {
			r.showText(t, i+1, i+2)
		}
	} else {
		r.showText(t, start+run.atStart, end-run.atEnd)
	}
	for _, element := range slices.Backward(run.openers) {
		r.write("<" + element + ">")
		r.isMarked = true
		if r.depth++; r.depth > maxDepth {
			r.hasFailed = true
		}
	}
}
