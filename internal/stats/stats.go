// Package stats makes numbers from numbers: how far annotators agree, how sure
// we may be of it, and what their answers say about habits and systems. It
// knows no database and no page. A figure that the data cannot give is a reason
// in words, never NaN, 0 or 1.
package stats
