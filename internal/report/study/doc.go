// Package study indexes the data of a project, so that each question about it is answered from the same items, labels
// and
// rating tables.
//
// # How the report is divided
//
// Packages next to this one answer one question each: agreement, comparison, judging, consensus, annotators. Each
// embeds a *Study and imports this package and the packages of mathematics (stats, ratereffect), never package report,
// and another of them only one way. Their results are codes and numbers: a Number or an AgreementFigure for a figure,
// a string type with constants for a conclusion, a stats.ReasonCode for what is missing. Package report calls them in
// Build and holds their results in Report. Package prose writes sentences from results.
//
// # What it offers
//
//   - Study.Fields are the fields with their answers: FieldTable.Points is, by label, the index of the answer on the
//     scale FieldTable.Values, or NoAnswer; FieldTable.Table is the rating table for package stats.
//   - Items, annotators and labels are numbered: AllItems[n] is an item, ByItem.At(n) its labels, ByAnnotator.At(n)
//     those of an annotator, Work the columns of labels, Labeled the items with labels.
//   - ClusterOf and RecordOf name what an item is resampled with.
//   - Options are those of every interval. InParallel uses all processors.
//   - KappasWithOthers is κ of each annotator with the others, computed once.
package study
