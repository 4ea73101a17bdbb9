// The tools of the item on a screen: raw text, two columns, the judged turn, find, and the cue
// that more follows. Elements with data-item-action run them; their choices stay from item
// to item, and in this tab when the page is loaded again.

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
  find: async () => (await import('./find.mjs')).openFind(),
}

document.addEventListener('click', event => {
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
  observer?.disconnect()
  const end = item.querySelector('#item-end')
  if (!end) return
  observer = new IntersectionObserver(showCue, { root: scroller() === item ? item : null, rootMargin: '0px 0px 8px' })
  observer.observe(end)
}

new MutationObserver(start).observe(item, { childList: true })
matchMedia('(width < 60rem)').addEventListener('change', start)
start()
