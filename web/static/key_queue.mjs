// Holds the keys that are pressed while a form is on its way, and presses them on the next
// item in their order, so that a fast typist's answers reach the questions they are meant for.

import { activatesOnEnter, isTextBox } from './shortcuts.mjs'

const namedKeys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Enter', 'Escape', 'Backspace', 'PageUp', 'PageDown']

let keys = []
let isHolding = false
let isDropping = false

/** Holds keys from now on. */
export function holdKeys() { isHolding = true }

/** Forgets the keys held, and ignores further ones until the next item. */
export function dropKeys() {
  keys = []
  isDropping = isHolding
}

/** Presses the keys held, until one of them submits a form. */
export function releaseKeys() {
  isHolding = isDropping = false
  while (keys.length && !isHolding) pressKey(keys.shift())
}

function pressKey(init) {
  const target = document.activeElement ?? document.body
  const event = new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true })
  if (!target.dispatchEvent(event) || !isTextBox(target)) return
  const text = init.key === 'Enter' ? '\n' : init.key.length === 1 ? init.key : ''
  target.setRangeText?.(text, target.selectionStart, target.selectionEnd, 'end')
  target.dispatchEvent(new Event('input', { bubbles: true }))
}

function isHeld({ key, target, altKey, ctrlKey, metaKey, isComposing }) {
  if (!isHolding || altKey || isComposing) return false
  if (['Enter', ' '].includes(key) && activatesOnEnter(target)) return false // a link of the status message
  if (ctrlKey || metaKey) return key === 'Enter'
  return key.length === 1 || namedKeys.includes(key)
}

addEventListener('keydown', event => {
  if (!event.isTrusted || !isHeld(event)) return
  event.preventDefault()
  event.stopPropagation()
  const { key, code, shiftKey, ctrlKey, metaKey, repeat } = event
  if (!isDropping) keys.push({ key, code, shiftKey, ctrlKey, metaKey, repeat })
}, { capture: true })
