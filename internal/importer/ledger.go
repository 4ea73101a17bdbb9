package importer

import (
	"cmp"
	"strings"
)

// A Ledger says what became of each value in the records of a file. A value is a text, a number,
// true, false, null, or an empty list or object.
type Ledger struct {
	Records int              `json:"records"`  // that were read, with those that are left out
	Invalid int              `json:"invalid"`  // rows that were left out because they have errors
	Keys    []LedgerKey      `json:"keys"`     // in the order in which the file has them
	LeftOut []ImportOmission `json:"left_out"` // what no item has, in words

	index map[string]int // of Keys
}

// NewLedger returns an empty ledger.
func NewLedger() *Ledger { return &Ledger{Keys: []LedgerKey{}, LeftOut: []ImportOmission{}} }

// A LedgerKey counts the values under one key of all records. Each is counted once.
type LedgerKey struct {
	Key      string `json:"key"`      // elements of a list are "[]", such as messages[].content
	Shown    int    `json:"shown"`    // to annotators
	IDs      int    `json:"ids"`      // stored as the ids of items and records
	Metadata int    `json:"metadata"` // stored with the item, and not shown
	LeftOut  int    `json:"left_out"` // not stored
}

// maxLedgerKeys bounds a ledger, because keys of objects can be data. Further keys are counted
// under otherKeys.
const (
	maxLedgerKeys = 500
	otherKeys     = "(other keys)"
)

// A fate is what becomes of a value.
type fate uint8

const (
	fateLeftOut fate = iota
	fateMetadata
	fateID
	fateShown
)

// A keyFate is one value of a record, by the general path of its key.
type keyFate struct {
	key  string
	fate fate
}

// add counts the values of a record.
func (l *Ledger) add(values []keyFate) {
	if l.index == nil {
		l.index = map[string]int{}
	}
	for _, v := range values {
		i, isKnown := l.index[v.key]
		if !isKnown && len(l.Keys) >= maxLedgerKeys {
			v.key = otherKeys
			i, isKnown = l.index[v.key]
		}
		if !isKnown {
			i = len(l.Keys)
			l.index[v.key], l.Keys = i, append(l.Keys, LedgerKey{Key: v.key})
		}
		switch v.fate {
		case fateShown:
			l.Keys[i].Shown++
		case fateID:
			l.Keys[i].IDs++
		case fateMetadata:
			l.Keys[i].Metadata++
		default:
			l.Keys[i].LeftOut++
		}
	}
}

// Sum returns the counts of all keys.
func (l Ledger) Sum() (sum LedgerKey) {
	for _, k := range l.Keys {
		sum.Shown, sum.IDs = sum.Shown+k.Shown, sum.IDs+k.IDs
		sum.Metadata, sum.LeftOut = sum.Metadata+k.Metadata, sum.LeftOut+k.LeftOut
	}
	return sum
}

// WithMetadata returns the keys whose values are metadata, at least in part.
func (l Ledger) WithMetadata() []string {
	return l.keys(func(k LedgerKey) bool { return k.Metadata > 0 })
}

// WithLeftOut returns the keys that have values that no item has.
func (l Ledger) WithLeftOut() []string {
	return l.keys(func(k LedgerKey) bool { return k.LeftOut > 0 })
}

func (l Ledger) keys(has func(LedgerKey) bool) (keys []string) {
	for _, k := range l.Keys {
		if has(k) {
			keys = append(keys, k.Key)
		}
	}
	return keys
}

// childKey returns the general path of a key of an object.
func childKey(path, key string) string {
	return path + strings.Repeat(".", min(len(path), 1)) + cmp.Or(key, `""`)
}

// isLeaf reports whether v is a value of its own, and not a list or object with others.
func (v value) isLeaf() bool { return len(v.list) == 0 && len(v.members) == 0 }

// walkLeaves calls visit for each value in v, with the general path of its key.
func (v value) walkLeaves(path string, visit func(path string, leaf value)) {
	if v.isLeaf() {
		visit(path, v)
	}
	for _, element := range v.list {
		element.walkLeaves(path+"[]", visit)
	}
	for _, m := range v.members {
		m.value.walkLeaves(childKey(path, m.key), visit)
	}
}
