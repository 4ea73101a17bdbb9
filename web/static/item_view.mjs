// The tools of the item on a screen: raw text, two columns, the judged turn, citations, find, and the cue
// that more follows. Elements with data-item-action run them; their choices stay from item
// to item, and in this tab when the page is loaded again.

import { announce } from './form.mjs'

const item = document.getElementById('item')
const storageKey = 'item-view'
const choices = readChoices() // by action: whether the box is ticked

// A browser can forbid storage: then the choices last as long as the page.
function readChoices() {
  try { return JSON.parse(sessionStorage.getItem(storageKey)) ?? {} } catch { return {} }
}

function saveChoices() {
  try { sessionStorage.setItem(storageKey, JSON.stringify(choices)) } catch {}
}

const markQuery = async () => (await import('./find.mjs')).markQuery()

const scroller = () => item.scrollHeight > item.clientHeight + 1 && getComputedStyle(item).overflowY !== 'visible' ? item : document.scrollingElement
const isVisible = element => element.checkVisibility?.() ?? element.offsetParent !== null

/** Runs a tool of the item; false if the item does not have it. */
export function runItemAction(name) {
  const tool = item.querySelector(`[data-item-action=${name}]`)
  if (!tool || !isVisible(tool)) return false
  tool.click()
  return true
}

/** Opens the folded parts and turns, or closes them if all are open. */
export function toggleSupporting() {
  const parts = [...item.querySelectorAll('.supporting, .fold')]
  const opens = parts.some(p => !p.open)
  for (const p of parts) p.open = opens
  if (opens) parts[0]?.scrollIntoView({ block: 'nearest' })
}

/** Scrolls to the next judged turn below the top of the item, or to the first. */
function showNextJudged() {
  const top = scroller() === item ? item.getBoundingClientRect().top : 0
  const turns = [...item.querySelectorAll('.turn.judged')]
  const next = turns.find(t => t.getBoundingClientRect().top > top + 40) ?? turns[0]
  const current = scroller().scrollTop
  next.scrollIntoView({ block: 'start' })
  if (scroller().scrollTop === current && turns[0] !== next) turns[0].scrollIntoView({ block: 'start' }) // at the end
}

const shownCitations = () => [...item.querySelectorAll('a.citation')].filter(isVisible)

/** Shows and marks the chunk that a citation names. */
function showChunk(citation) {
  const chunk = document.getElementById(citation.hash.slice(1))
  for (const a of item.querySelectorAll('a.citation[aria-current]')) a.removeAttribute('aria-current')
  for (const c of item.querySelectorAll('.chunk')) c.toggleAttribute('data-cited', c === chunk)
  citation.setAttribute('aria-current', 'true')
  for (let d = chunk.closest('details'); d; d = d.parentElement.closest('details')) d.open = true
  citation.scrollIntoView({ block: 'nearest' })
  chunk.scrollIntoView({ block: chunk.offsetHeight > scroller().clientHeight ? 'start' : 'nearest' })
  announce(`${chunk.querySelector('h3').textContent.trim().replace(/\s+/g, ' ')}: ${chunk.querySelector('.item-text').textContent}`)
}

/** Shows the chunk of the citation after the last one shown, from the first again after the last. */
function showNextCitation() {
  const list = shownCitations()
  if (list.length) showChunk(list[(list.findIndex(a => a.hasAttribute('aria-current')) + 1) % list.length])
}

/** Scrolls on in the item, or to the questions if they are below it. */
function showMore() {
  if (scroller() === item) return item.scrollBy({ top: item.clientHeight * .85 })
  const form = document.getElementById('answer-form')
  form.scrollIntoView()
  form.querySelector('input[type=radio]')?.focus({ preventScroll: true })
}

const actions = {
  judged: showNextJudged,
  more: showMore,
  citation: showNextCitation,
  find: async () => (await import('./find.mjs')).openFind(),
}

document.addEventListener('click', event => {
  const citation = event.target.closest?.('a.citation')
  if (citation) {
    event.preventDefault()
    return showChunk(citation)
  }
  const action = actions[event.target.closest?.('[data-item-action]')?.dataset.itemAction]
  if (!action) return
  event.preventDefault()
  action()
})

item.addEventListener('change', event => {
  const name = event.target.dataset.itemAction
  if (!name) return
  choices[name] = event.target.checked
  saveChoices()
  if (name === 'query') markQuery()
})

// The cue is shown while the end of the item is below what is visible.
let observer

function showCue(entries) {
  const cue = item.querySelector('.more-below')
  const { isIntersecting, boundingClientRect, rootBounds } = entries.at(-1)
  if (cue) cue.hidden = isIntersecting || boundingClientRect.top < (rootBounds?.top ?? 0)
}

/** Starts with the item that is shown. */
function start() {
  for (const [name, isChecked] of Object.entries(choices)) {
    const box = item.querySelector(`[data-item-action=${name}]`)
    if (box) box.checked = isChecked
  }
  if (choices.query) markQuery()
  observer?.disconnect()
  const end = item.querySelector('#item-end')
  if (!end) return
  observer = new IntersectionObserver(showCue, { root: scroller() === item ? item : null, rootMargin: '0px 0px 8px' })
  observer.observe(end)
}

new MutationObserver(start).observe(item, { childList: true })
matchMedia('(width < 60rem)').addEventListener('change', start)
start()
