// Package labeling decides what an annotator may submit, skip and correct, and how items are
// adjudicated. Package postgres stores the results.
package labeling

import (
	"errors"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A State is the state of an assignment.
type State string

// The states. Only an open assignment accepts answers.
const (
	Open      State = "open"
	Submitted State = "submitted"
	Skipped   State = "skipped"
	Released  State = "released" // after a time without activity; another annotator can claim the item
)

// An AssignmentID identifies an assignment.
type AssignmentID int64

// A CorrectionID identifies a correction request.
type CorrectionID int64

// A QuestionID identifies a question of an annotator to the leads.
type QuestionID int64

// An AnnouncementID identifies a message of a lead to the annotators of a batch.
type AnnouncementID int64

// An Assignment is one presentation of one item to one annotator.
type Assignment struct {
	ID         AssignmentID
	Token      string // identifies the assignment in URLs
	BatchID    project.BatchID
	ItemID     project.ItemID
	AccountID  account.ID
	State      State
	Removed    bool // its annotator is no longer a member of the project
	SetBack    bool // skipped for now: it waits until the submit that was taken back is submitted again
	SequenceNo int  // in the annotator's sequence, from 1
	Protocol   protocol.Protocol
	Facts      protocol.Facts
}

// A Submission is what an annotator submits for an assignment.
type Submission struct {
	Answers      protocol.Answers
	ActiveMS     int64     // active time measured in Tab
	Tab          string    // the browser tab, or NoTab
	DraftVersion int64     // the draft version that the form was made from; 0: none
	FilledIn     *FilledIn // of a draft
	// RequiresReading refuses the submission with ErrMustRead until the required reading is
	// acknowledged. Sheets that were filled in elsewhere do not require it.
	RequiresReading bool
}

// A SubmitResult is the outcome of a submit that was stored, now or before.
type SubmitResult struct {
	NextToken        string // of the next item; empty: a break is due, or nothing is left
	AlreadySubmitted bool   // the item was submitted before, and the first answers count
	Differs          bool   // these answers differ from the ones that count
	ShowsReference   bool   // of a calibration item, before the next item
}

// ErrOnBreak is returned for a submit or skip during a break.
var ErrOnBreak = fault.Conflict.Errorf("You are on a break. Your answers are saved. Continue when you are ready.")

// ErrMustRead is returned for a submit before the required reading is acknowledged.
var ErrMustRead = fault.Conflict.Errorf(
	"Read and acknowledge the required reading of the project first. Your answers are saved.")

// ErrReassigned is returned to an annotator whose item was released and given to another.
var ErrReassigned = fault.Conflict.Errorf(
	"Not submitted: this item is no longer yours. A lead reassigned it, or another annotator has it because you were away. What you typed is kept. Continue with the next item.")

// ErrRemoved is returned to an annotator who is no longer a member of the project.
var ErrRemoved = fault.Forbidden.Errorf(
	"You are no longer an annotator of this batch. The labels that you submitted are kept. Answers that you send now are not saved. Ask your lead if this is a mistake.")

// ErrSetBack is returned for an item that waits because its annotator took back the submit
// before it.
var ErrSetBack = fault.Conflict.Errorf(
	"You took back your last submit, so this item waits. Your answers are saved. Submit the other item first.")

// ErrNothingToUndo is returned for an undo that is not possible, or not any more.
var ErrNothingToUndo = fault.Conflict.Errorf(
	"Your last submit cannot be taken back. Report a mistake in it to your lead.")

// KeepsAnswers reports whether err refuses a submission whose answers are to be saved as a draft.
func KeepsAnswers(err error) bool {
	return slices.ContainsFunc([]error{ErrOnBreak, ErrMustRead, ErrSetBack, ErrReassigned},
		func(kept error) bool { return errors.Is(err, kept) })
}

// CheckSubmission reports why s cannot be stored for a: protocol.Problems, or a fault.
func (a Assignment) CheckSubmission(accountID account.ID, s Submission) error {
	if err := a.CheckOpen(accountID); err != nil {
		return err
	}
	if problems := a.Protocol.Check(a.Facts, s.Answers); problems != nil {
		return problems
	}
	return nil
}

// CheckOpen reports why a does not accept answers from an account. For anyone but its
// annotator it does not exist.
func (a Assignment) CheckOpen(accountID account.ID) error {
	switch {
	case accountID != a.AccountID:
		return fault.NotFound
	case a.Removed:
		return ErrRemoved
	case a.State == Submitted:
		return fault.Conflict.Errorf("You already submitted this item. Your first answers count.")
	case a.SetBack:
		return ErrSetBack
	case a.State == Skipped:
		return fault.Conflict.Errorf("You skipped this item.")
	case a.State == Released:
		return fault.Conflict.Errorf("This item was released, and another annotator may have it now.")
	}
	return nil
}
