package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/labelwright/labelwright/internal/account"
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
func (db *DB) ListItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter, cursor string,
	limit int) (page ItemPage, err error) {
	if err := db.measureLabeled(ctx); err != nil {
		return page, err
	}
	err = db.inListTx(ctx, func(tx pgx.Tx) error {
		if err := requireLead(ctx, tx, actorID, p.ID); err != nil {
			return err
		}
		q, err := newItemQuery(ctx, tx, actorID, p, f)
		if err != nil {
			return err
		}
		page.HidesBlinded = q.hidesBlinded
		if page.Items, page.Next, err = q.page(ctx, tx, cursor, limit); err != nil || len(page.Items) > 0 {
			return err
		}
		searchesInWords, err := q.searchInWordsIfNoneStarts(ctx, tx, p.ID)
		if err != nil || !searchesInWords {
			return err
		}
		page.Items, page.Next, err = q.page(ctx, tx, cursor, limit)
		page.MatchesInWords = len(page.Items) > 0
		return err
	})
	if f.RevealsLabels() {
		page.Items, err = revealRows(ctx, db, actorID, page.Items,
			func(i project.ListedItem) project.ItemID { return i.ID }, err)
	}
	if err == nil {
		err = db.recordFilterReveal(ctx, actorID, p, f)
	}
	return page, err
}

// CountItems counts the items that ListItems lists, as far as that is quick.
func (db *DB) CountItems(ctx context.Context, actorID account.ID, p project.Project, f project.ItemFilter,
	inWords bool) (count project.ItemCount, err error) {
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
	if err == nil {
		err = db.recordFilterReveal(ctx, actorID, p, f)
	}
	return count, err
}

// inListTx runs fn in a transaction that reads lists.
func (db *DB) inListTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return db.inTxWith(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := prepareList(ctx, tx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// prepareList has the statements of tx planned for their values, and never read whole
// tables: a filter that selects few items and one that selects nearly all need different
// indexes.
func prepareList(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `
		SELECT set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
		set_config('jit', 'off', true)`)
	return err
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
func (q *itemQuery) page(ctx context.Context, tx pgx.Tx, cursor string, limit int) (items []project.ListedItem,
	next string, err error) {
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
		WITH page AS MATERIALIZED (SELECT s.item_id AS
		page_item_id`+after.from()+` ORDER BY `+order.order+` LIMIT `+strconv.Itoa(limit+1)+`)
		SELECT s.item_id AS id, `+order.key+
		` AS cursor, i.source_id, i.record_id, i.title, i.preview, i.meta, i.word_count, coalesce(b.name, '') AS batch, s.state,
		       s.label_count, s.labels_wanted, s.disagreement, s.max_distance, s.disagreeing_fields, `+q.tied+
		` AS tied_fields, s.decided_at, s.has_newer_labels,
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
	item := project.ListedItem{ID: r.ID, SourceID: r.SourceID, RecordID: r.RecordID, Title: r.Title, Preview: r.Preview,
		Meta:      project.Item{Meta: r.Meta}.MetaTexts(),
		WordCount: r.WordCount, Batch: r.Batch, State: r.State, IsBlinded: r.IsBlinded}
	if len(terms) > 0 {
		item.Preview = project.FindExcerpt(r.Content, item, terms)
	}
	if r.IsBlinded {
		if r.State.RevealsLabels() {
			item.State = project.ItemInProgress
		}
		return item // a rule may want more labels because the first ones differ
	}
	item.LabelsWanted, item.LabelCount = r.LabelsWanted, r.LabelCount
	item.Disagreement, item.MaxDistance, item.DisagreeingFields, item.TiedFields = r.Disagreement, r.MaxDistance,
		r.DisagreeingFields, r.TiedFields
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
func (db *DB) ItemLabels(ctx context.Context, actorID account.ID, p project.Project,
	ids []project.ItemID) (map[project.ItemID][]ItemLabel, error) {
	rows, err := collectAll[ItemLabel](db.pool.Query(ctx, `
		SELECT item_id, annotator, values
		FROM (
			SELECT DISTINCT ON (n.item_id, n.account_id) n.item_id, m.pseudonym AS annotator, n.answers AS values
			FROM current_annotations n
			JOIN batches b ON b.id = n.batch_id
			JOIN members m ON m.project_id = b.project_id AND m.account_id = n.account_id
			WHERE n.protocol_version_id = $1 AND n.item_id = ANY ($2) AND n.kind = 'work' AND b.project_id = $3
			  AND NOT EXISTS (SELECT FROM blinded_items v WHERE v.account_id = $4 AND v.project_id = $3
			  AND v.item_id = n.item_id)
			ORDER BY n.item_id, n.account_id, n.id DESC) latest
		ORDER BY item_id, annotator`, p.ProtocolVersionID, ids, p.ID, actorID))
	labels := map[project.ItemID][]ItemLabel{}
	for _, row := range rows {
		labels[row.ItemID] = append(labels[row.ItemID], row)
	}
	return reveal(ctx, db, actorID, labels, err)
}

// BatchNames returns the names of a project's batches, latest first.
func (db *DB) BatchNames(ctx context.Context, projectID project.ID) ([]string, error) {
	return collectColumn[string](db.pool.Query(ctx, `SELECT name FROM batches WHERE project_id = $1
		ORDER BY id DESC`, projectID))
}
