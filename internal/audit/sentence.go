package audit

// sentences are the texts of all actions. {actor} is who acted, {subject} what the entry is
// about, {account} and {accounts} are names, any other name in braces is a detail. A part in
// square brackets is left out if a detail in it is absent, empty, zero or false. A number with a noun, as in
// {items|item}, is followed by the noun or its plural.
var sentences = map[string]string{ //nolint:gosec // texts about passwords, not passwords
	"account.create":              "{actor} created the account of {subject} with the role {role}.",
	"account.invite":              "{actor} made an invitation link for {subject}.",
	"account.set_password":        "{actor} set the password of {subject}.",
	"account.sign_in":             "{actor} signed in.",
	"account.sign_in_failed":      "{actor} failed to sign in[ as {subject}].",
	"account.sign_out_everywhere": "{actor} signed out of all other browsers.",
	"account.update":              "{actor} gave {subject} the role {role}[ and disabled the account{disabled}].",

	"batch.announce":     "{actor} posted an announcement in the batch {subject}.",
	"batch.archive":      "{actor} archived the batch {subject}: “{reason}”.",
	"batch.change":       "{actor} changed the batch {subject}: “{reason}”.[ Annotators added: {annotators_added}.][ Removed: {annotators_removed}.][ Paused: {paused}.][ Resumed: {resumed}.][ Items reassigned: {items_reassigned}.][ Open items reassigned: {open_items_reassigned}.][ Items added: {items_added}.][ Labels added: {labels_added}.]",
	"batch.close":        "{actor} closed the batch {subject}[: “{reason}”].[ Items available again: {items_available}.][ Open items taken back: {open_items_released}.]",
	"batch.open":         "{actor} opened the batch {subject} with {items|item} for {annotators|annotator}, {overlap} per item.[ It has fewer than the {calibration_required|calibration item} that the protocol asks for: “{fewer_calibration}”.]",
	"batch.reopen":       "{actor} reopened the batch {subject}: “{reason}”.",
	"batch.use_revision": "{actor} let the batch {subject} use revision {revision} of its protocol instead of {previous_revision}.",

	"calibration.override":       "{actor} let {account} continue in {subject} after the calibration[: “{reason}”].",
	"calibration.request_retake": "{actor} asked {account} to calibrate again in {subject}.",
	"correction.reopen_item":     "{actor} reopened the item {item} of {annotator} in {subject}[: “{reason}”].",
	"correction.undo_submit":     "{actor} took back their last submit in {subject}.",
	"correction.resolve":         "{actor} resolved a correction request in {subject}[ and reopened the item{reopened}].",

	"judge.add":  "{actor} imported {items|answer} of the judge {judge} into {subject}.",
	"judge.draw": "{actor} drew the {items|item} of the batch {subject} from {candidates|item} that the judge {judge} had answered and no annotator had labeled, by the order {order}, with the seed {seed}.",

	"project.add_member":                   "{actor} added {account} to {subject} as {role}.",
	"project.adjudicate":                   "{actor} adjudicated[ the item {item}][ {items|item} from the file {file}] in {subject}[: “{reason}”].",
	"project.archive_items":                "{actor} archived {items|item} of {subject}[: “{reason}”].",
	"project.restore_items":                "{actor} restored {items|item} of {subject}.",
	"project.archive":                      "{actor} archived {subject}[: “{reason}”].",
	"project.cancel_export":                "{actor} cancelled the export {export} of {subject}.",
	"project.create":                       "{actor} created the project {subject}[ with the protocol {protocol}][, with the settings of {copied_from}].",
	"project.end_work":                     "{actor} thanked {account} and ended their work in {subject}.",
	"project.delete_export":                "{actor} deleted the stored export {export} of {subject}.",
	"project.describe_dataset":             "{actor} changed the dataset description of {subject}.",
	"project.download_export":              "{actor} downloaded the export {export} of {subject}.",
	"project.export":                       "{actor} exported the dataset of {subject}.",
	"project.export_key":                   "{actor} downloaded the unblinding key of {subject}.",
	"project.import_items":                 "{actor} imported {items|item} from {file} into {subject}.",
	"project.remove_member":                "{actor} removed {account} from {subject}.[ {returned_items|open item} returned to the pool.]",
	"project.remove_reference":             "{actor} made the calibration item {item} of {subject} an ordinary item.",
	"project.rename":                       "{actor} renamed {subject} from “{from}” to “{title}”.",
	"project.set_instructions":             "{actor} changed the instructions of {subject} (version {version}).",
	"project.set_member_role":              "{actor} made {account} {role} of {subject}.",
	"project.set_rater_effects_visibility": "{actor} changed whether annotators of {subject} see their rater effects[, to yes{shown}].",
	"project.set_reference":                "{actor} saved the reference answer of the item {item} in {subject}.",
	"project.set_session_settings":         "{actor} changed the session settings of {subject}.",
	"project.set_text_formats":             "{actor} changed how texts of {subject} are shown[: {formats}].",
	"project.set_tie_rule":                 "{actor} changed the tie rule of {subject} from {from} to {rule}.",
	"project.unarchive":                    "{actor} unarchived {subject}.",

	"protocol.publish": "{actor} published the protocol {subject}.",

	"question.answer": "{actor} answered a question about the item {item} in {subject}.",

	"sheet.create": "{actor} made a sheet of {rows|row} for {annotator} in the batch {subject}.",
	"sheet.submit": "{actor} submitted {rows|row} of the sheet {file} for {annotator} in the batch {subject}.",

	"token.create": "{actor} created the API token “{token}” of {subject} with the scopes {scopes}[, limited to {projects}].",
	"token.revoke": "{actor} revoked the API token “{token}” of {subject}.",

	"webhook.create":  "{actor} created the webhook {webhook} of {subject}, to {host}.",
	"webhook.change":  "{actor} changed the webhook {webhook} of {subject}, to {host}.",
	"webhook.delete":  "{actor} deleted the webhook {webhook} of {subject}, to {host}.",
	"webhook.disable": "{actor} disabled the webhook {webhook} of {subject}, to {host}.",
	"webhook.enable":  "{actor} enabled the webhook {webhook} of {subject}, to {host}.",
	"webhook.resend":  "{actor} sent an event again to the webhook {webhook} of {subject}, to {host}.",
	"webhook.rotate":  "{actor} made a new secret for the webhook {webhook} of {subject}, to {host}.",
	"webhook.test":    "{actor} sent a test event to the webhook {webhook} of {subject}, to {host}.",
}

// HasSentence reports whether an action has a sentence of its own.
func HasSentence(action string) bool { return sentences[action] != "" }

// defaultSentence is for actions of later versions.
const defaultSentence = "{actor}: {action}[, {subject}]."
