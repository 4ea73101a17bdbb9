package postgres

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An exportScope selects the labels and items of an export. The zero value selects all.
type exportScope struct {
	batchIDs []int64  // nil: all
	states   []string // of items; nil: all
}

// loadScope returns the scope of options. It returns an error for a batch or a state that does
// not exist.
func (s Snapshot) loadScope(ctx context.Context, options ExportOptions) (scope exportScope, err error) {
	for _, state := range options.States {
		if !slices.Contains(project.ItemStates, state) {
			return scope, fault.Invalid.Errorf("“%s” is not a state of items. Choose %s.", state, listStates())
		}
		scope.states = append(scope.states, string(state))
	}
	for _, name := range options.Batches {
		var id int64
		err := s.tx.QueryRow(ctx, `SELECT id FROM batches WHERE project_id = $1
			AND name = $2`, s.project.ID, name).Scan(&id)
		if err := notFound(err); fault.KindOf(err) == fault.NotFound {
			return scope, fault.NotFound.Errorf("The project has no batch “%s”.", name)
		} else if err != nil {
			return scope, err
		}
		scope.batchIDs = append(scope.batchIDs, id)
	}
	return scope, nil
}

func listStates() string {
	states := make([]string, len(project.ItemStates))
	for i, state := range project.ItemStates {
		states[i] = string(state)
	}
	return strings.Join(states[:len(states)-1], ", ") + " or " + states[len(states)-1]
}

// isWhole reports whether the scope selects everything.
func (x exportScope) isWhole() bool { return x.batchIDs == nil && x.states == nil }

// inBatches is a condition on a column with the id of a batch. A scope without batches gives
// "true", so that the planner has nothing to decide.
func (x exportScope) inBatches(column string) string {
	if x.batchIDs == nil {
		return "true"
	}
	return fmt.Sprintf("%s IN (%s)", column, joinIDs(x.batchIDs))
}

// inItems is a condition on a column with the id of an item.
func (x exportScope) inItems(column string) string {
	var conditions []string
	if x.batchIDs != nil {
		conditions = append(conditions, fmt.Sprintf(
			"EXISTS (SELECT FROM batch_items scope WHERE scope.item_id = %s AND scope.batch_id IN (%s))", column,
			joinIDs(x.batchIDs)))
	}
	if x.states != nil {
		conditions = append(conditions, x.inStates(column))
	}
	return joinConditions(conditions)
}

// inStates is a condition on the state of the item in a column. States are known names.
func (x exportScope) inStates(column string) string {
	if x.states == nil {
		return "true"
	}
	return fmt.Sprintf("EXISTS (SELECT FROM item_states scope_state WHERE scope_state.item_id = %s AND scope_state.state IN ('%s'))", column, strings.Join(x.states, "', '"))
}

// ofLabels is a condition on labels with the columns batch_id and item_id.
func (x exportScope) ofLabels(alias string) string {
	return x.inBatches(alias+".batch_id") + " AND " + x.inStates(alias+".item_id")
}

func joinConditions(conditions []string) string {
	if len(conditions) == 0 {
		return "true"
	}
	return strings.Join(conditions, " AND ")
}

func joinIDs(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprint(id)
	}
	return strings.Join(texts, ", ")
}

// A blinder replaces the ids of items and records, which can tell the condition, by ids that
// only the unblinding key explains. The nil blinder changes nothing.
type blinder struct{ key []byte }

func (s Snapshot) newBlinder(ctx context.Context) (*blinder, error) {
	b := &blinder{}
	err := s.tx.QueryRow(ctx, `SELECT blinding_key FROM projects WHERE id = $1`, s.project.ID).Scan(&b.key)
	return b, err
}

// blindLength is the number of hexadecimal digits of a blinded id: two of a million are equal
// with a probability of 1 in 500 million.
const blindLength = 16

func (b *blinder) name(prefix, id string) string {
	if b == nil || id == "" {
		return id
	}
	mac := hmac.New(sha256.New, b.key)
	mac.Write([]byte(prefix + id))
	return prefix + hex.EncodeToString(mac.Sum(nil))[:blindLength]
}

func (b *blinder) item(id string) string   { return b.name("item-", id) }
func (b *blinder) record(id string) string { return b.name("record-", id) }

// content returns the content as annotators saw it: without the ids of chunks.
func (b *blinder) content(c project.Content) project.Content {
	if b == nil {
		return c
	}
	for key, part := range c {
		for i := range part.Chunks {
			part.Chunks[i].ID = ""
		}
		c[key] = part
	}
	return c
}
