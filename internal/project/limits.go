package project

// The limits of what users enter. The API documents them; a test compares both.
const (
	MaxKey            = 63   // characters of the key of a project
	MaxTitle          = 200  // characters
	MaxContentWarning = 2000 // characters
	MaxSupportURL     = 500  // bytes
	MaxReason         = 1000 // characters of the reason of a change

	MaxBreakAfterMinutes   = 8 * 60
	MaxDailyItems          = 10_000
	MaxSessionMinutes      = 12 * 60
	MaxReleaseAfterMinutes = 60 * 24 * 60

	MaxBatchName     = 100 // characters
	MaxAnnotators    = 500 // of one batch
	MaxLabelsPerItem = 100
	MaxBreakEvery    = 1000 // items
	MaxBreakMinutes  = 120
	MaxCalibration   = 1000    // calibration items of a batch
	MaxDuplicates    = 1000    // hidden duplicates of an annotator, and gold items
	MaxDrawnItems    = 100_000 // items of one draw for a judge
)
