// Edge cases: what one forces is filled in when it is ticked, what it suggests
// is offered and filled in by a key. Only open questions are filled in, each is
// marked, and whoever changes the answer makes it their own.

import { forced, hints } from './rules.mjs'
import { answers, choose, clear, facts, line, note, observationOf, questionOf, questions, rulebook, say, titleOf } from './form.mjs'

const filled = new Map() // field → {value, by: what it follows from}
let before = forcedNow()
let filling = false

function forcedNow() { return new Map(forced(rulebook, facts, answers()).map(f => [f.key, f.value])) }

/** To be told of every change: fills in what a newly ticked edge case forces. */
export function follow(control) {
  if (filling) return
  if (control.type === 'radio') filled.delete(control.name)
  if (control.name === 'observation') control.checked ? fillForced(control) : takeBack(control)
  before = forcedNow()
  showFilled()
}

function fillForced(box) {
  const fresh = [...forcedNow()].filter(([key]) => !before.has(key))
  for (const [key, value] of fresh) fill(key, value, box.value, box.dataset.title)
  if (fresh.length) say(`Filled in: ${fresh.map(([key, value]) => `${titleOf(key)} ${value}`).join(', ')}.`)
}

/** Answers a question with what title says it follows from. */
export function fillIn(key, value, title) {
  fill(key, value, undefined, title)
  showFilled()
}

function fill(key, value, source, title) {
  filling = true
  choose(questionOf(key), value)
  filling = false
  filled.set(key, { value, source, title })
}

// What was filled in for an edge case, and not touched since, goes with it.
function takeBack(box) {
  filling = true
  for (const [key, { source }] of filled) {
    if (source !== box.value) continue
    clear(questionOf(key))
    filled.delete(key)
  }
  filling = false
}

function showFilled() {
  for (const q of questions) {
    const by = q.querySelector('.by')
    const title = filled.get(q.dataset.key)?.title
    by.hidden = !title
    by.querySelector('span').textContent = title ? `: ${title}` : ''
  }
}

const mentions = text => note.value.toLowerCase().includes(text.toLowerCase())

// What of a hint can still be filled in.
function openOf(hint) {
  const { values } = answers()
  return {
    values: hint.suggest.filter(c => c.in.length === 1 && questionOf(c.key) && values[c.key] === undefined),
    note: hint.note && !mentions(hint.note) ? hint.note : '',
  }
}

const isOpen = ({ values, note }) => values.length > 0 || note !== ''

function describe(hint) {
  const scores = hint.suggest.map(c => `${titleOf(c.key)} ${c.in.length > 1 ? c.in.join(' or ') : c.in[0]}`)
  const parts = [...scores, ...(hint.note ? [`note “${hint.note}”`] : [])]
  const usual = parts.length ? `Usual here: ${parts.join(', ')}.` : ''
  return [usual, hint.says].filter(Boolean).join(' ')
}

/** Fills in everything that is suggested now; false where nothing is. */
export function takeAll() {
  const open = standing().filter(hint => isOpen(openOf(hint)))
  open.forEach(take)
  if (open.length) say('Filled in what is usual here. Change it freely.')
  return open.length > 0
}

function take(hint) {
  const open = openOf(hint)
  const source = hint.when.map(c => c.key).find(key => rulebook.observations.includes(key))
  for (const c of open.values) fill(c.key, c.in[0], source, observationOf(source)?.dataset.title ?? 'usual here')
  if (open.note) {
    note.value = [note.value.trim(), open.note].filter(Boolean).join('; ')
    note.dispatchEvent(new Event('input', { bubbles: true }))
  }
  showFilled()
}

function standing() { return hints(rulebook, facts, answers()) }

/** Shows the hints that stand, each with a button while it has something to fill in. */
export function showHints() {
  const place = document.getElementById('hints')
  const list = standing().map(hint => ({ hint, text: describe(hint), open: isOpen(openOf(hint)) })).filter(h => h.open || h.hint.says)
  const state = JSON.stringify(list.map(h => [h.text, h.open]))
  if (place.dataset.state === state) return
  place.dataset.state = state
  place.replaceChildren(...list.map(offer))
  if (list.length) say(list.map(h => h.text).join(' '))
}

function offer({ hint, text, open }) {
  const box = line('div', '')
  box.className = 'hint-line'
  box.append(line('span', text))
  if (!open) return box
  const button = line('button', 'Fill in ')
  button.type = 'button'
  button.append(line('kbd', 'f'))
  button.addEventListener('click', () => take(hint))
  box.append(button)
  return box
}
