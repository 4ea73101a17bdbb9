// Package internal is the house. One room per subject, and house_test for the
// doors between them:
//
//	protocol   what is asked: fields, scales, rules, guidance
//	project    what is labelled and by whom: items, batches, members, the plan
//	sequence   one annotator's path: calibration, work, hidden duplicates, breaks
//	labeling   when an annotation is accepted, and how a lead settles an item
//	stats      numbers from numbers: κ, α, AC1/AC2, Wilson, bootstrap
//	report     what leads read: agreement with its verdict, habits, metrics
//	sheet      files in and out: imports, exports
//	account    people, passwords, invitations, roles
//	fault      errors with a sentence for the person who meets them
//	postgres   all SQL; local starts a private server; pgtest gives each test
//	           its own database
package internal
