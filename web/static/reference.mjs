// The screen for reference answers: the form that annotators use, with a reason for
// each question. The page works without this module.

import { activeQuestion, form } from './form.mjs'
import { startForm } from './form_controller.mjs'
import { submitWithRetry } from './submit.mjs'
import { showStatus } from './status_message.mjs'

const reasons = [...form.querySelectorAll('textarea[name^="reasons."]')]
let isSubmitting = false
let isChanged = false

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
  showStatus()
  form.toggleAttribute('data-submitting', true)
  const submitted = submitWithRetry(form, form.action)
  form.querySelector('.question-list').inert = true // every retry sends the same body
  const navigate = await submitted
  isChanged = false
  navigate()
}

function focusReason() {
  const key = activeQuestion()?.dataset.key
  const reason = reasons.find(r => r.name === `reasons.${key}`) ?? reasons[0]
  reason.focus()
}

const { submit } = startForm({
  onChange: () => { isChanged = true },
  onSubmit: save,
  isPaused: () => isSubmitting,
  extraShortcuts: { r: 'focusReason', l: 'skipToNext' },
  extraCommands: { focusReason, skipToNext: () => document.getElementById('next-item')?.click() },
})

for (const reason of reasons) {
  reason.addEventListener('input', () => {
    isChanged = true
    document.getElementById(`problem-${reasons[0].id}`).replaceChildren()
    reasons[0].setAttribute('aria-invalid', 'false')
  })
}
form.addEventListener('submit', event => {
  event.preventDefault()
  submit()
})
addEventListener('beforeunload', event => {
  if (isChanged) event.preventDefault()
})
