package importer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A classifier finds what becomes of each value of a record of another program: texts that were
// found for the parts of items are shown, and what was found for their ids and metadata is
// stored. Messages and answers that no item shows are left out. Whatever else the record holds
// becomes metadata.
type classifier struct {
	root             *recordNode
	shown, ids, meta map[string]int // values that were found, and how often they can be in the record
	texts            map[string]bool
	messages         map[string]int         // left out, by role
	completions      int                    // left out
	leavesOut        func(path string) bool // nil: nothing
	others           map[string]int         // what the preset leaves out, by the first key of its path
	rest             map[string]*restValue
	restKeys         []string
}

// classifyRecord returns what becomes of the values of a record that was read. found has the columns of its items.
func (b *builder) classifyRecord(found [][]member, read foreignRecord) *classifier {
	s := &classifier{leavesOut: read.leavesOut, shown: map[string]int{}, ids: map[string]int{}, meta: map[string]int{},
		texts: map[string]bool{}, messages: map[string]int{}, rest: map[string]*restValue{}, others: map[string]int{}}
	columns := mappableColumns(b.protocol.Unit)
	for _, members := range found {
		shown, ids, meta := map[string]int{}, map[string]int{}, map[string]int{}
		_, hasChunks := findMember(members, "chunks")
		for _, m := range members {
			switch {
			case m.key == "id" || m.key == "record_id":
				countValues(ids, m.value)
			case !slices.Contains(columns, m.key):
				countValues(meta, m.value)
			case m.key != "context_set" || !hasChunks: // the same chunks
				countValues(shown, m.value)
			}
		}
		mergeCounts(s.ids, ids, false)
		mergeCounts(s.meta, meta, false)
		mergeCounts(s.shown, shown, b.options.Take == TakeEach)
	}
	for text := range s.shown {
		s.texts[text] = true
	}
	s.root = newRecordNode(read.source, "", 0, false)
	s.matchIDs(s.root, read.generalPaths())
	s.match(s.root, true)
	s.match(s.root, false)
	s.matchJoined(s.root)
	s.classifyMessages(s.root)
	if read.leavesOut != nil {
		s.leaveOthersOut(s.root)
	}
	if b.options.Preset != "" {
		s.classifyCopies(s.root, read.generalPaths(), false)
	}
	s.collect(s.root, nil)
	return s
}

// mergeCounts adds the counts of one item. Items share what they are not added up for.
func mergeCounts(all, of map[string]int, isSum bool) {
	for text, n := range of {
		if isSum {
			n += all[text]
		}
		all[text] = max(all[text], n)
	}
}

// generatedKeys are those of values that may not be in the record as they are.
var generatedKeys = []string{"role", "kind", "chunk_rank", "message"}

// countValues counts the values in a column that was found.
func countValues(counts map[string]int, v value) {
	if text := v.comparable(); text != "" || v.is('"') {
		counts[text]++
		return
	}
	for _, element := range v.list {
		countValues(counts, element)
	}
	for _, m := range v.members {
		if !slices.Contains(generatedKeys, m.key) {
			countValues(counts, m.value)
		}
	}
}

// matchIDs classifies the ids and metadata at the paths where they were read, outside of content. Elsewhere, an equal
// value can be another one, such as the type of a part.
func (s *classifier) matchIDs(n *recordNode, read map[string]bool) {
	text := n.comparable()
	switch {
	case n.isContent:
		return
	case !read[n.key] || n.key == "":
	case s.ids[text] > 0:
		s.ids[text]--
		n.classifyWhole(fateID)
		return
	case s.meta[text] > 0:
		s.meta[text]--
		n.classifyWhole(fateMetadata)
		return
	}
	for _, child := range n.children {
		s.matchIDs(child, read)
	}
}

// match classifies the values that were found, at first those under the keys of content.
func (s *classifier) match(n *recordNode, isContent bool) {
	text := n.comparable()
	switch {
	case n.isClassified || n.key == "" && n.is('{'):
	case isContent && !n.isContent:
	case len(n.children) > 0 && text == "":
	case s.shown[text] > 0:
		s.shown[text]--
		n.classifyWhole(fateShown)
		return
	case s.ids[text] > 0:
		s.ids[text]--
		n.classifyWhole(fateID)
		return
	case s.meta[text] > 0:
		s.meta[text]--
		n.classifyWhole(fateMetadata)
		return
	}
	for _, child := range n.children {
		s.match(child, isContent)
	}
}

// matchJoined classifies texts that are shown with others, a blank line between them.
func (s *classifier) matchJoined(n *recordNode) {
	if len(n.children) == 0 && !n.isClassified && n.isContent && n.is('"') && n.text != "" {
		for text := range s.texts {
			if strings.Contains("\n\n"+text+"\n\n", "\n\n"+n.text+"\n\n") {
				n.classify(fateShown)
				return
			}
		}
	}
	for _, child := range n.children {
		s.matchJoined(child)
	}
}

// classifyMessages classifies messages that are shown, or left out, as a whole. Those that repeat what is shown
// elsewhere
// are no messages of their own.
func (s *classifier) classifyMessages(n *recordNode) {
	isCompletions := slices.ContainsFunc(completionKeys, func(key string) bool {
		return n.key == key || strings.HasSuffix(n.key, "."+key)
	})
	hasShown := n.has(fateShown)
	isCopy := !hasShown && s.repeats(n)
	for _, child := range n.children {
		switch {
		case n.inner.is('[') && isCompletions && hasShown && !child.has(fateShown):
			s.completions++
			child.classify(fateLeftOut)
		case !child.isMessage():
			s.classifyMessages(child)
		case child.has(fateShown):
			child.classifyStructure()
		case !isCopy:
			s.messages[cmp.Or(foreignRole(unwrapMessage(child.inner)), "assistant")]++
			child.classify(fateLeftOut)
		}
	}
}

// repeats reports whether some text of n is shown.
func (s *classifier) repeats(n *recordNode) bool {
	return n.is('"') && n.text != "" && s.texts[n.text] || slices.ContainsFunc(n.children, s.repeats)
}

// isCopy reports whether n is shown elsewhere, or is a text of a message that is a piece of what is shown.
func (s *classifier) isCopy(n *recordNode) bool {
	text := n.comparable()
	if text != "" && s.texts[text] {
		return true
	}
	if len(n.children) > 0 || !n.is('"') || !slices.Contains(bodyKeys, n.key[strings.LastIndex(n.key, ".")+1:]) {
		return false
	}
	for shown := range s.texts {
		if strings.Contains(shown, text) {
			return true
		}
	}
	return false
}

// leaveOthersOut classifies what the preset leaves out.
func (s *classifier) leaveOthersOut(n *recordNode) {
	if n.key != "" && n.isOpen() && s.leavesOut(n.key) {
		name, _, _ := strings.Cut(n.key, "[]")
		s.others[name] = 1
		n.classify(fateLeftOut)
		return
	}
	for _, child := range n.children {
		s.leaveOthersOut(child)
	}
}

// classifyCopies classifies texts that are shown already and that a preset has read: programs write some twice. What
// is null in their records says nothing and is not stored.
func (s *classifier) classifyCopies(n *recordNode, read map[string]bool, isRead bool) {
	isRead = isRead || read[n.key]
	switch {
	case n.is('n'):
		n.classify(fateLeftOut)
	case isRead && n.isOpen() && s.isCopy(n):
		n.classifyWhole(fateShown)
	}
	for _, child := range n.children {
		s.classifyCopies(child, read, isRead)
	}
}

// addToLedger adds the values of a record, and what it names as left out. Of a record without an item
// nothing is stored.
func (b *builder) addToLedger(s *classifier, hasItems bool) {
	ledger := b.options.ledger()
	fates := s.root.fates(nil)
	if !hasItems {
		for i := range fates {
			fates[i].fate = fateLeftOut
		}
	}
	ledger.add(fates)
	for _, role := range slices.Sorted(maps.Keys(s.messages)) {
		ledger.leaveOut(omittedMessages, role, s.messages[role])
	}
	for _, key := range slices.Sorted(maps.Keys(s.others)) {
		ledger.leaveOut(omittedKey, key, s.others[key])
	}
	ledger.leaveOut(omittedAnswers, "", s.completions)
}
