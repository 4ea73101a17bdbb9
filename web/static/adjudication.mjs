// The adjudication screen: the form that annotators use, with their answers at
// each question. The page works without this module.

import { announce, focusQuestion, form, questionByKey, questions } from './form.mjs'
import { startForm } from './form_controller.mjs'
import { fillAnswer } from './hints.mjs'
import { startAutosave } from './autosave.mjs'
import { submitWithRetry } from './submit.mjs'
import { showStatus } from './status_message.mjs'

const cause = document.getElementById('decision-cause')
const reason = document.getElementById('decision-reason')
const reasonHint = document.getElementById('reason-hint')
const defaultReasonHint = reasonHint.textContent

let isSubmitting = false
let isLeaving = false

// Without the prefill parameter a reload keeps the answers in the form.
const cleanURL = new URL(location)
cleanURL.searchParams.delete('prefill')
if (cleanURL.search !== location.search) history.replaceState(null, '', cleanURL)

const draft = startAutosave({
  formBody: () => new URLSearchParams(new FormData(form)),
  timeBody: () => new URLSearchParams([['decision.current_no', form.elements['decision.current_no'].value], ...form.elements.shortcuts_off.checked ? [['shortcuts_off', '1']] : []]),
  closedMessage: 'You adjudicated this item in another tab. That decision is saved.',
  continueURL: () => cleanURL.pathname + cleanURL.search,
  onClosed: () => {
    isSubmitting = isLeaving = true
    for (const part of form.querySelectorAll('.question-list, .form-footer > .button, .form-footer > button')) part.inert = true
  },
  isSubmitting: () => isSubmitting && !isLeaving,
})

const answersData = question => question.querySelector('.field-annotations')?.dataset ?? {}

/** Returns the titles of the questions whose answer is not among values: acceptedValues need no reason, givenValues no cause. */
function titlesOutside(values) {
  return questions.filter(question => {
    const value = question.querySelector('input[type=radio]:checked')?.value
    return value !== undefined && !answersData(question)[values].split(' ').includes(value)
  }).map(question => question.querySelector('legend').textContent)
}

function showReasonRequired() {
  const titles = titlesOutside('acceptedValues')
  const text = titles.length ? `Reason required: your decision on ${titles.map(t => `“${t}”`).join(', ')} differs from the annotators' answers.` : defaultReasonHint
  if (reasonHint.textContent !== text) reasonHint.textContent = text
  reasonHint.toggleAttribute('data-required', titles.length > 0)
}

function applyMajority() {
  const unanswered = questions.filter(q => answersData(q).majority && !q.querySelector('input[type=radio]:checked'))
  for (const question of unanswered) fillAnswer(question.dataset.key, Number(answersData(question).majority), 'majority')
  const firstOpen = questions.find(q => !q.querySelector('input[type=radio]:checked'))
  if (firstOpen) focusQuestion(firstOpen)
  announce(unanswered.length ? 'Majority answers filled in.' : 'No open questions have a majority.')
}

async function submitDecision() {
  if (isSubmitting) return
  if (titlesOutside('acceptedValues').length) {
    if (titlesOutside('givenValues').length && !cause.value) return showRequired(cause, 'Choose the cause of the disagreement.')
    if (!reason.value.trim()) return showRequired(reason, "Give a reason for deciding against the annotators' answers.")
  }
  isSubmitting = true
  draft.stop()
  showStatus()
  form.toggleAttribute('data-submitting', true)
  const submitted = submitWithRetry(form, form.action)
  form.querySelector('.question-list').inert = true // every retry sends the same body
  const navigate = await submitted
  isLeaving = true
  navigate()
}

/** Shows message at a control and focuses it. */
function showRequired(control, message) {
  const item = document.createElement('li')
  item.textContent = message
  document.getElementById(`problem-${control.id}`).replaceChildren(item)
  control.setAttribute('aria-invalid', 'true')
  control.focus()
}

for (const control of [cause, reason]) {
  control.addEventListener('input', () => {
    draft.markChanged()
    document.getElementById(`problem-${control.id}`).replaceChildren()
    control.setAttribute('aria-invalid', 'false')
  })
}

const { submit } = startForm({
  onChange: () => { draft.markChanged(); showReasonRequired() },
  onSubmit: submitDecision,
  isPaused: () => isSubmitting,
  extraShortcuts: { useMajority: 'c', focusCause: 'r', skipToNext: 'l', returnToPrevious: 'k' },
  extraCommands: { useMajority: applyMajority, focusCause: () => cause.focus(), skipToNext: () => document.getElementById('next-item')?.click(), returnToPrevious: () => document.getElementById('previous-item')?.click() },
})

form.addEventListener('submit', event => {
  event.preventDefault()
  submit()
})
document.getElementById('use-majority').addEventListener('click', event => {
  event.preventDefault()
  applyMajority()
})

showReasonRequired()
const invalidControl = [cause, reason].find(c => c.getAttribute('aria-invalid') === 'true')
if (invalidControl && !questions.some(q => questionByKey(q.dataset.key).getAttribute('aria-invalid') === 'true')) invalidControl.focus()
