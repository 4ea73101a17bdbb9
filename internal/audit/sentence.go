package audit

import "github.com/labelwright/labelwright/internal/locale"

// A text describes an action.
type text struct {
	name     locale.Text // short, to choose by
	sentence locale.Text
}

// texts are the texts of all actions. In a sentence, {actor} is who acted, {subject} what the entry is about,
// {account} and {accounts} are names, any other name in braces is a detail. A part in square brackets is left out
// if a detail in it is absent, empty, zero or false. A number with a noun, as in {items|item|items}, is followed by
// the singular or the plural.
var texts = map[string]text{
	"account.add_passkey":    {locale.Text("Account: passkey added"), locale.Text("{actor} added a passkey.")},
	"account.remove_passkey": {locale.Text("Account: passkey removed"), locale.Text("{actor} removed a passkey.")},
	"account.change_address": {locale.Text("Account: address changed"), locale.Text(
		"{actor} changed their email address.")},
	"account.create": {locale.Text("Account: created"), locale.Text(
		"{actor} created the account of {subject} with the role {role}.")},
	"account.create_at_sign_in": {locale.Text("Account: created at a sign-in"), locale.Text(
		"The first sign-in of {actor} with {provider} created their account with the role {role}.")},
	"account.erase": {locale.Text("Account: erased"), locale.Text(
		"{actor} erased the personal data of {subject}[ and what they wrote{with_notes}].")},
	"account.follow_groups": {locale.Text("Account: role by groups"), locale.Text(
		"{actor} got the role {role} by the groups of the company's sign-in.")},
	"account.invite": {locale.Text("Account: invitation link"), locale.Text(
		"{actor} made an invitation link for {subject}.")},
	"account.link": {locale.Text("Account: company sign-in"), locale.Text(
		"{actor} signed in through {issuer} for the first time.")},
	"account.remove_second_factor": {locale.Text("Account: second factor removed"), locale.Text(
		"{actor} removed the second factor of {subject}.")},
	"account.rename": {locale.Text("Account: name changed"), locale.Text("{actor} changed their name.")},
	"account.set_second_factor": {locale.Text("Account: second factor"), locale.Text(
		"{actor} set up a second factor.")},
	"account.set_password": {locale.Text("Account: password set"), locale.Text(
		"{actor} set the password of {subject}.")},
	"account.sign_in": {locale.Text("Account: sign-in"), locale.Text(
		"{actor} signed in[ with a recovery code{recovery_code}][ with a passkey{passkey}].")},
	"account.sign_in_failed": {locale.Text("Account: failed sign-in"), locale.Text(
		"{actor} failed to sign in[ as {subject}].")},
	"account.sign_out_everywhere": {locale.Text("Account: signed out everywhere"), locale.Text(
		"{actor} signed out of all other browsers.")},
	"account.update": {locale.Text("Account: changed"), locale.Text(
		"{actor} changed the account of {subject}.[ New role: {role}.][ It has a new address{address}.][ It is disabled{disabled}.]" +
			"[ It is enabled again{enabled}.]")},

	"batch.announce": {locale.Text("Batch: announcement"), locale.Text(
		"{actor} posted an announcement in the batch {subject}.")},
	"batch.archive": {locale.Text("Batch: archived"), locale.Text(
		"{actor} archived the batch {subject}: “{reason}”.")},
	"batch.change": {locale.Text("Batch: changed"), locale.Text(
		"{actor} changed the batch {subject}: “{reason}”.[ Annotators added: {annotators_added}.][ Removed: " +
			"{annotators_removed}.][ Paused: {paused}.][ Resumed: {resumed}.][ Items reassigned: " +
			"{items_reassigned}.][ Open items reassigned: {open_items_reassigned}.][ Items given to one annotator: {items_given}.][ Items added: " +
			"{items_added}.][ Labels added: {labels_added}.]")},
	"batch.close": {locale.Text("Batch: closed"), locale.Text(
		"{actor} closed the batch {subject}[: “{reason}”].[ Items available again: {items_available}.][ Open " +
			"items taken back: {open_items_released}.]")},
	"batch.open": {locale.Text("Batch: opened"), locale.Text(
		"{actor} opened the batch {subject} with {items|item|items} for {annotators|annotator|annotators}, " +
			"{overlap} per item.[ Gold items for each annotator: {gold}.][ It has fewer than the {calibration_required|calibration item|calibration " +
			"items} that the protocol asks for: “{fewer_calibration}”.]")},
	"batch.pause_by_gold": {locale.Text("Batch: paused by gold items"), locale.Text(
		"{actor} was paused in the batch {subject}: {right} of {answers|answer|answers} to gold items are right, " +
			"and the minimum is {minimum}%.")},
	"batch.reopen": {locale.Text("Batch: reopened"), locale.Text(
		"{actor} reopened the batch {subject}: “{reason}”.")},
	"batch.use_revision": {locale.Text("Batch: new revision"), locale.Text(
		"{actor} let the batch {subject} use revision {revision} of its protocol instead of " +
			"{previous_revision}.")},

	"calibration.override": {locale.Text("Calibration: approved"), locale.Text(
		"{actor} let {account} continue in {subject} after the calibration[: “{reason}”].")},
	"calibration.request_retake": {locale.Text("Calibration: retake"), locale.Text(
		"{actor} asked {account} to calibrate again in {subject}.")},

	"correction.reopen_item": {locale.Text("Correction: item reopened"), locale.Text(
		"{actor} reopened the item {item} of {annotator} in {subject}[: “{reason}”].")},
	"correction.undo_submit": {locale.Text("Correction: submit taken back"), locale.Text(
		"{actor} took back their last submit in {subject}.")},
	"correction.resolve": {locale.Text("Correction: resolved"), locale.Text(
		"{actor} resolved a correction request in {subject}[ and reopened the item{reopened}].")},

	"judge.add": {locale.Text("Judge: answers imported"), locale.Text(
		"{actor} imported {items|answer|answers} of the judge {judge} into {subject}.")},
	"judge.draw": {locale.Text("Judge: items drawn"), locale.Text(
		"{actor} drew the {items|item|items} of the batch {subject} from {candidates|item|items} that the " +
			"judge {judge} had answered and no annotator had labeled, by the order {order}, with the seed {seed}.")},

	"project.add_member": {locale.Text("Project: member added"), locale.Text(
		"{actor} added {account} to {subject} as {role}.")},
	"project.adjudicate": {locale.Text("Project: adjudicated"), locale.Text(
		"{actor} adjudicated[ the item {item}][ {items|item|items} from the file {file}] in {subject}[: " +
			"“{reason}”].")},
	"project.draw_spot_checks": {locale.Text("Project: spot checks drawn"), locale.Text(
		"{actor} drew {items|agreed item|agreed items} of {subject} for a spot check.")},
	"project.archive_items": {locale.Text("Project: items archived"), locale.Text(
		"{actor} archived {items|item|items} of {subject}[: “{reason}”].")},
	"project.restore_items": {locale.Text("Project: items restored"), locale.Text(
		"{actor} restored {items|item|items} of {subject}.")},
	"project.archive": {locale.Text("Project: archived"), locale.Text("{actor} archived {subject}[: “{reason}”].")},
	"project.cancel_export": {locale.Text("Project: export cancelled"), locale.Text(
		"{actor} cancelled the export {export} of {subject}.")},
	"project.create": {locale.Text("Project: created"), locale.Text(
		"{actor} created the project {subject}[ with the protocol {protocol}][, with the settings of " +
			"{copied_from}].")},
	"project.end_work": {locale.Text("Project: work ended"), locale.Text(
		"{actor} thanked {account} and ended their work in {subject}.")},
	"project.erase": {locale.Text("Project: erased"), locale.Text(
		"{actor} erased all texts of {subject}, with those of {items|item|items}: “{reason}”.")},
	"project.erase_items": {locale.Text("Project: items erased"), locale.Text(
		"{actor} erased the texts of {items|item|items} of {subject}: “{reason}”.")},
	"project.delete_export": {locale.Text("Project: export deleted"), locale.Text(
		"{actor} deleted the stored export {export} of {subject}.")},
	"project.describe_dataset": {locale.Text("Project: dataset described"), locale.Text(
		"{actor} changed the dataset description of {subject}.")},
	"project.download_export": {locale.Text("Project: export downloaded"), locale.Text(
		"{actor} downloaded the export {export} of {subject}.")},
	"project.export": {locale.Text("Project: exported"), locale.Text("{actor} exported the dataset of {subject}.")},
	"project.export_key": {locale.Text("Project: unblinding key"), locale.Text(
		"{actor} downloaded the unblinding key of {subject}.")},
	"project.import_items": {locale.Text("Project: items imported"), locale.Text(
		"{actor} imported {items|item|items} from {file} into {subject}.")},
	"project.note_items": {locale.Text("Project: items noted"), locale.Text(
		"{actor} noted something about {items|item|items} of {subject}.")},
	"project.tag_items": {locale.Text("Project: items tagged"), locale.Text(
		"{actor} changed the tags of {items|item|items} of {subject}.")},
	"project.remove_member": {locale.Text("Project: member removed"), locale.Text(
		"{actor} removed {account} from {subject}.[ {returned_items|open item|open items} returned to the " +
			"pool.]")},
	"project.remove_reference": {locale.Text("Project: reference removed"), locale.Text(
		"{actor} made the calibration item {item} of {subject} an ordinary item.")},
	"project.rename": {locale.Text("Project: renamed"), locale.Text(
		"{actor} renamed {subject} from “{from}” to “{title}”.")},
	"project.set_instructions": {locale.Text("Project: instructions"), locale.Text(
		"{actor} changed the instructions of {subject} (version {version}).")},
	"project.set_member_role": {locale.Text("Project: role changed"), locale.Text(
		"{actor} made {account} {role} of {subject}.")},
	"project.set_rater_effects_visibility": {locale.Text("Project: rater effects"), locale.Text(
		"{actor} changed whether annotators of {subject} see their rater effects[, to yes{shown}].")},
	"project.set_reference": {locale.Text("Project: reference saved"), locale.Text(
		"{actor} saved the reference answer of the item {item} in {subject}.")},
	"project.set_session_settings": {locale.Text("Project: session settings"), locale.Text(
		"{actor} changed the session settings of {subject}.")},
	"project.take_version": {locale.Text("Project: protocol version"), locale.Text(
		"{actor} had {subject} take version {version} of its protocol instead of {from}[, and close its open batches{close_batches}].")},
	"project.set_text_formats": {locale.Text("Project: text formats"), locale.Text(
		"{actor} changed how texts of {subject} are shown[: {formats}].")},
	"project.set_citation_pattern": {locale.Text("Project: citation format"), locale.Text(
		"{actor} set the citation format of {subject} to “{pattern}”.")},
	"project.set_tie_rule": {locale.Text("Project: tie rule"), locale.Text(
		"{actor} changed the tie rule of {subject} from {from} to {rule}.")},
	"project.unarchive": {locale.Text("Project: unarchived"), locale.Text("{actor} unarchived {subject}.")},

	"protocol.publish": {locale.Text("Protocol: published"), locale.Text(
		"{actor} published the protocol {subject}.")},

	"question.answer": {locale.Text("Question: answered"), locale.Text(
		"{actor} answered a question about the item {item} in {subject}.")},

	"sheet.create": {locale.Text("Sheet: made"), locale.Text(
		"{actor} made a sheet of {rows|row|rows} for {annotator} in the batch {subject}.")},
	"sheet.submit": {locale.Text("Sheet: submitted"), locale.Text(
		"{actor} submitted {rows|row|rows} of the sheet {file} for {annotator} in the batch {subject}.")},

	"token.create": {locale.Text("API token: created"), locale.Text(
		"{actor} created the API token “{token}” of {subject} with the scopes {scopes}[, limited to " +
			"{projects}].")},
	"token.revoke": {locale.Text("API token: revoked"), locale.Text(
		"{actor} revoked the API token “{token}” of {subject}.")},

	"webhook.create": {locale.Text("Webhook: created"), locale.Text(
		"{actor} created the webhook {webhook} of {subject}, to {host}.")},
	"webhook.change": {locale.Text("Webhook: changed"), locale.Text(
		"{actor} changed the webhook {webhook} of {subject}, to {host}.")},
	"webhook.delete": {locale.Text("Webhook: deleted"), locale.Text(
		"{actor} deleted the webhook {webhook} of {subject}, to {host}.")},
	"webhook.disable": {locale.Text("Webhook: disabled"), locale.Text(
		"{actor} disabled the webhook {webhook} of {subject}, to {host}.")},
	"webhook.enable": {locale.Text("Webhook: enabled"), locale.Text(
		"{actor} enabled the webhook {webhook} of {subject}, to {host}.")},
	"webhook.resend": {locale.Text("Webhook: event sent again"), locale.Text(
		"{actor} sent an event again to the webhook {webhook} of {subject}, to {host}.")},
	"webhook.rotate": {locale.Text("Webhook: new secret"), locale.Text(
		"{actor} made a new secret for the webhook {webhook} of {subject}, to {host}.")},
	"webhook.test": {locale.Text("Webhook: test event"), locale.Text(
		"{actor} sent a test event to the webhook {webhook} of {subject}, to {host}.")},
}

// HasSentence reports whether an action has a sentence of its own.
func HasSentence(action string) bool { return texts[action].sentence != "" }

// ActionName returns the short name of an action.
func ActionName(l *locale.Locale, action string) string { return l.Translate(texts[action].name) }

// defaultSentence is for actions of later versions.
const defaultSentence = locale.Text("{actor}: {action}[, {subject}].")
