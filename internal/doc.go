// Package internal holds the domain packages and the database layer.
//
//	protocol     a rubric: fields, scales, rules, guide, examples
//	project      projects, items, batches and their previews
//	sequence     what an annotator gets next, decided by a pure function
//	labeling     accepting labels, skips, corrections, calibration, adjudication
//	stats        coefficients and intervals: numbers in, numbers out
//	ratereffect  effects such as severity, halo and careless answers, on top of stats
//	report       what a lead reads: verdicts, comparisons, metrics; fromexport reads its data from an export
//	importer     readers of foreign files: items, references, decisions, judgments, long tables
//	dataset      exports: tables, manifest, codebook, card; and reading the tables again
//	account      users, roles, passwords, invitations
//	mail         the texts of mails, and sending them by SMTP
//	backup       the file of a backup: tables, their sums, encryption
//	outbox       the jobs that send mails and events
//	audit        the entries of the audit log, as sentences and rows
//	version      the version of this program
//	locale       the catalog of texts: English, German; numbers, dates and plurals by language
//	fault        errors by kind, each with a message for the user
//	webhook      events of projects: signing them, and sending them without reaching private networks
//	telemetry    metrics and the log of slow queries
//	plaintext    which characters can be stored, and shown on one line
//	require      skips tests that lack a program, or fails them where it is required
//	postgres     all SQL; local runs a private server, pgtest gives each test a database
//
// README.md says how a label, a report and a rule travel through them.
//
// web has the pages, web/api the JSON API under /api/v1, and web/problem the errors
// that both answer with.
//
// Imports point one way: cmd → web → page → ui → domain packages ← postgres.
// TestImports holds that.
//
// # Glossary
//
// One concept has one term, on screens and in code.
//
//	protocol            one versioned definition of a task: the unit shown, the fields, the rules
//	version, revision   a version fixes keys, scales, labels, anchors and rules; a revision changes prose only
//	unit                what one annotation is about, such as a query and a chunk
//	part                one text of a unit: query, answer, chunks, conversation
//	field               one question of a protocol, answered on a scale
//	scale               the values a field can have, each with an anchor text
//	observation         an optional yes/no that an annotator may tick; rules may tie it to fields
//	rule                "if these answers, then those": checked in browser, server and database
//	note                free text with the answers
//	item                the content of one unit, imported into a project
//	record              items of one imported row; they share a record id
//	metadata            other columns of an item; annotators never see them
//	project             items of one protocol version, with its members and settings
//	member              an account in a project, as lead or annotator, under a pseudonym
//	batch               a set of items assigned to annotators
//	overlap             how many annotators label each item of a batch
//	slot                one label that an item needs; at most one annotator owns it
//	planned, pool       each annotator has a queue from the start; or all claim what is free, first come, first served
//	queue               the items that wait for one annotator in a batch, in their order
//	claim, release      take a free slot; give it back
//	assignment          one presentation of one item to one annotator: calibration, work, duplicate or gold
//	annotation, label   the submitted answers of one assignment; never changed, only replaced
//	draft               answers saved while they are typed
//	skip                an annotator declines an item, with a reason
//	correction request  an annotator reports a mistake in a submitted label; a lead may reopen it
//	session             time at work without a gap of 30 minutes
//	break               a pause; planned by the batch or taken by the annotator
//	calibration set     items with reference answers, labeled before the work
//	reference answer    the answer to a calibration item, with reasons
//	attempt             one pass of an annotator through the calibration set
//	bias                mean difference from the reference answers, with its interval
//	gold                an item with a reference answer, hidden among the work of an annotator
//	hidden duplicate    an item shown to the same annotator a second time, as if it were new
//	self-consistency    agreement of annotators with themselves, on hidden duplicates
//	agreement           how far annotators give equal answers, beyond chance
//	disagreement        an item on which annotators gave different answers
//	adjudication        a lead decides the answer of an item; decisions are never changed, only replaced
//	consensus           one answer per item and field: adjudicated, else majority, else the tie rule
//	blind               unable to see others' answers, while labeling in an open batch
//	blinded export      an export without metadata that could tell conditions apart
//	judgment, judge     the answers of a model; compared with annotators, never mixed with them
//	token               lets a program use the API as an account, within scopes and projects
//	scope               a part of the API that a token may use
//	webhook             an address of a program that receives the events of a project
//	delivery            an event that is, or was, sent to a webhook, with its attempts
//	rater effect        a pattern in one annotator's answers, such as severity or fatigue drift
//	verdict             meets the target, below it, open or too few items, per field
package internal
