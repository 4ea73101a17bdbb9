// Asks the lead about the item in a dialog. The item and its form stay as they are.

import { textElement } from './form.mjs'
import { openDialog, startDialog } from './dialog.mjs'

const TIMEOUT = 20_000 // ms

export const questionDialog = document.getElementById('question-dialog')
const questionForm = questionDialog.querySelector('form')
const question = questionForm.elements.lead_question
const status = document.getElementById('question-status')

export function openQuestionDialog() {
  status.textContent = ''
  openDialog(questionDialog)
}

// Returns what prevented sending, or undefined.
async function sendQuestion() {
  try {
    const body = new URLSearchParams(new FormData(questionForm))
    const response = await fetch(questionForm.action, { method: 'POST', body, headers: { Accept: 'application/json' }, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) })
    if (response.type === 'opaqueredirect') return
    if (response.status === 401) return 'Not sent: you are signed out. Keep this page open and sign in in another tab.'
    return (await response.json()).detail
  } catch {
    return 'Not sent: no connection. Try again.'
  }
}

// Shows the question above the item, as the page shows it after a reload.
function showSent() {
  const notice = textElement('div', '')
  notice.className = 'notice'
  const text = textElement('p', '')
  text.append(textElement('strong', 'You asked: '), textElement('bdi', question.value.trim()))
  notice.append(text, textElement('p', 'Sent. The answer appears here and on your Work page.'))
  document.getElementById('own-questions').append(notice)
}

questionForm.addEventListener('submit', async event => {
  event.preventDefault()
  const button = questionForm.querySelector('.primary')
  button.disabled = true
  const problem = await sendQuestion()
  button.disabled = false
  if (problem) return status.textContent = problem
  showSent()
  question.value = ''
  questionDialog.close()
})
startDialog(questionDialog)
