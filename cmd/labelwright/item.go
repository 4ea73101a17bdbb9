package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/labelwright/labelwright/web/api"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/consensus"
	"github.com/labelwright/labelwright/internal/stats"
)

type itemCommand struct {
	List      itemList      `cmd:"" help:"List and search items."`
	Archive   itemArchive   `cmd:"" help:"Keep items out of all batches from now on."`
	Restore   itemRestore   `cmd:"" help:"Make archived items available to batches again."`
	Calibrate itemCalibrate `cmd:"" help:"Make adjudicated items calibration items."`
}

type itemList struct {
	Project string `required:"" help:"Key of the project."`
	itemFilterFlags
	Sort   string `enum:"imported,newest,disagreement,decided" default:"imported" help:"Order: imported, newest, disagreement (largest first; only items with one) or decided (last decision first; only adjudicated items)."`
	Limit  int    `default:"50" help:"Number of items, up to 1000."`
	Cursor string `placeholder:"CURSOR" help:"Where to continue: next_cursor of the page before."`
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// itemFilterFlags select items.
type itemFilterFlags struct {
	Search     string `placeholder:"TEXT" help:"Words, starts of words or parts of words in texts, ids and metadata; items have all of them."`
	Batch      string `placeholder:"NAME" help:"Only items of this batch."`
	State      string `enum:",unassigned,in_progress,complete,disagreement,adjudicated,calibration,archived" default:"" placeholder:"STATE" help:"Only items in this state: unassigned, in_progress, complete, disagreement, adjudicated, calibration or archived."`
	Condition  string `placeholder:"COLUMN=VALUE" help:"Only items with this metadata."`
	Record     string `placeholder:"ID" help:"Only items of this record."`
	Annotator  string `placeholder:"PSEUDONYM" help:"Only items that this annotator labeled."`
	Field      string `placeholder:"KEY" help:"Only items with a disagreement on this field; with --consensus, whose consensus on it comes from that method."`
	Answer     string `placeholder:"FIELD=VALUE" help:"Only items where an annotator gave this answer."`
	Tied       bool   `help:"Only disagreements without a consensus."`
	Labeled    bool   `help:"Only items with a label."`
	Consensus  string `enum:",adjudicated,majority,median,tie_rule,tie" default:"" placeholder:"METHOD" help:"Only items whose consensus on a field comes from this method: adjudicated, majority, median, tie_rule or tie."`
	Skipped    bool   `help:"Only items that annotators skipped, without those skipped for personal reasons."`
	SkipReason string `enum:",invalid_or_unrealistic,unclear" default:"" placeholder:"REASON" help:"Only items that annotators skipped for this reason: invalid_or_unrealistic or unclear."`
}

func (l itemFilterFlags) filter() project.ItemFilter {
	return project.ItemFilter{Search: l.Search, Batch: l.Batch, State: project.ItemState(l.State),
		Condition: l.Condition, RecordID: l.Record,
		Annotator: l.Annotator, Field: l.Field, Answer: l.Answer, TiedOnly: l.Tied, LabeledOnly: l.Labeled,
		Consensus:   l.Consensus,
		SkippedOnly: l.Skipped || l.SkipReason != "", SkipReason: l.SkipReason}
}

// conditions returns what the flags select; nil: they select nothing.
func (l itemFilterFlags) conditions() *api.ItemConditions {
	c := api.ItemConditions{Search: l.Search, Batch: l.Batch, State: project.ItemState(l.State), Condition: l.Condition,
		Record: l.Record, Annotator: l.Annotator, Field: l.Field, Answer: l.Answer, Tied: l.Tied, Labeled: l.Labeled,
		Consensus: stats.ConsensusMethod(l.Consensus), Skipped: l.Skipped, SkipReason: l.SkipReason}
	if c == (api.ItemConditions{}) {
		return nil
	}
	return &c
}

// maxListLimit is the number of items that one command lists.
const maxListLimit = 1000

// An itemEntry is an item in the JSON output.
type itemEntry struct {
	ID                string            `json:"id"`
	RecordID          string            `json:"record_id"`
	Title             string            `json:"title"`
	Preview           string            `json:"preview"`
	Metadata          map[string]string `json:"metadata"`
	Batch             string            `json:"batch"`
	State             project.ItemState `json:"state"`
	Labels            int               `json:"labels"`
	LabelsWanted      int               `json:"labels_wanted"`
	Disagreement      float64           `json:"disagreement"`
	MaxDistance       int               `json:"max_distance"`
	DisagreeingFields []string          `json:"disagreeing_fields"`
	TiedFields        []string          `json:"tied_fields"`
	Consensus         []consensusEntry  `json:"consensus,omitempty"`
	Verdicts          map[string]bool   `json:"verdicts,omitempty"` // without those that depend on a tie
	Skips             []skipEntry       `json:"skips,omitempty"`
}

// A consensusEntry is the consensus on a field in the JSON output.
type consensusEntry struct {
	Field  string                `json:"field"`
	Value  *int                  `json:"value"` // null for a tie
	Mean   float64               `json:"mean"`
	Labels int                   `json:"labels"`
	Spread int                   `json:"spread"`
	How    stats.ConsensusMethod `json:"how"`
}

// A skipEntry is a skip of an item in the JSON output.
type skipEntry struct {
	Reason    labeling.SkipReason `json:"reason"`
	Comment   string              `json:"comment"`
	SkippedAt time.Time           `json:"skipped_at"`
}

// Run prints items as the Items page lists them.
func (l itemList) Run(c *cli, s streams, ctx runContext) error {
	if l.Limit < 1 || l.Limit > maxListLimit {
		return usageError{fmt.Errorf("--limit must be from 1 to %d", maxListLimit)}
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), l.Project)
		if err != nil {
			return err
		}
		f := l.filter()
		f.Sort = project.ItemSort(l.Sort)
		page, err := db.ListItems(ctx, actor(ctx).ID, p, f, l.Cursor, l.Limit)
		if err != nil {
			return err
		}
		if l.Format == "text" {
			return printItems(s, page)
		}
		details, err := loadItemDetails(ctx, db, p, f, page.Items)
		if err != nil {
			return err
		}
		return printItemsJSON(s, page, details)
	})
}

// itemDetails are what lists of labeled or skipped items have for each item.
type itemDetails struct {
	consensus map[project.ItemID]consensus.Item
	skips     map[project.ItemID][]postgres.ItemSkip
}

func loadItemDetails(ctx runContext, db *postgres.DB, p project.Project, f project.ItemFilter,
	items []project.ListedItem) (d itemDetails, err error) {
	ids := make([]project.ItemID, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	if f.LabeledOnly || f.Consensus != "" {
		if d.consensus, err = db.ItemConsensus(ctx, actor(ctx).ID, p, ids); err != nil {
			return d, err
		}
	}
	if f.SkippedOnly {
		d.skips, err = db.ItemSkips(ctx, actor(ctx).ID, p, ids)
	}
	return d, err
}

func printItemsJSON(s streams, page postgres.ItemPage, details itemDetails) error {
	entries := make([]itemEntry, len(page.Items))
	for i, item := range page.Items {
		entries[i] = itemEntry{ID: item.SourceID, RecordID: item.RecordID, Title: item.Title, Preview: item.Preview,
			Metadata: item.Meta, Batch: item.Batch,
			State: item.State, Labels: item.LabelCount, LabelsWanted: item.LabelsWanted,
			Disagreement: item.Disagreement, MaxDistance: item.MaxDistance,
			DisagreeingFields: emptyList(item.DisagreeingFields), TiedFields: emptyList(item.TiedFields)}
		found := details.consensus[item.ID]
		for _, field := range slices.Sorted(maps.Keys(found.Fields)) {
			if c := found.Fields[field]; c.Labels > 0 {
				entry := consensusEntry{Field: field, Mean: c.Mean, Labels: c.Labels, Spread: c.Spread, How: c.Method}
				if c.IsResolved() {
					entry.Value = &c.Value
				}
				entries[i].Consensus = append(entries[i].Consensus, entry)
			}
		}
		entries[i].Verdicts = found.Verdicts
		for _, skip := range details.skips[item.ID] {
			entries[i].Skips = append(entries[i].Skips, skipEntry{skip.Reason, skip.Comment, skip.SkippedAt})
		}
	}
	encoder := json.NewEncoder(s.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"items": entries, "next_cursor": page.Next})
}

// emptyList returns a list that JSON shows as [] if it is empty.
func emptyList(list []string) []string { return append([]string{}, list...) }

func printItems(s streams, page postgres.ItemPage) error {
	if len(page.Items) == 0 {
		fmt.Fprintln(s.out, "No items match.")
		return nil
	}
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ITEM\tID\tBATCH\tSTATE\tLABELS")
	for _, item := range page.Items {
		state := item.State.Text()
		if len(item.DisagreeingFields) > 0 {
			state += " on " + strings.Join(item.DisagreeingFields, ", ")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d of %d\n", project.Truncate(item.Name(), 60), item.SourceID, item.Batch,
			state, item.LabelCount, max(item.LabelCount, item.LabelsWanted))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if page.Next != "" {
		fmt.Fprintf(s.out, "\nMore items: --cursor %s\n", page.Next)
	}
	return nil
}

// chosenItems are items that a command names, or all that a filter selects.
type chosenItems struct {
	Project     string   `required:"" help:"Key of the project."`
	IDs         []string `arg:"" optional:"" name:"id" help:"Ids of the items in their file."`
	AllMatching bool     `help:"All items that the options select, instead of ids."`
	itemFilterFlags
	resultFlags
}

// check reports options that do not go together.
func (i chosenItems) check() error {
	f := i.filter()
	if i.AllMatching == (len(i.IDs) > 0) || len(i.IDs) > 0 && !f.IsEmpty() {
		return usageError{errors.New("name the ids of items, or use --all-matching with options that select items")}
	}
	return nil
}

// run calls change with the items, and prints the number that it changed.
func (i chosenItems) run(c *cli, s streams, ctx runContext, done string, change func(*postgres.DB, project.Project,
	project.ItemFilter) (int, error)) error {
	if err := i.check(); err != nil {
		return err
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		p, err := db.Project(ctx, actor(ctx), i.Project)
		if err != nil {
			return err
		}
		f := i.filter()
		if !i.AllMatching {
			if f.IDs, err = db.ItemIDs(ctx, p, i.IDs); err != nil {
				return err
			}
		}
		n, err := change(db, p, f)
		if err != nil {
			return err
		}
		return i.print(s, map[string]any{"project": p.Key, "items": n}, "%s %s of %s.\n", done,
			pluralize(n, "item"), p.Key)
	})
}

type itemArchive struct {
	chosenItems
	Reason string `required:"" help:"Why, for the audit log."`
}

// Run archives items.
func (i itemArchive) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Archived", func(db *postgres.DB, p project.Project, f project.ItemFilter) (int, error) {
		return db.ArchiveItems(ctx, actor(ctx).ID, p, f, i.Reason)
	})
}

type itemRestore struct{ chosenItems }

// Run restores archived items.
func (i itemRestore) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Restored", func(db *postgres.DB, p project.Project, f project.ItemFilter) (int, error) {
		return db.RestoreItems(ctx, actor(ctx).ID, p, f)
	})
}

type itemCalibrate struct{ chosenItems }

// Run makes copies of adjudicated items calibration items: the decision and its reason are
// the reference.
func (i itemCalibrate) Run(c *cli, s streams, ctx runContext) error {
	return i.run(c, s, ctx, "Copied to calibration:", func(db *postgres.DB, p project.Project,
		f project.ItemFilter) (int, error) {
		return db.CalibrateItems(ctx, actor(ctx).ID, p, f)
	})
}
