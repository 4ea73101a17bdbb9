// Package ratereffect detects rater effects, such as leniency or straight-lining, by
// comparing each annotator's labels with those of the others on the same items.
package ratereffect
