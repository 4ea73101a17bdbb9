package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

// An itemQuery is a filter as SQL.
type itemQuery struct {
	filter       project.ItemFilter
	tied         string // column of the fields without a consensus
	terms        []project.SearchTerm
	conditions   []string
	args         []any
	searchArg    int  // the index in args of the tsquery
	actorArg     int  // the number of the parameter with the account
	mayBlind     bool // the account labels in a batch of the project
	hidesBlinded bool
	firstID      project.ItemID // of the project: an index on ids alone is then not read beyond it
	lastID       project.ItemID
}

// errInvalidFilter reports a filter that no list has. Its address was edited.
var errInvalidFilter = fault.NotFound.Errorf("The filter is not valid. Open the list from the project's tabs.")

func newItemQuery(ctx context.Context, q querier, actorID account.ID, p project.Project,
	f project.ItemFilter) (*itemQuery, error) {
	if f.Sort == "" {
		f.Sort = project.SortImported
	}
	if !isValidFilter(p, f) {
		return nil, errInvalidFilter
	}
	iq := &itemQuery{filter: f, tied: unresolvedFields(p.TieRule), terms: project.ParseSearch(f.Search)}
	iq.where("s.project_id = ?", p.ID)
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM batch_annotators ba JOIN batches b ON b.id = ba.batch_id WHERE ba.account_id = $1
		AND b.project_id = $2),
		       coalesce((SELECT min(item_id) FROM item_states WHERE project_id = $2), 0), coalesce((SELECT max(item_id)
		       FROM item_states WHERE project_id = $2), 0)`,
		actorID, p.ID).Scan(&iq.mayBlind, &iq.firstID, &iq.lastID)
	if err != nil {
		return nil, err
	}
	iq.where("s.item_id BETWEEN ? AND ?", iq.firstID, iq.lastID)
	if iq.mayBlind {
		iq.where("?::bigint IS NOT NULL", actorID) // so that every statement uses the parameter
		iq.actorArg = len(iq.args)
	}
	iq.addSearch(p.ID)
	if err := iq.addNames(ctx, q, p.ID); err != nil {
		return nil, err
	}
	iq.addLabels()
	iq.addConsensus(p)
	iq.addSkips()
	if f.IDs != nil {
		iq.where("s.item_id = ANY (?)", f.IDs)
	}
	if iq.hidesBlinded = iq.mayBlind && f.RevealsLabels(); iq.hidesBlinded {
		iq.conditions = append(iq.conditions, "NOT "+iq.isBlinded())
	}
	return iq, nil
}

// isValidFilter reports whether a list can have this filter.
func isValidFilter(p project.Project, f project.ItemFilter) bool {
	field, _, isAnswer := strings.Cut(f.Answer, "=")
	return (f.Answer == "" || isAnswer && isField(p, field)) && (f.Field == "" || isField(p, f.Field)) &&
		(f.Consensus == "" || slices.Contains(report.ConsensusMethods, stats.ConsensusMethod(f.Consensus)))
}

func isField(p project.Project, key string) bool {
	_, ok := p.Protocol.Field(key)
	return ok
}

// isBlinded is true of an item s whose labels the account must not see yet.
func (q *itemQuery) isBlinded() string {
	if !q.mayBlind {
		return "false"
	}
	return fmt.Sprintf(`EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $%d AND v.project_id = s.project_id AND v.item_id = s.item_id)`, q.actorArg)
}

// bind adds a parameter and returns its number.
func (q *itemQuery) bind(value any) int {
	q.args = append(q.args, value)
	return len(q.args)
}

// where adds a condition; each ? in it is a value.
func (q *itemQuery) where(condition string, values ...any) {
	for _, value := range values {
		condition = strings.Replace(condition, "?", "$"+strconv.Itoa(q.bind(value)), 1)
	}
	q.conditions = append(q.conditions, condition)
}

// addSearch adds what the search index knows of: words, conditions and records.
func (q *itemQuery) addSearch(projectID project.ID) {
	if groups := q.searchGroups(nil); len(groups) > 0 {
		q.where("i.id BETWEEN ? AND ? AND i.search @@ ?::tsquery", q.firstID, q.lastID, searchQuery(projectID, groups))
		q.searchArg = len(q.args) - 1
	}
}

// searchGroups returns the terms to find; words replaces those of the search text.
func (q *itemQuery) searchGroups(words [][]project.SearchTerm) (groups [][]project.SearchTerm) {
	if words == nil {
		for _, term := range q.terms {
			words = append(words, []project.SearchTerm{term})
		}
	}
	groups = append(groups, words...)
	if q.filter.Condition != "" {
		groups = append(groups, []project.SearchTerm{{Token: project.ConditionToken(q.filter.Condition)}})
	}
	if q.filter.RecordID != "" {
		groups = append(groups, []project.SearchTerm{{Token: project.RecordToken(q.filter.RecordID)}})
	}
	return groups
}

// searchInWords searches for parts of words instead of their starts.
func (q *itemQuery) searchInWords(ctx context.Context, tx pgx.Tx, projectID project.ID) error {
	words, err := expandTerms(ctx, tx, projectID, q.terms)
	if err == nil && q.searchArg > 0 {
		q.args[q.searchArg] = searchQuery(projectID, q.searchGroups(words))
	}
	return err
}

// searchInWordsIfNoneStarts searches for parts of words if no word starts with what is
// searched, and reports whether it does.
func (q *itemQuery) searchInWordsIfNoneStarts(ctx context.Context, tx pgx.Tx, projectID project.ID) (bool, error) {
	if len(q.terms) == 0 {
		return false, nil
	}
	var isFound bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT`+q.from()+`)`, q.args...).Scan(&isFound); err != nil || isFound {
		return false, err
	}
	return true, q.searchInWords(ctx, tx, projectID)
}

// addNames adds the batch and the annotator, which the address names.
func (q *itemQuery) addNames(ctx context.Context, tx querier, projectID project.ID) error {
	if q.filter.Batch != "" {
		var id project.BatchID
		err := tx.QueryRow(ctx, `SELECT id FROM batches WHERE project_id = $1
			AND name = $2`, projectID, q.filter.Batch).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound.Errorf("This project has no batch “%s”.", q.filter.Batch)
		}
		if err != nil {
			return err
		}
		q.where("bi.batch_id = ? AND bi.item_id BETWEEN ? AND ? AND NOT bi.is_calibration", id, q.firstID, q.lastID)
	}
	if q.filter.Annotator != "" {
		var id account.ID
		err := tx.QueryRow(ctx, `SELECT account_id FROM members WHERE project_id = $1
			AND pseudonym = $2`, projectID, q.filter.Annotator).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound.Errorf("This project has no annotator “%s”.", q.filter.Annotator)
		}
		if err != nil {
			return err
		}
		q.where("s.labels <> '{}' AND s.labels @> ARRAY[?::text]", "annotator="+strconv.FormatInt(int64(id), 10))
	}
	return nil
}

// addLabels adds what depends on the state and the labels.
func (q *itemQuery) addLabels() {
	f := q.filter
	if f.Tag != "" {
		q.where("EXISTS (SELECT FROM item_tags t WHERE t.project_id = s.project_id AND t.tag = ? AND t.item_id = s.item_id)",
			f.Tag)
	}
	if f.State != "" {
		q.where("s.state = ?", string(f.State))
	}
	if f.Field != "" && f.Consensus == "" {
		q.where("? = ANY (s.disagreeing_fields)", f.Field)
	}
	if f.Answer != "" {
		q.where("s.labels <> '{}' AND s.labels @> ARRAY[?::text]", f.Answer)
	}
	if f.UnresolvedOnly || f.TiedOnly || f.Sort == project.SortDisagreement {
		q.conditions = append(q.conditions, "s.disagreement > 0 AND NOT s.is_calibration AND s.archived_at IS NULL")
	}
	if f.UnresolvedOnly {
		q.conditions = append(q.conditions, "s.decided_at IS NULL")
	}
	if f.SpotCheckOnly {
		q.conditions = append(q.conditions, "s.decided_at IS NULL AND s.archived_at IS NULL",
			"EXISTS (SELECT FROM spot_checks c WHERE c.item_id = s.item_id)")
	}
	if f.TiedOnly {
		q.conditions = append(q.conditions, q.tied+" <> '{}'")
	}
	if f.Sort == project.SortDecided {
		q.conditions = append(q.conditions, "s.decided_at IS NOT NULL")
	}
}

// from returns the part of the statement that selects the items.
func (q *itemQuery) from() string {
	from := " FROM item_states s "
	if q.searchArg > 0 {
		from += "JOIN items i ON i.id = s.item_id "
	}
	if q.filter.Batch != "" {
		from += "JOIN batch_items bi ON bi.item_id = s.item_id "
	}
	return from + "WHERE " + strings.Join(q.conditions, " AND ")
}

// itemOrders are the orders of lists, and what their cursors hold.
var itemOrders = map[project.ItemSort]struct{ order, key, comparison string }{
	project.SortImported: {"s.item_id", "s.item_id::text", "s.item_id > ?::bigint"},
	project.SortNewest:   {"s.item_id DESC", "s.item_id::text", "s.item_id < ?::bigint"},
	project.SortDisagreement: {"-s.disagreement, -s.total_disagreement, s.item_id",
		"(-s.disagreement) || '_' || (-s.total_disagreement) || '_' || s.item_id",
		"(-s.disagreement, -s.total_disagreement, s.item_id) > (?::float8, ?::float8, ?::bigint)"},
	project.SortDecided: {"s.decided_at DESC, s.item_id DESC",
		"extract(epoch FROM s.decided_at) || '_' || s.item_id",
		"(s.decided_at, s.item_id) < (to_timestamp(?::numeric), ?::bigint)"},
}

// after returns q with the condition that an item follows the cursor.
func (q *itemQuery) after(cursor string) (*itemQuery, error) {
	order, ok := itemOrders[q.filter.Sort]
	if !ok {
		return nil, errInvalidFilter
	}
	if cursor == "" {
		return q, nil
	}
	parts := strings.Split(cursor, "_")
	if len(parts) != strings.Count(order.comparison, "?") {
		return nil, errInvalidFilter
	}
	values := make([]any, len(parts))
	for i, part := range parts {
		if _, err := strconv.ParseFloat(part, 64); err != nil || strings.ContainsAny(part, "xXnN") {
			return nil, errInvalidFilter
		}
		values[i] = part
	}
	if _, err := strconv.ParseInt(parts[len(parts)-1], 10, 64); err != nil {
		return nil, errInvalidFilter
	}
	next := q.clone()
	next.where(order.comparison, values...)
	return next, nil
}
