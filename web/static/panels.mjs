// The panels next to the item: guide, edge cases, shortcuts. One is open at a time.

import { activeQuestion, focusQuestion } from './form.mjs'

const guide = document.getElementById('guide')
// The guide is half of the page: it is outside of it until it is opened, so that no change costs more for it.
const guideBody = guide.querySelector('.panel-body')
const unread = document.createDocumentFragment()
if (!guide.open) unread.append(...guideBody.childNodes)
const fillGuide = () => guideBody.append(unread)

const findPanels = () => [...document.querySelectorAll('.panel')]

export const isInPanel = element => element.closest?.('.panel > .panel-body') != null

/** Opens the panel with this id and focuses it, or closes it. */
export function togglePanel(id) {
  const panel = document.getElementById(id)
  if (!panel) return
  if (panel.open) return closePanel()
  if (panel === guide) fillGuide()
  for (const p of findPanels()) p.open = p === panel
  if (panel === guide) scrollToSection()
  const first = panel.querySelector('.panel-body input[name=observation]') ?? panel.querySelector('.panel-body')
  if (!first.matches('input')) first.tabIndex = -1
  first.focus({ preventScroll: panel === guide })
}

/** Closes the open panel and returns to the questions; false if none is open. */
export function closePanel() {
  const open = findPanels().find(p => p.open)
  if (!open) return false
  open.open = false
  if (activeQuestion()) focusQuestion(activeQuestion())
  return true
}

/** Closes all panels, so that the next item is in view: also one that was replaced with the last item. */
export function closePanels() {
  for (const p of findPanels()) p.open = false
  markPanel()
}

// The guide opens also without this module.
guide.addEventListener('toggle', fillGuide)

/** Scrolls the open guide to the section of the active question. */
export function scrollToSection() {
  const key = activeQuestion()?.dataset.key
  if (guide.open && key) scrollGuideTo(`guide-${key}`)
}

function scrollGuideTo(id) {
  fillGuide()
  const section = document.getElementById(id)
  for (let d = section?.closest('details'); d && d !== guide; d = d.parentElement.closest('details')) d.open = true
  const body = guide.querySelector('.panel-body')
  if (section) body.scrollTop += section.getBoundingClientRect().top - body.getBoundingClientRect().top - 16
}

/** Moves the focus by offset among the edge cases. */
export function moveObservation(offset) {
  const boxes = [...document.querySelectorAll('#edge-cases .panel-body input')]
  const next = boxes[boxes.indexOf(document.activeElement) + offset]
  next?.focus()
}

// A style for an attribute of the page is cheaper than one that looks for an open panel after each change.
const markPanel = () => document.body.toggleAttribute('data-panel', findPanels().some(p => p.open))
document.addEventListener('toggle', markPanel, { capture: true })

guide.addEventListener('toggle', scrollToSection)
document.addEventListener('click', event => {
  const link = event.target.closest('a[href^="#guide-"], a[href^="#example-"]')
  if (!link) return
  event.preventDefault()
  for (const p of findPanels()) p.open = p === guide
  scrollGuideTo(link.hash.slice(1))
})
