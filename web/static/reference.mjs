// The screen for reference answers: the form that annotators use, with a reason for
// each question. The page works without this module.

import { activeQuestion, form } from './form.mjs'
import { startForm } from './form_controller.mjs'
import { startAutosave } from './autosave.mjs'
import { submitWithRetry } from './submit.mjs'
import { showStatus } from './status_message.mjs'

const reasons = [...form.querySelectorAll('textarea[name^="reasons."]')]
let isSubmitting = false
let isLeaving = false

// Without the prefill parameter a reload keeps the answers in the form.
const cleanURL = new URL(location)
cleanURL.searchParams.delete('prefill')
if (cleanURL.search !== location.search) history.replaceState(null, '', cleanURL)

const draft = startAutosave({
  formBody: () => new URLSearchParams(new FormData(form)),
  timeBody: () => new URLSearchParams([['reference.saved_at', form.elements['reference.saved_at'].value], ...form.elements.shortcuts_off?.checked ? [['shortcuts_off', '1']] : []]),
  closedMessage: 'You saved these reference answers in another tab.',
  continueURL: () => cleanURL.pathname + cleanURL.search,
  onClosed: () => {
    isSubmitting = isLeaving = true
    for (const part of form.querySelectorAll('.question-list, .form-footer > .button, .form-footer > button')) part.inert = true
  },
  isSubmitting: () => isSubmitting && !isLeaving,
})

/** Shows message at the first reason and focuses it. */
function showReasonRequired() {
  const reason = reasons[0]
  const item = document.createElement('li')
  item.textContent = 'Explain why these answers are correct.'
  document.getElementById(`problem-${reason.id}`).replaceChildren(item)
  reason.setAttribute('aria-invalid', 'true')
  reason.focus()
}

async function save() {
  if (isSubmitting) return
  if (!reasons.some(reason => reason.value.trim())) return showReasonRequired()
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

function focusReason() {
  const key = activeQuestion()?.dataset.key
  const reason = reasons.find(r => r.name === `reasons.${key}`) ?? reasons[0]
  reason.focus()
}

const { submit } = startForm({
  onChange: () => draft.markChanged(),
  onSubmit: save,
  isPaused: () => isSubmitting,
  extraShortcuts: { focusReason: 'r', skipToNext: 'l' },
  extraCommands: { focusReason, skipToNext: () => document.getElementById('next-item')?.click() },
})

for (const reason of reasons) {
  reason.addEventListener('input', () => {
    draft.markChanged()
    document.getElementById(`problem-${reasons[0].id}`).replaceChildren()
    reasons[0].setAttribute('aria-invalid', 'false')
  })
}
form.addEventListener('submit', event => {
  event.preventDefault()
  submit()
})
