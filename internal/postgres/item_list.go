package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
)

// An ItemPage is a part of a list of items.
type ItemPage struct {
	Items          []project.ListedItem
	Next           string // the cursor of the next page; empty: none
	Count          project.ItemCount
	HidesBlinded   bool // items are left out, because the account labels in their batch
	MatchesInWords bool // no word starts with what was searched; these items have it within a word
}

// ListItems lists the items of a project that a filter selects, after a cursor. Of items whose
// labels the account must not see yet, it shows nothing that depends on labels, and leaves
// them out where the filter does.
func (db *DB) ListItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter, cursor string, limit int) (page ItemPage, err error) {
	err = db.inListTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		q, err := newItemQuery(ctx, tx, actorID, p, f)
		if err != nil {
			return err
		}
		page.HidesBlinded = q.hidesBlinded
		if page.Items, page.Next, err = q.page(ctx, tx, cursor, limit); err != nil || len(page.Items) > 0 || f.Search == "" || cursor != "" {
			return err
		}
		if err := q.searchInWords(ctx, tx, p.ID); err != nil {
			return err
		}
		page.Items, page.Next, err = q.page(ctx, tx, cursor, limit)
		page.MatchesInWords = len(page.Items) > 0
		return err
	})
	return page, err
}

// CountItems counts the items that ListItems lists, as far as that is quick.
func (db *DB) CountItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter, inWords bool) (count project.ItemCount, err error) {
	err = db.inListTx(ctx, func(tx pgx.Tx) error {
		q, err := newItemQuery(ctx, tx, actorID, p, f)
		if err == nil && inWords {
			err = q.searchInWords(ctx, tx, p.ID)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT set_config('statement_timeout', '150ms', true)`); err != nil {
			return err
		}
		sql := `SELECT count(*) FROM (SELECT ` + q.from() + ` LIMIT ` + strconv.Itoa(project.MaxItemCount+1) + `) found`
		return tx.QueryRow(ctx, sql, q.args...).Scan(&count.Items)
	})
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.Code == "57014" && ctx.Err() == nil {
		return project.ItemCount{IsUnknown: true}, nil
	}
	if count.Items > project.MaxItemCount {
		count.Items, count.HasMore = project.MaxItemCount, true
	}
	return count, err
}

// inListTx runs fn in a transaction whose statements are planned for their values and never
// read whole tables: a filter that selects few items and one that selects nearly all need
// different indexes.
func (db *DB) inListTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return db.inTxWith(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			SELECT set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// An itemQuery is a filter as SQL.
type itemQuery struct {
	filter       project.ItemFilter
	terms        []project.SearchTerm
	conditions   []string
	args         []any
	searchArg    int  // the index in args of the tsquery
	actorArg     int  // the number of the parameter with the account
	mayBlind     bool // the account labels in a batch of the project
	hidesBlinded bool
}

// errInvalidFilter reports a filter that no list has. Its address was edited.
var errInvalidFilter = fault.NotFound.Errorf("The filter is not valid. Open the list from the project's tabs.")

func newItemQuery(ctx context.Context, q querier, actorID account.ID, p project.Project, f project.ItemFilter) (*itemQuery, error) {
	if f.Sort == "" {
		f.Sort = project.SortImported
	}
	if field, _, ok := strings.Cut(f.Answer, "="); f.Answer != "" && (!ok || !isField(p, field)) || f.Field != "" && !isField(p, f.Field) {
		return nil, errInvalidFilter
	}
	iq := &itemQuery{filter: f, terms: project.ParseSearch(f.Search)}
	iq.where("s.project_id = ?", p.ID)
	err := q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM batch_annotators ba JOIN batches b ON b.id = ba.batch_id WHERE ba.account_id = $1 AND b.project_id = $2)`,
		actorID, p.ID).Scan(&iq.mayBlind)
	if err != nil {
		return nil, err
	}
	if iq.mayBlind {
		iq.where("?::bigint IS NOT NULL", actorID) // so that every statement uses the parameter
		iq.actorArg = len(iq.args)
	}
	iq.addSearch(p.ID)
	if err := iq.addNames(ctx, q, p.ID); err != nil {
		return nil, err
	}
	iq.addLabels()
	if f.IDs != nil {
		iq.where("s.item_id = ANY (?)", f.IDs)
	}
	if iq.hidesBlinded = iq.mayBlind && f.RevealsLabels(); iq.hidesBlinded {
		iq.conditions = append(iq.conditions, "NOT "+iq.isBlinded())
	}
	return iq, nil
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
		q.where("i.search @@ ?::tsquery", searchQuery(projectID, groups))
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

// addNames adds the batch and the annotator, which the address names.
func (q *itemQuery) addNames(ctx context.Context, tx querier, projectID project.ID) error {
	if q.filter.Batch != "" {
		var id project.BatchID
		err := tx.QueryRow(ctx, `SELECT id FROM batches WHERE project_id = $1 AND name = $2`, projectID, q.filter.Batch).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound.Errorf("This project has no batch “%s”.", q.filter.Batch)
		}
		if err != nil {
			return err
		}
		q.where("s.batch_id = ?", id)
	}
	if q.filter.Annotator != "" {
		var id account.ID
		err := tx.QueryRow(ctx, `SELECT account_id FROM members WHERE project_id = $1 AND pseudonym = $2`, projectID, q.filter.Annotator).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.NotFound.Errorf("This project has no annotator “%s”.", q.filter.Annotator)
		}
		if err != nil {
			return err
		}
		q.where("s.labels @> ARRAY[?::text]", "annotator="+strconv.FormatInt(int64(id), 10))
	}
	return nil
}

// addLabels adds what depends on the state and the labels.
func (q *itemQuery) addLabels() {
	f := q.filter
	if f.State != "" {
		q.where("s.state = ?", string(f.State))
	}
	if f.Field != "" {
		q.where("? = ANY (s.disagreeing_fields)", f.Field)
	}
	if f.Answer != "" {
		q.where("s.labels @> ARRAY[?::text]", f.Answer)
	}
	if f.UnresolvedOnly || f.TiedOnly || f.Sort == project.SortDisagreement {
		q.conditions = append(q.conditions, "s.disagreement > 0 AND NOT s.is_calibration AND s.archived_at IS NULL")
	}
	if f.UnresolvedOnly {
		q.conditions = append(q.conditions, "s.decided_at IS NULL")
	}
	if f.TiedOnly {
		q.conditions = append(q.conditions, "s.tied_fields <> '{}'")
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
	return from + "WHERE " + strings.Join(q.conditions, " AND ")
}

// itemOrders are the orders of lists, and what their cursors hold.
var itemOrders = map[project.ItemSort]struct{ order, key, comparison string }{
	project.SortImported:     {"s.item_id", "s.item_id::text", "s.item_id > ?::bigint"},
	project.SortNewest:       {"s.item_id DESC", "s.item_id::text", "s.item_id < ?::bigint"},
	project.SortDisagreement: {"-s.disagreement, -s.total_disagreement, s.item_id", "(-s.disagreement) || '_' || (-s.total_disagreement) || '_' || s.item_id", "(-s.disagreement, -s.total_disagreement, s.item_id) > (?::float8, ?::float8, ?::bigint)"},
	project.SortDecided:      {"s.decided_at DESC, s.item_id DESC", "extract(epoch FROM s.decided_at) || '_' || s.item_id", "(s.decided_at, s.item_id) < (to_timestamp(?::numeric), ?::bigint)"},
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
		if _, err := strconv.ParseFloat(part, 64); err != nil {
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

type listedItemRow struct {
	ID                project.ItemID
	Cursor            string
	SourceID          string
	RecordID          string
	Title             string
	Preview           string
	Meta              map[string]json.RawMessage
	WordCount         int
	Batch             string
	State             project.ItemState
	LabelCount        int
	LabelsWanted      int
	Disagreement      float64
	MaxDistance       int
	DisagreeingFields []string
	TiedFields        []string
	DecidedAt         *time.Time
	HasNewerLabels    bool
	IsBlinded         bool
	Content           project.Content
}

// page returns the items after a cursor, and the cursor of the next page.
func (q *itemQuery) page(ctx context.Context, tx pgx.Tx, cursor string, limit int) (items []project.ListedItem, next string, err error) {
	after, err := q.after(cursor)
	if err != nil {
		return nil, "", err
	}
	order := itemOrders[q.filter.Sort]
	content := "NULL::jsonb"
	if len(q.terms) > 0 {
		content = "i.content"
	}
	rows, err := collectAll[listedItemRow](tx.Query(ctx, `
		WITH page AS MATERIALIZED (SELECT s.item_id AS page_item_id`+after.from()+` ORDER BY `+order.order+` LIMIT `+strconv.Itoa(limit+1)+`)
		SELECT s.item_id AS id, `+order.key+` AS cursor, i.source_id, i.record_id, i.title, i.preview, i.meta, i.word_count, coalesce(b.name, '') AS batch, s.state,
		       s.label_count, s.labels_wanted, s.disagreement, s.max_distance, s.disagreeing_fields, s.tied_fields, s.decided_at, s.has_newer_labels,
		       `+q.isBlinded()+` AS is_blinded, `+content+` AS content
		FROM page
		JOIN item_states s ON s.item_id = page.page_item_id
		JOIN items i ON i.id = s.item_id
		LEFT JOIN batches b ON b.id = s.batch_id
		ORDER BY `+order.order, after.args...))
	if err != nil {
		return nil, "", err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		next = rows[limit-1].Cursor
	}
	for _, row := range rows {
		items = append(items, row.toListedItem(q.terms))
	}
	return items, next, nil
}

func (r listedItemRow) toListedItem(terms []project.SearchTerm) project.ListedItem {
	item := project.ListedItem{ID: r.ID, SourceID: r.SourceID, RecordID: r.RecordID, Title: r.Title, Preview: r.Preview, Meta: project.Item{Meta: r.Meta}.MetaTexts(),
		WordCount: r.WordCount, Batch: r.Batch, State: r.State, LabelsWanted: r.LabelsWanted, LabelCount: r.LabelCount, IsBlinded: r.IsBlinded}
	if len(terms) > 0 {
		item.Preview = project.FindExcerpt(r.Content, item, terms)
	}
	if r.IsBlinded {
		if r.State.RevealsLabels() {
			item.State = project.ItemInProgress
		}
		item.LabelCount = 0
		return item
	}
	item.Disagreement, item.MaxDistance, item.DisagreeingFields, item.TiedFields = r.Disagreement, r.MaxDistance, r.DisagreeingFields, r.TiedFields
	item.DecidedAt, item.HasNewerLabels = r.DecidedAt, r.HasNewerLabels
	return item
}

// An ItemLabel is the current label of one annotator.
type ItemLabel struct {
	ItemID    project.ItemID
	Annotator string // pseudonym
	Values    map[string]int
}

// ItemLabels returns the current work labels of items whose labels the account may see, by
// item and pseudonym.
func (db *DB) ItemLabels(ctx context.Context, actorID account.ID, p project.Project, ids []project.ItemID) (map[project.ItemID][]ItemLabel, error) {
	rows, err := collectAll[ItemLabel](db.pool.Query(ctx, `
		SELECT item_id, annotator, values
		FROM (
			SELECT DISTINCT ON (n.item_id, n.account_id) n.item_id, m.pseudonym AS annotator, n.answers AS values
			FROM current_annotations n
			JOIN batches b ON b.id = n.batch_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
			WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND n.kind = 'work' AND b.project_id = $3
			  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $4 AND v.project_id = $3 AND v.item_id = n.item_id)
			ORDER BY n.item_id, n.account_id, n.id DESC) latest
		ORDER BY item_id, annotator`, p.ProtocolVersionID, ids, p.ID, actorID))
	labels := map[project.ItemID][]ItemLabel{}
	for _, row := range rows {
		labels[row.ItemID] = append(labels[row.ItemID], row)
	}
	return labels, err
}

// BatchNames returns the names of a project's batches, latest first.
func (db *DB) BatchNames(ctx context.Context, projectID project.ID) ([]string, error) {
	return collectColumn[string](db.pool.Query(ctx, `SELECT name FROM batches WHERE project_id = $1 ORDER BY id DESC`, projectID))
}
