package protocol

import "slices"

// The names of the controls of the labeling form, that are not keys of fields. The
// form, its scripts and handlers use these names, and Read reserves them: a field
// with such a key could not be answered.
const (
	ControlNote         = NoteKey
	ControlObservation  = "observation"   // the key of each ticked observation
	ControlUnsure       = "unsure"        // the key of each field answered between two values
	ControlTab          = "tab"           // the browser tab that saves the draft
	ControlDraftVersion = "draft_version" // of the form, as the page counts
	ControlBaseVersion  = "base_version"  // of the draft that the form started from
	ControlActiveTime   = "active_ms"
	ControlIdleTime     = "idle_ms"
	ControlShortcutsOff = "shortcuts_off"
	ControlSkipReason   = "reason" // the buttons of the form also post to the skip page
	ControlSkipComment  = "comment"
	ControlQuestion     = "lead_question" // and to the page that asks the lead
	ControlScreenState  = "screen_state"  // around the item, as the page showed it
	ControlFilledIn     = "filled_in"     // what the script filled in for edge cases
)

// Controls returns the names of the controls of the labeling form.
func Controls() []string {
	return []string{ControlNote, ControlObservation, ControlUnsure, ControlTab, ControlDraftVersion, ControlBaseVersion,
		ControlActiveTime, ControlIdleTime, ControlShortcutsOff, ControlSkipReason, ControlSkipComment, ControlQuestion,
		ControlScreenState, ControlFilledIn}
}

// formProperties are properties of a form that its scripts use. A control with such
// a name would hide the property.
var formProperties = []string{"action", "dataset", "elements"}

// columnNames have a meaning in files, exports or rules.
var columnNames = []string{
	ControlNote, "notes", "note_length", ControlObservation, "observations", ControlUnsure, ControlActiveTime,
	ControlIdleTime,
	"id", "item", "item_id", "record_id", "annotator", "annotator_id", "annotation", "batch", "project", "each",
}

// ReservedKeys returns the names that no field may have as its key. Parts, facts and
// observations are no controls, so only the names of columns are reserved for them.
func ReservedKeys() []string { return slices.Concat(columnNames, Controls(), formProperties) }
