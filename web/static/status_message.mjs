// Shows why saving or submitting is blocked, and what the user can do.
import { SAVED } from './draft.mjs'
import { home } from './home.mjs'
import { translate } from './translate.mjs'

const element = document.getElementById('status-message')
const actions = Object.assign(document.createElement('p'), { className: 'status-actions' })
element.after(actions)

/** Opens the sign-in page in a new tab; this page continues after the user signs in. */
export const SIGN_IN = { text: translate('Open the sign-in page'), href: home + 'sign-in', newTab: true }

/**
 * Shows message with actions: links {text, href, newTab} or buttons
 * {text, onClick}. Without a message it clears the status.
 */
export function showStatus(message = '', ...offered) {
  if (element.textContent === message) return
  element.textContent = message
  actions.replaceChildren(...offered.map(({ href, ...action }) => href ? link(href, action) : button(action)))
}

function link(href, { text, newTab }) {
  const a = Object.assign(document.createElement('a'), { href, className: 'button', textContent: text })
  return newTab ? Object.assign(a, { target: '_blank', rel: 'noopener' }) : a
}

function button({ text, onClick }) {
  const b = Object.assign(document.createElement('button'), { type: 'button', textContent: text })
  b.addEventListener('click', onClick)
  return b
}

/** Shows how far saving is: a dot, hollow until all is saved. A pointer and a screen reader find its text. */
export function showSaving(text) {
  const status = document.getElementById('save-status')
  status.textContent = status.title = text
  status.toggleAttribute('data-saved', text === SAVED)
}
