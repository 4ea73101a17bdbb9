package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/report/consensus"
)

// A Snapshot reads the data of a project as of one moment. It is valid inside of
// DB.Snapshot.
type Snapshot struct {
	tx      pgx.Tx
	project project.Project
	scope   exportScope
	blind   *blinder         // nil: not blinded
	model   *consensus.Model // nil: the consensus comes from the rule that suits the scale
	options ExportOptions
}

// Snapshot calls fn with a snapshot of a project. It returns labeling.ErrBlinded to an
// account that must not see some answers yet.
func (db *DB) Snapshot(ctx context.Context, actorID account.ID, p project.Project, fn func(Snapshot) error) error {
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return err
	}
	return db.revealing(ctx, actorID, p.ID, func() error { return db.snapshot(ctx, p, fn) })
}

// snapshot allows statements an hour, because files are large and readers can be slow.
func (db *DB) snapshot(ctx context.Context, p project.Project, fn func(Snapshot) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return db.inTxWith(ctx, options, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = '1h'`); err != nil {
			return err
		}
		return fn(Snapshot{tx: tx, project: p})
	})
}

// ExportOptions select what Export writes. The manifest has them as JSON.
type ExportOptions struct {
	Shape        dataset.Shape    `json:"shape"`
	Format       dataset.Format   `json:"format"`
	Layout       dataset.Layout   `json:"layout"`
	Contents     dataset.Contents `json:"contents"`
	Consensus    consensus.Method `json:"consensus_method,omitempty"` // ByDawidSkene, or empty: the rule
	IncludeTexts bool             `json:"include_texts"`
	// without metadata, and with ids that only the unblinding key explains
	Blinded    bool                `json:"blinded"`
	BOM        bool                `json:"bom,omitempty"` // CSV starts with the mark by which Excel knows UTF-8
	ExactTimes bool                `json:"exact_times"`
	Comments   bool                `json:"comments"` // with what members wrote to each other about their work
	Batches    []string            `json:"batches"`  // names; null: all
	States     []project.ItemState `json:"states"`   // of items; null: all

	OnProgress func(done, total int) `json:"-"` // labels and items written; may be nil
}

// check returns options with defaults, or an error for a combination that does not exist.
func (o ExportOptions) check() (ExportOptions, error) {
	o.Layout, o.Contents = cmpOr(o.Layout, dataset.Plain), cmpOr(o.Contents, dataset.RawLabels)
	if !o.Layout.HasTables() {
		o.Shape, o.Format = dataset.Wide, dataset.JSONL // not used
	}
	known := slices.Contains([]dataset.Shape{dataset.Long, dataset.Wide}, o.Shape) &&
		slices.Contains([]dataset.Format{dataset.CSV, dataset.JSONL, dataset.Parquet}, o.Format) &&
		slices.Contains([]dataset.Layout{dataset.Plain, dataset.HuggingFace, dataset.LabelStudio, dataset.Langfuse},
			o.Layout) &&
		slices.Contains([]dataset.Contents{dataset.RawLabels, dataset.Consensus, dataset.BothLabels}, o.Contents)
	if !known {
		return o, fault.Invalid.Errorf(
			"Choose the shape long or wide, the format csv, jsonl or parquet, the layout plain, huggingface, label-studio or langfuse, and the contents raw, consensus or both.")
	}
	if o.Consensus == "rule" {
		o.Consensus = ""
	}
	switch {
	case o.Consensus == "":
	case o.Consensus != consensus.ByDawidSkene:
		return o, fault.Invalid.Errorf("“%s” is no method of the consensus. Choose rule or dawid-skene.", o.Consensus)
	case !o.Contents.HasConsensus():
		return o, fault.Invalid.Errorf(
			"A consensus by %s needs an export with the consensus. Choose the contents consensus or both.", o.Consensus)
	}
	if o.Blinded && o.Layout == dataset.Langfuse {
		return o, fault.Invalid.Errorf(
			"Langfuse scores need the ids of traces, which a blinded export does not have. Choose another layout, or do not blind the export.")
	}
	return o, nil
}

func cmpOr[T comparable](value, substitute T) T {
	var zero T
	if value == zero {
		return substitute
	}
	return value
}

// Export writes the labels of a project and everything else that a report is computed from.
// It records the attempt in the audit log first. It returns labeling.ErrBlinded to an account
// that must not see some answers yet.
func (db *DB) Export(ctx context.Context, actorID account.ID, p project.Project, options ExportOptions,
	sink dataset.FileSink) (m dataset.Manifest, err error) {
	if options, err = options.check(); err != nil {
		return m, err
	}
	if err := requireUnblinded(ctx, db.pool, actorID, p.ID); err != nil {
		return m, err
	}
	if err := recordAudit(ctx, db.pool, actorID, "project.export", projectSubject(p.Key), options); err != nil {
		return m, err
	}
	err = db.revealing(ctx, actorID, p.ID, func() error {
		m, err = db.writeExport(ctx, p, options, sink)
		return err
	})
	if err != nil {
		return m, err
	}
	return m, db.inTx(ctx, func(tx pgx.Tx) error { return queueExportReady(ctx, tx, p, options, len(m.Files), 0) })
}

// writeExport writes an export with checked options to sink.
func (db *DB) writeExport(ctx context.Context, p project.Project, options ExportOptions,
	sink dataset.FileSink) (m dataset.Manifest, err error) {
	if err := db.measureAll(ctx); err != nil { // the states of items are among the columns
		return m, err
	}
	err = db.snapshot(ctx, p, func(s Snapshot) error {
		d, err := s.dataset(ctx, options)
		if err != nil {
			return err
		}
		m, err = d.Write(sink)
		return err
	})
	return m, err
}

func (s Snapshot) dataset(ctx context.Context, options ExportOptions) (d dataset.Dataset, err error) {
	s.options = options
	if s.scope, err = s.loadScope(ctx, options); err != nil {
		return d, err
	}
	d.Protocol, d.Request = s.project.Protocol, options
	d.Options = dataset.WriteOptions{Shape: options.Shape, Format: options.Format, Layout: options.Layout,
		IncludeTexts: options.IncludeTexts, BOM: options.BOM, ExactTimes: options.ExactTimes}
	if options.Blinded {
		s.blind, err = s.newBlinder(ctx)
	} else {
		d.Options.MetaColumns, err = s.metaColumns(ctx)
	}
	if err != nil {
		return d, err
	}
	counts, err := s.countForExport(ctx)
	if err != nil {
		return d, err
	}
	if options.Consensus != "" {
		if s.model, err = s.fitConsensus(ctx); err != nil {
			return d, err
		}
		d.Options.HasModel = true
	}
	s.addFiles(ctx, &d, counts)
	if d.Options.Layout.HasTables() {
		s.addRecordTables(ctx, &d)
	}
	if d.Card, d.Snapshot, err = s.loadCard(ctx, counts[dataset.Work]); err != nil {
		return d, err
	}
	if d.Checks, err = s.runChecks(ctx, counts[dataset.Work].Annotations); err != nil {
		return d, err
	}
	d.LeftOut, err = s.listOmissions(ctx, counts, d.Card)
	return d, err
}

func (s Snapshot) addFiles(ctx context.Context, d *dataset.Dataset, counts exportCounts) {
	progress := &exportProgress{total: counts.total(s.options), report: s.options.OnProgress}
	switch s.options.Layout {
	case dataset.LabelStudio:
		d.Files = dataset.LabelStudioFiles(d.Protocol, d.Options, countRows(progress, s.itemLabels(ctx)))
		return
	case dataset.Langfuse:
		d.Files = dataset.LangfuseFiles(d.Protocol, d.Options, s.project.Key, countRows(progress, s.itemLabels(ctx)))
		return
	}
	if s.options.Contents.HasRaw() {
		for _, kind := range dataset.AnnotationKinds {
			if counts[kind].Annotations > 0 || kind == dataset.Work {
				d.Tables = append(d.Tables, dataset.AnnotationTable(kind,
					countRows(progress, s.annotations(ctx, kind))))
			}
		}
	}
	if s.options.Contents.HasConsensus() {
		d.Tables = append(d.Tables, dataset.ConsensusTable("consensus", countRows(progress, s.Consensus(ctx))))
		if s.model != nil {
			d.Tables = append(d.Tables, dataset.RecordTable(annotatorErrorSpec, annotatorErrors(d.Protocol, s.model)))
		}
	}
}
