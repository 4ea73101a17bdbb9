package audit

// Sentences are the texts of all actions.
var Sentences = sentences
