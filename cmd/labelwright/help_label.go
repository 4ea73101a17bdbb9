package main

func (labelStatus) Help() string {
	return `Prints your open batches with their counters, as the Work page shows them. Messages, required reading and the result of a calibration are read and confirmed on the pages of the site.

Example:

  labelwright --as ben@example.org label status`
}

func (labelNext) Help() string {
	return `Opens the next item, or returns to the open one, and prints it as JSON with its texts and questions. If nothing opens, the status of the batches says why.

Example:

  labelwright --as ben@example.org label next --batch 7`
}

func (labelShow) Help() string {
	return `Prints an open item as JSON.

Example:

  labelwright --as ben@example.org label show bcdfghjkmn`
}

func (labelSubmit) Help() string {
	return `Checks the answers by the rules of the protocol, stores the label and opens the next item, unless a break starts or nothing is left. Submitted twice, the first answers count.

Example:

  labelwright --as ben@example.org label submit bcdfghjkmn answers.json --draft
  labelwright --as ben@example.org label submit bcdfghjkmn answers.json`
}

func (labelSkip) Help() string {
	return `Skips an open item for a reason, and opens the next one.

Example:

  labelwright --as ben@example.org label skip bcdfghjkmn --reason unclear --comment "The response ends in the middle."`
}

func (labelAsk) Help() string {
	return `Asks the leads about an open item, which stays open. You read the answer on the Work page.

Example:

  labelwright --as ben@example.org label ask bcdfghjkmn "Does a leaflet count?"`
}

func (labelReport) Help() string {
	return `Reports a mistake in an item that you submitted. A lead decides whether it is reopened.

Example:

  labelwright --as ben@example.org label report bcdfghjkmn "I meant 4."`
}

func (labelUndo) Help() string {
	return `Opens the item of your last submit again, with its answers as draft, until the next submit. The project must allow it.

Example:

  labelwright --as ben@example.org label undo --batch 7`
}

func (labelBreak) Help() string {
	return `Starts a break in the batch that you used last, or ends it. Your open item stays open.

Example:

  labelwright --as ben@example.org label break
  labelwright --as ben@example.org label break --end`
}
