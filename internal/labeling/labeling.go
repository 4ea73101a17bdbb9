// Package labeling decides when an annotation is accepted. It holds decisions
// only; package postgres carries them out.
package labeling

import (
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A State is where an assignment stands.
type State string

// The states of an assignment. Only an open one takes answers.
const (
	Open      State = "open"
	Submitted State = "submitted"
	SetAside  State = "set_aside"
	Returned  State = "returned" // to the pool, by the lead or after a time
)

// An Assignment is one presentation of one item to one annotator.
type Assignment struct {
	ID        int64
	Token     string // all that addresses show of it
	BatchID   int64
	ItemID    int64
	AccountID int64
	State     State
	Position  int // in the annotator's sequence, from 1
	Protocol  protocol.Protocol
	Facts     protocol.Facts
}

// A Submission is what an annotator sends for an assignment.
type Submission struct {
	Answers  protocol.Answers
	ActiveMS int64  // time spent on the item in Tab, as it was measured there
	Tab      string // which of several pages; Program: none
	From     int64  // of a draft, the version that it was made from; 0: none
}

// Resting is what labelling meets while a break is under way.
var Resting = fault.Conflict.Says("You are having a break. What you typed is kept; go on when you are ready.")

// GoneOn is what comes back to somebody who was away for so long that another
// has the item by now.
var GoneOn = fault.Conflict.Says("You were away for long, so this item went to somebody else. What you typed is kept, and is not needed any more. Go on with the next one.")

// Stands is what comes back to somebody who sends other answers for an item that
// they have sent already, from a second page of it.
var Stands = fault.Conflict.Says("The item before this had been sent already from another page. What was sent there stands.")

// Accept reports why s may not be stored for a, if so: protocol.Problems, or a
// fault.
func (a Assignment) Accept(by int64, s Submission) error {
	if err := a.Takes(by); err != nil {
		return err
	}
	if problems := a.Protocol.Check(a.Facts, s.Answers); problems != nil {
		return problems
	}
	return nil
}

// Takes reports why a takes nothing from that account, if so. To anybody but
// its annotator it does not exist.
func (a Assignment) Takes(by int64) error {
	switch {
	case by != a.AccountID:
		return fault.NotFound
	case a.State == Submitted:
		return fault.Conflict.Says("You have already submitted this item. What you sent first is kept.")
	case a.State == SetAside:
		return fault.Conflict.Says("You have set this item aside.")
	case a.State == Returned:
		return fault.Conflict.Says("This item has gone back to the pool, and may be with somebody else by now.")
	}
	return nil
}

// A Reason says why an annotator sets an item aside.
type Reason string

// The reasons for which an item can be set aside.
const (
	InvalidOrUnrealistic Reason = "invalid_or_unrealistic"
	Unclear              Reason = "unclear"
	OutsideExpertise     Reason = "outside_expertise"
	Distressing          Reason = "distressing" // needs no word, and is never shown per person
)

// Reasons lists every reason, as forms show them.
var Reasons = []Reason{Unclear, InvalidOrUnrealistic, OutsideExpertise, Distressing}

// Says returns r as annotators read it.
func (r Reason) Says() string {
	return map[Reason]string{
		InvalidOrUnrealistic: "Invalid or unrealistic",
		Unclear:              "Unclear: I cannot tell what is meant",
		OutsideExpertise:     "Outside what I know enough about",
		Distressing:          "Distressing: no explanation needed",
	}[r]
}

// An Aside is an item set aside.
type Aside struct {
	Reason Reason
	Word   string
}

// Check returns s tidied of outer space, or a fault that says what is missing.
func (s Aside) Check() (Aside, error) {
	s.Word = strings.Trim(s.Word, protocol.Blank)
	switch {
	case s.Reason.Says() == "":
		return s, fault.Invalid.Says("Please choose what fits best.")
	case s.Word == "" && s.Reason != Distressing:
		return s, fault.Invalid.Says("Please say a word or two about it; only what is distressing needs none.")
	case utf8.RuneCountInString(s.Word) > 1000:
		return s, fault.Invalid.Says("Please keep the explanation under 1,000 characters.")
	}
	return s, nil
}

// AsideNext says what happens to an item that an annotator set aside.
type AsideNext string

// What a project can choose to happen.
const (
	ToSomebody AsideNext = "somebody" // another annotator gets it
	ToMeLater  AsideNext = "later"    // it comes back at the end, once
	ToNobody   AsideNext = "nobody"   // the label stays missing, and is counted so
)

// AsideNexts lists every choice, as forms show them.
var AsideNexts = []AsideNext{ToSomebody, ToMeLater, ToNobody}

// Says returns n as leads read it.
func (n AsideNext) Says() string {
	return map[AsideNext]string{
		ToSomebody: "It goes to somebody else",
		ToMeLater:  "It comes back to the same annotator at the end, once; then it goes to somebody else",
		ToNobody:   "It goes to nobody, and the label stays missing",
	}[n]
}

// Next returns what happens to an item set aside for reason, for the first time
// or again. What distresses somebody never comes back to them.
func (n AsideNext) Next(reason Reason, again bool) AsideNext {
	if n == ToMeLater && (again || reason == Distressing) {
		return ToSomebody
	}
	return n
}
