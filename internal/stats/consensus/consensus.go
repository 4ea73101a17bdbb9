// Package consensus gives each item one answer to each field: by the rules of package
// stats, or by a model of the annotators' errors (Dawid & Skene 1979).
package consensus
