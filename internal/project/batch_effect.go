package project

import "strings"

// A BatchEffect counts what changing, closing or reopening a batch did.
type BatchEffect struct {
	AnnotatorsAdded      int `json:"annotators_added,omitempty"`
	AnnotatorsRemoved    int `json:"annotators_removed,omitempty"`
	Paused               int `json:"paused,omitempty"`
	Resumed              int `json:"resumed,omitempty"`
	ItemsReassigned      int `json:"items_reassigned,omitempty"`
	OpenItemsReassigned  int `json:"open_items_reassigned,omitempty"`
	ItemsAdded           int `json:"items_added,omitempty"`
	LabelsAdded          int `json:"labels_added,omitempty"` // to items of the batch
	ItemsAvailable       int `json:"items_available,omitempty"`
	OpenItemsReleased    int `json:"open_items_released,omitempty"`
	LabelsInLaterBatches int `json:"labels_in_later_batches,omitempty"` // that the reopened batch no longer needs
}

// Text returns the effect of a change in English: "1 annotator added, 12 items reassigned".
// It is empty if only settings changed.
func (e BatchEffect) Text() string {
	var parts []string
	for _, c := range []struct {
		count      int
		noun, done string
	}{
		{e.AnnotatorsAdded, "annotator", "added"}, {e.AnnotatorsRemoved, "annotator", "removed"},
		{e.Paused, "annotator", "paused"}, {e.Resumed, "annotator", "resumed"},
		{e.ItemsReassigned, "item", "reassigned"}, {e.OpenItemsReassigned, "open item", "reassigned"},
		{e.ItemsAdded, "item", "added"}, {e.LabelsAdded, "label", "added to items of the batch"},
	} {
		switch {
		case c.count == 1:
			parts = append(parts, "1 "+c.noun+" "+c.done)
		case c.count > 1:
			parts = append(parts, formatCount(c.count)+" "+c.noun+"s "+c.done)
		}
	}
	return strings.Join(parts, ", ")
}
