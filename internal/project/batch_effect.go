package project

import (
	"strings"

	"github.com/labelwright/labelwright/internal/locale"
)

// A BatchEffect counts what changing, closing or reopening a batch did.
type BatchEffect struct {
	AnnotatorsAdded      int `json:"annotators_added,omitempty"`
	AnnotatorsRemoved    int `json:"annotators_removed,omitempty"`
	Paused               int `json:"paused,omitempty"`
	Resumed              int `json:"resumed,omitempty"`
	AllowedSeen          int `json:"allowed_seen,omitempty"`
	ItemsReassigned      int `json:"items_reassigned,omitempty"`
	OpenItemsReassigned  int `json:"open_items_reassigned,omitempty"`
	ItemsGiven           int `json:"items_given,omitempty"` // to one chosen annotator
	ItemsAdded           int `json:"items_added,omitempty"`
	LabelsAdded          int `json:"labels_added,omitempty"` // to items of the batch
	ItemsAvailable       int `json:"items_available,omitempty"`
	OpenItemsReleased    int `json:"open_items_released,omitempty"`
	LabelsInLaterBatches int `json:"labels_in_later_batches,omitempty"` // that the reopened batch no longer needs
}

// A BatchChangePreview is what a change of a batch would do.
type BatchChangePreview struct {
	Effect                    BatchEffect
	LabelsBefore, LabelsAfter int // that the batch wants
	Annotators                []ChangedQueue
	Stuck                     int // labels that no annotator could give afterwards
}

// A ChangedQueue is how many items wait for an annotator of a planned batch before and after a change.
type ChangedQueue struct {
	Email     string `json:"email"`
	Pseudonym string `json:"pseudonym"`
	Before    int    `json:"before" doc:"Items that wait before the change."`
	After     int    `json:"after"`
	IsPaused  bool   `json:"is_paused" doc:"After the change."`
	IsRemoved bool   `json:"is_removed" doc:"After the change."`
}

// Text returns the effect of a change: "1 annotator added, 12 items reassigned". It is empty if only settings
// changed.
func (e BatchEffect) Text(l *locale.Locale) string {
	var parts []string
	for _, part := range []struct {
		count int
		text  locale.Text
	}{
		{e.AnnotatorsAdded, locale.Text("%d annotators added")},
		{e.AnnotatorsRemoved, locale.Text("%d annotators removed")},
		{e.Paused, locale.Text("%d annotators paused")}, {e.Resumed, locale.Text("%d annotators resumed")},
		{e.AllowedSeen, locale.Text("%d annotators may label items whose answers they have seen")},
		{e.ItemsReassigned, locale.Text("%d items reassigned")},
		{e.OpenItemsReassigned, locale.Text("%d open items reassigned")},
		{e.ItemsGiven, locale.Text("%d items given to one annotator")},
		{e.ItemsAdded, locale.Text("%d items added")},
		{e.LabelsAdded, locale.Text("%d labels added to items of the batch")},
	} {
		if part.count > 0 {
			parts = append(parts, l.Count(part.text, part.count))
		}
	}
	return strings.Join(parts, ", ")
}
