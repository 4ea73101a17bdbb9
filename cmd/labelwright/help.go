package main

const description = "Labelwright is a server for labeling model outputs with a rubric, and for measuring how reliable the labels are. " +
	"Start with `labelwright demo`. Every command explains itself: `labelwright COMMAND --help`."

// The Help methods explain each command with an example. They appear below its usage.

func (demoCommand) Help() string {
	return `Starts a private PostgreSQL and a server with five sample projects, and prints the accounts. The data is temporary unless --data-dir is given.

Example:

  labelwright demo --addr 127.0.0.1:8080`
}

func (serveCommand) Help() string {
	return `Updates the schema and runs the server. Without DATABASE_URL it runs a private PostgreSQL in the data folder. The first run prints a link to create the first admin.

Example:

  DATABASE_URL=postgres://labelwright@db/labelwright labelwright serve --addr :8080 --base-url https://labels.example.org --proxies 1`
}

func (migrateCommand) Help() string {
	return `"labelwright serve" and "labelwright demo" update the schema themselves; "migrate up" does it without a server.

Example:

  labelwright migrate status`
}

func (migrateDown) Help() string {
	return `Reverts the latest schema version and deletes the data that it added. Make a backup first.

Example:

  labelwright migrate down --yes`
}

func (migrateForce) Help() string {
	return `Use it only after a migration stopped halfway and you have repaired the schema by hand. It records the version and changes no table.

Example:

  labelwright migrate force 8`
}

func (userAdd) Help() string {
	return `Adds a user and prints an invitation link, with which the user chooses a password. With --password-stdin the user can sign in at once. With --csv it adds all users of a file, or none, and prints their links.

Example:

  labelwright user add --email ada@example.org --name "Ada Lovelace" --role lead
  labelwright user add --csv people.csv`
}

func (protocolShow) Help() string {
	return `Prints the definition as it was published. Without a database it prints that of a built-in protocol.

Example:

  labelwright protocol show empathy@1`
}

func (protocolValidate) Help() string {
	return `Reports every error of a definition with its line. It needs no database.

Example:

  labelwright protocol validate tone.yaml`
}

func (protocolPublish) Help() string {
	return `Publishes a definition. Its form, checks, database constraints and export columns are available at once. A published version never changes.

Example:

  labelwright protocol publish tone.yaml`
}

func (protocolSchema) Help() string {
	return `Editors use the schema to complete and check definitions.

Example:

  labelwright protocol schema > labelwright.schema.json`
}

func (projectCreate) Help() string {
	return `Creates a project with a published protocol, or with the protocol, texts and settings of another project.

Example:

  labelwright project create --key pilot --title "Pilot" --protocol empathy --lead ada@example.org`
}

func (projectSettings) Help() string {
	return `Changes the settings that are given, and prints all of them. Without any it only prints them.

Example:

  labelwright project settings --project pilot --instructions rules.md --daily-item-limit 100`
}

func (projectArchive) Help() string {
	return `Makes a project read-only and takes it out of the lists. Its labels stay and can be exported. All its batches must be closed before.

Exit code: 0 if the project is archived, or current again with --undo; 1 if it is that already, has an open batch, or does not exist; 2 for a wrong command line.

Example:

  labelwright project archive --project pilot --reason "The study ended"`
}

func (importCommand) Help() string {
	return `Imports the items of a file: all of them, or none if any row has an error. Columns that the protocol does not use become metadata, which annotators never see. Numbers and other values of JSON and Parquet keep their types. CSV has only text, so its numbers stay text in metadata and in exports, with their digits as written. A RAG record file is split into the items of the project's protocol, and fills several projects at once: all of them, or none.

With --preset, the file of another program is read as that program writes it; records without an output of a model are left out and counted. With --map, columns are taken from paths of each record, instead of or in addition to what the preset finds.

Example:

  labelwright import --project pilot items.csv
  labelwright import --project retrieval --project grounding --project generation rag.jsonl
  labelwright import --project pilot --preset langfuse observations.jsonl.gz
  labelwright import --project pilot --map user_statement=messages[-1].content,response=output.text,meta.model=model records.parquet`
}

func (referenceCommand) Help() string {
	return `Imports calibration items: all of them, or none if any row has an error. Each row has the parts of the item, the reference answers, and the reasons for them.

Example:

  labelwright reference --project pilot calibration.jsonl`
}

func (inboxCommand) Help() string {
	return `Prints what waits for a decision in all projects, or in those of the lead that --as names: questions, correction requests, calibration results, labels that no annotator can give, items of closed batches that lack labels, and annotators who are behind.

Example:

  labelwright inbox --format json`
}

func (messageList) Help() string {
	return `Prints the questions that annotators asked on the labeling screen and that no lead has answered, oldest first.

Example:

  labelwright message list --project pilot --format json`
}

func (messageAnswer) Help() string {
	return `Answers a question. Only its annotator sees the answer: on the item, on the Work page, and before continuing. A question is answered once.

Exit code: 0 if the answer was saved; 1 if the project has no such unanswered question, or the text is empty, too long or has control characters; 2 for a wrong command line.

Example:

  labelwright message answer --project pilot 17 "Yes, if the leaflet names its publisher."`
}

func (announceCommand) Help() string {
	return `Sends a message to all annotators of an open batch. They read it before they continue, and confirm it. Do not mention answers to items: annotators label independently.

Exit code: 0 if the message was sent; 1 if the batch does not exist or is closed, or the text is empty, too long or has control characters; 2 for a wrong command line.

Example:

  labelwright announce --project pilot --batch first "The guide has a new example for safety."`
}

func (adjudicateCommand) Help() string {
	return `Imports decisions: all of them, or none if any row has an error. A new decision on an item replaces the earlier one. Each row has the item's own id in "item" and an answer for each field. "reason" and "cause" are needed where the decision overrides the annotators; "adjudicator" is the email address of a lead.

Example:

  labelwright adjudicate --project pilot decisions.csv`
}

func (spotCheckCommand) Help() string {
	return `Shows how often a lead corrected agreed items that were drawn at random: of all checked items, and by field and annotator, with 95% intervals. With --draw it first draws items whose labels are complete and agree. A lead decides them under Adjudication; the next decision on an item is its check.

Example:

  labelwright spot-check --project pilot --format json`
}

func (judgeCommand) Help() string {
	return `Imports the answers of a model judge: all of them, or none if any row has an error. The report compares them with the annotators; they never enter agreement or consensus. A column rationale, note or reason holds the judge's reason. The file is a CSV with the columns item,dimension,value, a CSV with a column for each field, or a .jsonl file.

Without a file it prints for each judge and field whether it agrees with people as they do with each other: κ with them next to κ among them, and its bias, each with a 95% interval. Then the alternative annotator test (ω, ρ), the mean and the differences between the groups of a metadata column (--by) from the labels alone and with the judge, the agreement on each value, and the largest disagreements with the judge's reason.

With --next it draws items that the judge has answered and no annotator has labeled: at random, or with --order disagreement those on which judges differ most. Nothing is stored. "batch open --draw" opens a batch with exactly these items.

Example:

  labelwright judge --project pilot --name "judge-4 prompt 2" judgments.jsonl
  labelwright judge --project pilot --format json
  labelwright judge --project pilot --name "judge-4 prompt 2" --next 100`
}

func (reportCommand) Help() string {
	return `Prints the report that leads see on the project's Report page. The same labels and seed give the same figures.
With --from, it reads an export and needs no database. Agreement over time and the order of groups then need exact times in the export (export --exact-times).

Example:

  labelwright report --project pilot --by system --format json
  labelwright report --from dataset`
}

func (exportCommand) Help() string {
	return `Writes everything that a report is computed from, with a manifest, a codebook, the protocol and a dataset card. Each kind of data has a file of its own. The same data gives the same files, byte by byte. A folder with other files, or with an export that was edited, is left as it is. Exit code 3: the export is complete, but its checks found problems, such as answers that break a rule.

A blinded export has no metadata, and ids of its own. --unblinding-key writes the items of these ids.

Example:

  labelwright export --project pilot --out dataset --format parquet --shape wide --consensus
  labelwright export --project pilot --out hub --layout huggingface --texts
  labelwright export --project pilot --unblinding-key key.csv`
}

func (auditList) Help() string {
	return `Prints who did what as sentences, newest first. Times and days are of UTC.

Exit code: 0 if the entries were printed; 1 if the project or the user does not exist, or the database is not reachable; 2 for a wrong command line.

Example:

  labelwright audit list --project pilot --from 2026-11-01 --format json`
}

func (auditVerify) Help() string {
	return `Recomputes the hash chain of the audit log. It exits with 1 and names the first entry that was changed, deleted or added. Otherwise it prints the last link: keep it outside the database, and pass it with --link next time. This also detects that the whole chain was recomputed.

Example:

  labelwright audit verify`
}

func (agreeCommand) Help() string {
	return `Computes percent agreement, Conger's κ (Cohen's for two annotators), Krippendorff's α and Gwet's AC with 95% confidence intervals, with linear weights where the answers have an order. With --all it prints every coefficient in every variant, such as Fleiss' κ, and κ of each pair of annotators. The file is a CSV with the columns item,annotator,dimension,value. Add cluster or record if items share a record. A long export is read as it is: only current labels of work, without hidden duplicates and calibration. Of more than 4,950 pairs of annotators, those that share most items are listed. With --judge, it runs the alternative annotator test (Calderon, Reichart and Dror 2025) and, where the judge answered items without labels, estimates the mean by prediction-powered inference (PPI++).

Example:

  labelwright agree labels.csv --scale 1..5 --scale tone=low,middle,high
  labelwright agree labels.csv --judge gpt-4o --epsilon 0.15`
}

func (consensusCommand) Help() string {
	return `Gives each item one value in each dimension: by majority or median with a tie rule for neighboring points, or by the model of Dawid and Skene, which estimates the errors of each annotator. JSON has the posterior of every value and, with a model, the confusion matrix of each annotator. Where no item has labels from three annotators, the model cannot be fitted: the majority or median applies, and a note says so.

Example:

  labelwright consensus labels.csv --method dawid-skene --format json`
}

func (planCommand) Help() string {
	return `Simulates batches and prints, for each overlap, how many items an interval of the desired width needs. It needs no database.

Example:

  labelwright plan --scale 1..5 --kappa 0.5 --width 0.2 --annotators 6`
}

func (healthCommand) Help() string {
	return `Exits with 0 if the server is ready, else with 1. Use it as the health check of a container.

Example:

  labelwright health --addr 127.0.0.1:8080`
}

func (versionCommand) Help() string {
	return `Exports record the same version, in the manifest and on the card.

Example:

  labelwright version`
}

func (protocolList) Help() string { return "Example:\n\n  labelwright protocol list" }
func (projectList) Help() string  { return "Example:\n\n  labelwright project list --format json" }
func (migrateUp) Help() string    { return "Example:\n\n  labelwright migrate up" }
func (migrateStatus) Help() string {
	return "Example:\n\n  labelwright migrate status"
}
