// The panels beside the item: guide, edge cases, keys. One is open at a time.

import { activeQuestion, enter } from './form.mjs'

const panels = [...document.querySelectorAll('.panel')]
const guide = document.getElementById('guide')
const edges = document.getElementById('edges')

export const isInPanel = element => element.closest?.('.panel > .sheet') != null

/** Opens the panel of that id and goes into it, or closes it. */
export function toggle(id) {
  const panel = document.getElementById(id)
  if (!panel) return
  if (panel.open) return close()
  for (const p of panels) p.open = p === panel
  if (panel === guide) showSection()
  const first = panel.querySelector('.sheet input[name=observation]') ?? panel.querySelector('.sheet')
  if (!first.matches('input')) first.tabIndex = -1
  first.focus({ preventScroll: panel === guide })
}

/** Closes what is open and goes back to the questions; false where nothing is. */
export function close() {
  const open = panels.find(p => p.open)
  if (!open) return false
  open.open = false
  if (activeQuestion()) enter(activeQuestion())
  return true
}

/** Shows the guide's words on the active question, where the guide is open. */
export function showSection() {
  const key = activeQuestion()?.dataset.key
  if (!guide.open || !key) return
  const section = document.getElementById(`guide-${key}`)
  const sheet = guide.querySelector('.sheet')
  if (section) sheet.scrollTop += section.getBoundingClientRect().top - sheet.getBoundingClientRect().top - 16
}

/** Goes from one edge case to the next. */
export function step(by) {
  const boxes = [...edges.querySelectorAll('.sheet input')]
  const next = boxes[boxes.indexOf(document.activeElement) + by]
  next?.focus()
}

guide.addEventListener('toggle', showSection)
document.addEventListener('click', event => {
  if (!event.target.closest('a[href^="#guide-"]')) return
  event.preventDefault()
  for (const p of panels) p.open = p === guide
  showSection()
})
