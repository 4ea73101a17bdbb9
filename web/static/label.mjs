// The labeling screen. It works without this module; with it, one question is
// open at a time, every action has a key, rules are checked on each change,
// drafts are saved automatically, and the next item appears in place.

import { announce, form, loadQuestions } from './form.mjs'
import { startForm } from './form_controller.mjs'
import { startAutosave } from './autosave.mjs'
import { submitWithRetry } from './submit.mjs'
import { postForItem, showItem } from './next_item.mjs'
import { dropKeys, holdKeys, releaseKeys } from './key_queue.mjs'
import { showSaving, showStatus } from './status_message.mjs'
import { trackActiveTime } from './active_time.mjs'
import { restartHints } from './hints.mjs'
import { closePanels } from './panels.mjs'
import { changeText, showChange } from './screen_change.mjs'
import { openDialog, startDialog } from './dialog.mjs'
import { openQuestionDialog, questionDialog } from './question.mjs'
import { translate } from './translate.mjs'

const item = document.getElementById('item')
const skipDialog = document.getElementById('skip-dialog')
const skipForm = skipDialog.querySelector('form')
const timer = trackActiveTime(form, { onPause: () => draft.saveOnPause(), onSentElsewhere: () => draft.reportTime() })

let isSending = false
let isLeaving = false

const draft = startAutosave({
  formBody: () => (timer.writeTo(form), new URLSearchParams(new FormData(form))),
  timeBody: () => {
    timer.writeTo(form)
    const all = new FormData(form)
    return new URLSearchParams(['active_ms', 'idle_ms', 'shortcuts_off', 'screen_state'].filter(name => all.has(name)).map(name => [name, all.get(name)]))
  },
  closedMessage: translate('This item is no longer open for you. You finished it in another tab, or a lead gave it to another annotator.'),
  continueURL: () => location.pathname,
  onClosed: () => {
    isSending = isLeaving = true
    for (const part of form.querySelectorAll('.question-list, .form-actions')) part.inert = true
  },
  isSubmitting: () => isSending && !isLeaving,
  showChange,
})

async function submitForm(source, url) {
  if (isSending) return
  isSending = true
  holdKeys()
  if (url !== form.action) await draft.save() // a break or a skip keeps the answers
  draft.stop()
  timer.writeTo(source)
  showStatus()
  const submitted = submitWithRetry(source, url, { post: postForItem(startItem), onBlocked: dropKeys })
  form.querySelector('.question-list').inert = true // every retry sends the same body
  form.toggleAttribute('data-submitting', true)
  showSaving(translate('Submitting…'))
  const proceed = await submitted
  timer.notifySubmitted()
  isLeaving = true
  proceed()
}

/** Shows the next item and starts its form. */
function startItem(next) {
  if (!showItem(next)) return
  loadQuestions()
  restartHints()
  closePanels()
  resetDialogs()
  form.removeAttribute('data-submitting')
  showStatus()
  isSending = isLeaving = false
  timer.restart()
  draft.restart()
  restart()
  item.toggleAttribute('data-arrived', true)
  item.scrollTop = 0 // from here on the layout is known: change nothing before it is painted
  scrollTo(0, 0)
  item.focus({ preventScroll: true })
  announce([document.title, document.getElementById('item-notice')?.textContent, changeText()].filter(Boolean).join('. '))
  releaseKeys()
}

item.addEventListener('blur', () => item.removeAttribute('data-arrived'))

const { submit, restart } = startForm({
  onChange: () => draft.markChanged(),
  onSubmit: () => submitForm(form, form.action),
  isPaused: () => isSending || skipDialog.open || questionDialog.open,
  extraCommands: {
    ask_lead: () => openQuestionDialog(),
    skip: () => openDialog(skipDialog),
    break: () => submitForm(form, document.getElementById('take-break').formAction),
    undo: undoSubmit,
  },
  extraShortcuts: { ask_lead: 'q', skip: 's', break: 'b', undo: 'z' },
})

form.addEventListener('submit', event => {
  event.preventDefault()
  const button = event.submitter
  if (button?.id === 'skip') return isSending || openDialog(skipDialog)
  if (button?.id === 'ask-lead') return isSending || openQuestionDialog()
  if (button?.id === 'undo-submit') return undoSubmit()
  if (button?.id === 'take-break') return submitForm(form, button.formAction)
  submit()
})

/** Takes back the last submit, if it can be. */
function undoSubmit() {
  const button = document.getElementById('undo-submit')
  if (button) submitForm(form, button.formAction)
}

/** Empties the dialogs and points them to the item shown. */
function resetDialogs() {
  for (const [dialogForm, step] of [[skipForm, '/skip'], [questionDialog.querySelector('form'), '/question']]) {
    HTMLFormElement.prototype.reset.call(dialogForm) // a control could have that name
    dialogForm.action = form.getAttribute('action') + step
  }
}

const needsComment = reason => !['outside_expertise', 'distressing'].includes(reason)

/** Shows message at a control of the dialog until the user edits the dialog. */
function showRequired(control, message) {
  control.setCustomValidity(message)
  control.reportValidity()
  skipForm.addEventListener('input', () => control.setCustomValidity(''), { once: true })
}

skipForm.addEventListener('submit', event => {
  event.preventDefault()
  const reason = skipForm.elements.reason.value
  const comment = skipForm.elements.comment
  if (!reason) return showRequired(skipForm.querySelector('input[name=reason]'), translate('Choose a reason.'))
  if (needsComment(reason) && comment.value.trim() === '') return showRequired(comment, translate('Add a short comment.'))
  skipDialog.close()
  submitForm(skipForm, skipForm.action)
})
startDialog(skipDialog, { onDigit: () => needsComment(skipForm.elements.reason.value) && skipForm.elements.comment.focus() })
