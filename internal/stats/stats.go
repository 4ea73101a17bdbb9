// Package stats computes agreement between annotators, intervals, sample sizes and
// system metrics from plain values. Numbers go in and numbers come out: a figure that
// the data do not give has a Reason, never NaN, 0 or 1. English texts are in text.go.
package stats
