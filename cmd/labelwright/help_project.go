package main

// The Help methods of the commands for members, items and batches.

func (memberAdd) Help() string {
	return `Adds a user to a project and prints an invitation link for a user without a password. A new user gets an account with the role annotator. A member who was removed has the same pseudonym as before.

Exit code: 0 if the user is a member now; 1 if the project does not exist, the address or the name is not valid, or the database is not reachable; 2 for a wrong command line.

Example:

  labelwright member add --project pilot --email ada@example.org --name "Ada Lovelace" --role annotator`
}

func (memberInvite) Help() string {
	return `Creates a new invitation link for every member of a project who has not signed in, and prints the links. Links that commands made before no longer work. Where mail is set up, the links are also sent.

Example:

  labelwright member invite --project pilot`
}

func (memberRole) Help() string {
	return `Changes what a member may do in a project. A lead of a project needs an account with the role lead, which only an admin gives.

Example:

  labelwright member role --project pilot ada@example.org lead`
}

func (memberRemove) Help() string {
	return `Ends the rights of a member in a project at once, also where they are signed in. Submitted labels stay under the pseudonym, and open items return to the pool. The account and its other projects stay as they are.

Exit code: 0 if the member was removed; 1 if the project has no such member, or the database is not reachable; 2 for a wrong command line.

Example:

  labelwright member remove --project pilot ada@example.org`
}

func (memberEnd) Help() string {
	return `Ends the work of a member in the open batches of a project. Open and waiting items return to the pool, labels and the membership stay, and the member reads the thank-you on the Work page.

Exit code: 0 if the work has ended; 1 if the project has no such member, or the database is not reachable; 2 for a wrong command line.

Example:

  labelwright member end --project pilot ada@example.org --thank-you "Thank you for 400 careful labels."`
}

func (memberList) Help() string {
	return `Prints the members with their pseudonyms, leads first. Until a member whom a lead added works in the project, the name is the address. The status is active, invited, disabled, or "not a lead yet" for a member as lead whose account has the role annotator.

Exit code: 0 if the list was printed; 1 if the project does not exist, or the database is not reachable; 2 for a wrong command line.

Example:

  labelwright member list --project pilot --format json`
}

func (memberHours) Help() string {
	return `Prints the items and active hours of each member on each day with work, such as for payment. Members who left the project are included. Days are UTC; active time is without breaks and idle time.

Exit code: 0 if the list was printed; 1 if the project does not exist, or the database is not reachable; 2 for a wrong command line.

Example:

  labelwright member hours --project pilot --format json`
}

func (itemList) Help() string {
	return `Prints items with the first line of their text, their state and their labels, as the Items page lists them. JSON has the consensus with --labeled or --consensus, and the reasons with --skipped. "disagreement" is the largest mean distance between two answers to a field, as a share of its scale.

Example:

  labelwright item list --project pilot --search "prune roses" --state disagreement --format json`
}

func (itemArchive) Help() string {
	return `Archives all of the items or none. Items in an open batch, and calibration items, cannot be archived. Labels stay.

Example:

  labelwright item archive --project pilot --reason "Test data" q17 q18
  labelwright item archive --project pilot --reason "Test data" --all-matching --condition source=test`
}

func (itemTag) Help() string {
	return `Changes the tags of items, which leads give and annotators never see. "item list --tag" lists the items with a tag.

Example:

  labelwright item tag --project pilot --add "for the guide" q17 q18
  labelwright item tag --project pilot --remove "for the guide" --all-matching --tag "for the guide"`
}

func (itemNote) Help() string {
	return `Adds a note to items, which their pages show to leads. Notes stay; a later one corrects an earlier one.

Example:

  labelwright item note --project pilot --note "The answer is cut off" q17`
}

func (itemRestore) Help() string {
	return `Makes archived items available to batches again.

Example:

  labelwright item restore --project pilot q17 q18`
}

func (itemCalibrate) Help() string {
	return `Makes a copy of each adjudicated item a calibration item. The decision becomes the reference answer, and its reason the reason. The item and its labels stay as they are.

Example:

  labelwright item calibrate --project pilot q17`
}

func (batchOpen) Help() string {
	return `Assigns items that are in no batch yet to annotators. With --plan it prints the expected workload and precision, and opens nothing.

Example:

  labelwright batch open --project pilot --batch first --annotators ada@example.org,ben@example.org --overlap 2 --plan`
}

func (batchChange) Help() string {
	return `Changes an open batch. All changes of one command happen at once, or none. Annotators see on their start page what changed for them; an open item that is taken away keeps its draft.

Example:

  labelwright batch change --project pilot --batch first --add cleo@example.org --remove ben@example.org --reason "Ben left"
  labelwright batch change --project pilot --batch first --reassign-from ben@example.org --reassign-items all --reason "Ben is ill"
  labelwright batch change --project pilot --batch first --overlap 3 --items-state disagreement --reason "third opinion"`
}

func (batchClose) Help() string {
	return `Closes a batch: no more items are assigned. Annotators can still submit the item that they have open, unless --release-open takes it back. Items without all their labels become available for other batches, which count the labels they have.

Example:

  labelwright batch close --project pilot --batch first --reason "enough labels"`
}

func (batchReopen) Help() string {
	return `Reopens a closed batch. Labels that a later batch collects instead are no longer part of it.

Example:

  labelwright batch reopen --project pilot --batch first --reason "closed too early"`
}

func (batchArchive) Help() string {
	return `Archives a closed batch. It cannot be reopened; its labels stay.

Example:

  labelwright batch archive --project pilot --batch first --reason "reported"`
}

func (batchList) Help() string {
	return `Lists the batches with their items, annotators and labels.

Example:

  labelwright batch list --project pilot`
}

func (batchShow) Help() string {
	return `Prints how far a batch and each of its annotators are.

Example:

  labelwright batch show --project pilot --batch first --format json`
}

func (batchCompare) Help() string {
	return `Prints, for each field, how far the labels of a round differ from the first labels of its items, and whether those can be kept. "batch open --round labeled" opens a round.

Example:

  labelwright batch compare --project desk --batch again`
}

func (projectTakeVersion) Help() string {
	return `Prints the protocol versions of a project, and what the latest published one changes. With --accept the project takes it: new batches have it, and labels stay with their version. KEY@VERSION reads the project in an earlier version, in every command. A round that is opened afterwards compares labels of both.

Example:

  labelwright project take-version --project pilot`
}

func (batchUseRevision) Help() string {
	return `Prints the texts that the latest revision of the protocol changes. With --accept the forms of the batch show that revision. A revision never changes scales, labels, anchors or rules.

Example:

  labelwright batch use-revision --project pilot --batch first --accept 3`
}

func (sheetOut) Help() string {
	return `Writes what waits for an annotator of a planned batch, as two sheets: a context sheet with the texts, as CSV and JSONL, and an annotation sheet to fill in. The rows are those that the labeling screen would show, in the same order; each has an id of its own. The required reading and the calibration set come first, on the screen. A sheet that is made again is the same until something changes.

In the annotation sheet, "observations" and "unsure" take keys separated by spaces. The ids, the annotator and the file name stay as they are.

Exit code: 0 if the sheets were written; 1 if nothing waits, or a file with other content exists; 2 for a wrong command line.

Example:

  labelwright sheet out --project pilot --batch first --annotator ada@example.org --out sheets`
}

func (sheetIn) Help() string {
	return `Submits a filled annotation sheet: all rows, or none if anything is wrong, by the rules of the labeling screen. It reads CSV as Excel, LibreOffice and Numbers save it: commas, semicolons or tabs, UTF-8 or UTF-16. Each error names the row, as the spreadsheet numbers it, and the column. The same sheet again changes nothing. Different answers to a submitted row are refused.

Exit code: 0 if the sheet is stored; 1 if it was refused; 2 for a wrong command line.

Example:

  labelwright sheet in --project pilot --batch first --annotator ada@example.org --dry-run sheets/pilot-batch-1-a-x7k2m9qp-annotations.csv`
}

func (checkCommand) Help() string {
	return `Checks that a filled annotation sheet is complete and follows the rules of a protocol, with the errors that "sheet in" would report. Only "sheet in" can tell whether its rows are those that were made.

Exit code: 0 if the sheet is valid; 1 if not; 2 for a wrong command line.

Example:

  labelwright check --protocol empathy sheets/pilot-batch-1-a-x7k2m9qp-annotations.csv`
}

func (calibrationList) Help() string {
	return `Lists the last attempt of each annotator: what it waits for, and the fields whose answers are far from the reference.

Example:

  labelwright calibration list --project pilot --batch first --format json`
}

func (calibrationOverride) Help() string {
	return `Lets an annotator start work although the answers are far from the reference. The reason is stored with the calibration.

Example:

  labelwright calibration override --project pilot --batch first --reason "We discussed the differences." anna@example.org`
}

func (calibrationRetake) Help() string {
	return `Starts another attempt at the calibration set, which comes before any other item of the annotator.

Example:

  labelwright calibration retake --project pilot --batch first anna@example.org`
}

func (correctionList) Help() string {
	return `Lists the mistakes that annotators reported, unresolved ones first.

Example:

  labelwright correction list --project pilot --batch first`
}

func (correctionAccept) Help() string {
	return `Reopens the item: it is the next one of its annotator. The earlier annotation stays, and the new one refers to it.

Example:

  labelwright --as lena@example.org correction accept --project pilot --batch first 12`
}

func (correctionDecline) Help() string {
	return `Leaves the answers as they are. The annotator reads the reply.

Example:

  labelwright --as lena@example.org correction decline --project pilot --batch first 12 "The guide asks for a 2 here, see section 3."`
}

func (correctionReopen) Help() string {
	return `Reopens a submitted item that its annotator did not report. The annotator reads the reason, and who gave it: --as is required.

Example:

  labelwright --as lena@example.org correction reopen --project pilot --batch first --annotator a-x7k2m9qp q17 "Please read the note again."`
}

func (skipList) Help() string {
	return `Lists up to 100 items that were skipped because they are unclear or not valid, without the annotators. Skips for a personal reason are not listed.

Example:

  labelwright skip list --project pilot --batch first --format json`
}

func (userList) Help() string {
	return `Lists all accounts with their roles.

Example:

  labelwright user list --format json`
}

func (userRole) Help() string {
	return `Gives an account the role admin, lead or annotator. The role in a project is set with "labelwright member add".

Example:

  labelwright user role lena@example.org lead`
}

func (userAddress) Help() string {
	return `Changes the address with which a user signs in and gets mail. The user is signed out everywhere, and links that were sent to the old address stop working.

Example:

  labelwright user address lena@example.org lena@new.example.org`
}

func (userDisable) Help() string {
	return `Disables an account: it is signed out everywhere, and its API tokens stop working. Its labels stay.

Example:

  labelwright user disable anna@example.org`
}

func (userEnable) Help() string {
	return `Enables a disabled account.

Example:

  labelwright user enable anna@example.org`
}

func (userReset) Help() string {
	return `Prints a link with which the user sets a new password. It works once, within 72 hours.

Example:

  labelwright user reset anna@example.org --base-url https://labels.example.org`
}

func (userResetSecondFactor) Help() string {
	return `Removes the second factor of a user who lost it. The account is signed out everywhere, and its API tokens are revoked.

Example:
  labelwright user reset-second-factor anna@example.org`
}

func (userExport) Help() string {
	return `Prints the account, sign-ins, memberships, labels with the ids of their items, notes, questions, hours and audit entries of a user: what a user can ask for. Personal reasons for skipping an item are private: users download them on their account page.

Example:

  labelwright user export anna@example.org --format json`
}

func (userErase) Help() string {
	return `Deletes the name, the address, sign-ins, API tokens and drafts of a user, and disables the account for ever. Labels stay under the pseudonym, and the audit log keeps what was done by when. It cannot be undone.

Example:

  labelwright user erase lou@example.org --with-notes --confirm`
}

func (projectErase) Help() string {
	return `Does for all items of an archived project what "item erase" does for some, and erases the instructions, the content warning, announcements, thank-yous, the dataset description, names of imported files, and reasons in the audit log. The key, the title, settings, names of batches, ids and labels stay. A project that was erased already stays as it is. It cannot be undone.

Example:

  labelwright project erase --project pilot --reason "The study ended" --confirm`
}

func (itemErase) Help() string {
	return `Replaces the texts of items, deletes their metadata, and erases what annotators and leads wrote about them. Ids and labels stay, and no further batch gets the items. All stored exports, reports and uploads of the project are deleted; "audit list --action project.export" lists who exported the items before. It cannot be undone.

Example:

  labelwright item erase --project pilot --reason "Request of 3 May" --confirm q17 q18`
}

func (completionCommand) Help() string {
	return `Prints a script that completes commands, flags and their values when you press Tab. Load it when your shell starts.

Example:

  labelwright completion bash > ~/.local/share/bash-completion/completions/labelwright
  labelwright completion zsh > "${fpath[1]}/_labelwright"
  labelwright completion fish > ~/.config/fish/completions/labelwright.fish`
}
