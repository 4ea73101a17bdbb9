// Package labeling decides when an annotation is accepted. It holds decisions
// only; package postgres carries them out.
package labeling

import (
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A State is where an assignment stands.
type State string

// The states of an assignment. Only an open one takes answers.
const (
	Open      State = "open"
	Submitted State = "submitted"
	Skipped   State = "set_aside"
	Released  State = "returned" // to the pool, by the lead or after a time
)

// An AssignmentID identifies an assignment.
type AssignmentID int64

// A CorrectionID identifies a correction request.
type CorrectionID int64

// An Assignment is one presentation of one item to one annotator.
type Assignment struct {
	ID         AssignmentID
	Token      string // all that addresses show of it
	BatchID    project.BatchID
	ItemID     project.ItemID
	AccountID  account.ID
	State      State
	SequenceNo int // in the annotator's sequence, from 1
	Protocol   protocol.Protocol
	Facts      protocol.Facts
}

// A Submission is what an annotator sends for an assignment.
type Submission struct {
	Answers      protocol.Answers
	ActiveMS     int64  // time spent on the item in Tab, as it was measured there
	Tab          string // which of several pages; Program: none
	DraftVersion int64  // of a draft, the version that it was made from; 0: none
}

// ErrOnBreak is what labelling meets while a break is under way.
var ErrOnBreak = fault.Conflict.Errorf("You are having a break. What you typed is kept; go on when you are ready.")

// ErrReassigned is what comes back to somebody who was away for so long that another
// has the item by now.
var ErrReassigned = fault.Conflict.Errorf("You were away for long, so this item went to somebody else. What you typed is kept, and is not needed any more. Go on with the next one.")

// ErrAlreadySubmitted is what comes back to somebody who sends other answers for an item that
// they have sent already, from a second page of it.
var ErrAlreadySubmitted = fault.Conflict.Errorf("The item before this had been sent already from another page. What was sent there stands.")

// CheckSubmission reports why s may not be stored for a, if so: protocol.Problems, or a
// fault.
func (a Assignment) CheckSubmission(accountID account.ID, s Submission) error {
	if err := a.CheckOpen(accountID); err != nil {
		return err
	}
	if problems := a.Protocol.Check(a.Facts, s.Answers); problems != nil {
		return problems
	}
	return nil
}

// CheckOpen reports why a takes nothing from that account, if so. To anybody but
// its annotator it does not exist.
func (a Assignment) CheckOpen(accountID account.ID) error {
	switch {
	case accountID != a.AccountID:
		return fault.NotFound
	case a.State == Submitted:
		return fault.Conflict.Errorf("You have already submitted this item. What you sent first is kept.")
	case a.State == Skipped:
		return fault.Conflict.Errorf("You have set this item aside.")
	case a.State == Released:
		return fault.Conflict.Errorf("This item has gone back to the pool, and may be with somebody else by now.")
	}
	return nil
}

// A SkipReason says why an annotator sets an item aside.
type SkipReason string

// The reasons for which an item can be set aside.
const (
	InvalidOrUnrealistic SkipReason = "invalid_or_unrealistic"
	Unclear              SkipReason = "unclear"
	OutsideExpertise     SkipReason = "outside_expertise"
	Distressing          SkipReason = "distressing" // needs no word, and is never shown per person
)

// SkipReasons lists every reason, as forms show them.
var SkipReasons = []SkipReason{Unclear, InvalidOrUnrealistic, OutsideExpertise, Distressing}

// Text returns r as annotators read it.
func (r SkipReason) Text() string {
	return map[SkipReason]string{
		InvalidOrUnrealistic: "Invalid or unrealistic",
		Unclear:              "Unclear: I cannot tell what is meant",
		OutsideExpertise:     "Outside what I know enough about",
		Distressing:          "Distressing: no explanation needed",
	}[r]
}

// An Skip is an item set aside.
type Skip struct {
	Reason  SkipReason
	Comment string
}

// Check returns s tidied of outer space, or a fault that says what is missing.
func (s Skip) Check() (Skip, error) {
	s.Comment = strings.Trim(s.Comment, protocol.BlankChars)
	switch {
	case s.Reason.Text() == "":
		return s, fault.Invalid.Errorf("Please choose what fits best.")
	case s.Comment == "" && s.Reason != Distressing:
		return s, fault.Invalid.Errorf("Please say a word or two about it; only what is distressing needs none.")
	case utf8.RuneCountInString(s.Comment) > 1000:
		return s, fault.Invalid.Errorf("Please keep the explanation under 1,000 characters.")
	}
	return s, nil
}

// SkipPolicy says what happens to an item that an annotator set aside.
type SkipPolicy string

// What a project can choose to happen.
const (
	SkipReassign    SkipPolicy = "somebody" // another annotator gets it
	SkipReturnLater SkipPolicy = "later"    // it comes back at the end, once
	SkipDrop        SkipPolicy = "nobody"   // the label stays missing, and is counted so
)

// SkipPolicies lists every choice, as forms show them.
var SkipPolicies = []SkipPolicy{SkipReassign, SkipReturnLater, SkipDrop}

// Text returns n as leads read it.
func (p SkipPolicy) Text() string {
	return map[SkipPolicy]string{
		SkipReassign:    "It goes to somebody else",
		SkipReturnLater: "It comes back to the same annotator at the end, once; then it goes to somebody else",
		SkipDrop:        "It goes to nobody, and the label stays missing",
	}[p]
}

// Apply returns what happens to an item set aside for reason, for the first time
// or again. What distresses somebody never comes back to them.
func (p SkipPolicy) Apply(reason SkipReason, skippedBefore bool) SkipPolicy {
	if p == SkipReturnLater && (skippedBefore || reason == Distressing) {
		return SkipReassign
	}
	return p
}
