// Dialogs by keyboard: they focus their first choice, a digit chooses by position, and
// Ctrl+Enter submits.

import { isTextBox } from './shortcuts.mjs'

const choicesOf = dialog => [...dialog.querySelectorAll('input[type=radio]')]

/** Opens dialog at its chosen or first control. */
export function openDialog(dialog) {
  dialog.showModal()
  const control = choicesOf(dialog).find(c => c.checked) ?? dialog.querySelector('input[type=radio], textarea')
  control?.focus()
}

/** Makes dialog react to keys, and to its button that closes it. onDigit() runs after a digit chose. */
export function startDialog(dialog, { onDigit = () => {} } = {}) {
  const form = dialog.querySelector('form')
  let isCommandKey = false // the key that is down is a command, so it types nothing
  dialog.addEventListener('keydown', event => {
    const run = !event.isComposing && !event.altKey && commandFor(event)
    isCommandKey = Boolean(run)
    if (!run) return
    event.preventDefault()
    run()
  })
  dialog.addEventListener('keypress', event => isCommandKey && event.preventDefault())
  dialog.querySelector('[data-dialog-close]').addEventListener('click', () => dialog.close())

  function commandFor({ key, ctrlKey, metaKey, target, isTrusted }) {
    const submit = () => form.requestSubmit()
    if (ctrlKey || metaKey) return key === 'Enter' ? submit : undefined
    if (key === 'Escape') return isTrusted ? undefined : () => dialog.close() // the browser does so for a pressed key
    if (isTextBox(target)) return
    const choices = choicesOf(dialog)
    const chosen = choices[Number(key) - 1]
    if (/^[1-9]$/.test(key) && chosen) return () => (choose(chosen), onDigit())
    const i = choices.indexOf(target)
    if (key === 'Enter' && i >= 0) return submit
    const offset = { ArrowUp: -1, ArrowDown: 1 }[key]
    if (offset && choices.length) return () => choose(choices.at(i < 0 ? Math.min(offset, 0) : (i + offset) % choices.length))
  }
}

function choose(radio) {
  radio.focus()
  if (radio.checked) return
  radio.checked = true
  for (const type of ['input', 'change']) radio.dispatchEvent(new Event(type, { bubbles: true }))
}
