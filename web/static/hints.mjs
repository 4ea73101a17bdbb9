// Edge cases: answers that one forces are filled in when it is ticked; answers
// it suggests are offered and filled in with a key. Only unanswered questions are
// filled in, and each is marked until the user changes it.

import { forced, hints } from './rules.mjs'
import { announce, clearAnswer, facts, note, observationByKey, questionByKey, questions, readAnswers, rulebook, selectAnswer, textElement, titleForKey } from './form.mjs'

const filledAnswers = new Map() // field → {value, source: the observation, title}
let forcedBefore = currentForced()
let isFilling = false

/** Forgets what was filled in on the item before. */
export function restartHints() {
  filledAnswers.clear()
  forcedBefore = currentForced()
}

function currentForced() { return new Map(forced(rulebook, facts, readAnswers()).map(f => [f.key, f.value])) }

/** Handles a change of control: fills in what a newly ticked edge case forces. */
export function onAnswerChange(control) {
  if (isFilling) return
  if (control.type === 'radio') filledAnswers.delete(control.name)
  if (control.name === 'observation') control.checked ? applyForcedAnswers(control) : undoForcedAnswers(control)
  forcedBefore = currentForced()
  showFilledMarks()
}

function applyForcedAnswers(box) {
  const newlyForced = [...currentForced()].filter(([key]) => !forcedBefore.has(key))
  for (const [key, value] of newlyForced) setAnswer(key, value, box.value, box.dataset.title)
  if (newlyForced.length) announce(`Filled in: ${newlyForced.map(([key, value]) => `${titleForKey(key)} ${value}`).join(', ')}.`)
}

/** Answers a question and marks it with title, the source of the answer. */
export function fillAnswer(key, value, title) {
  setAnswer(key, value, undefined, title)
  showFilledMarks()
}

function setAnswer(key, value, source, title) {
  isFilling = true
  selectAnswer(questionByKey(key), value)
  isFilling = false
  filledAnswers.set(key, { value, source, title })
}

// Removes the answers that an edge case filled in and the user has not changed.
function undoForcedAnswers(box) {
  isFilling = true
  for (const [key, { source }] of filledAnswers) {
    if (source !== box.value) continue
    clearAnswer(questionByKey(key))
    filledAnswers.delete(key)
  }
  isFilling = false
}

function showFilledMarks() {
  for (const q of questions) {
    const mark = q.querySelector('.filled-mark')
    const title = filledAnswers.get(q.dataset.key)?.title
    mark.hidden = !title
    mark.querySelector('span').textContent = title ? `: ${title}` : ''
  }
}

const noteContains = text => note.value.toLowerCase().includes(text.toLowerCase())

// Returns the parts of a hint that can still be filled in.
function unappliedParts(hint) {
  const { values } = readAnswers()
  return {
    values: hint.suggestions.filter(c => c.values.length === 1 && questionByKey(c.key) && values[c.key] === undefined),
    note: hint.note && !noteContains(hint.note) ? hint.note : '',
  }
}

const hasUnapplied = ({ values, note }) => values.length > 0 || note !== ''

function describeHint(hint) {
  const scores = hint.suggestions.map(c => `${titleForKey(c.key)} ${c.values.length > 1 ? c.values.join(' or ') : c.values[0]}`)
  const parts = [...scores, ...(hint.note ? [`note “${hint.note}”`] : [])]
  const suggested = parts.length ? `Suggested: ${parts.join(', ')}.` : ''
  return [suggested, hint.message].filter(Boolean).join(' ')
}

/** Fills in every current suggestion; false if there is none. */
export function applyAllHints() {
  const unapplied = activeHints().filter(hint => hasUnapplied(unappliedParts(hint)))
  unapplied.forEach(applyHint)
  if (unapplied.length) announce('Suggestions filled in. You can change them.')
  return unapplied.length > 0
}

function applyHint(hint) {
  const parts = unappliedParts(hint)
  const source = hint.when.map(c => c.key).find(key => rulebook.observations.includes(key))
  for (const c of parts.values) setAnswer(c.key, c.values[0], source, observationByKey(source)?.dataset.title ?? 'suggestion')
  if (parts.note) {
    note.value = [note.value.trim(), parts.note].filter(Boolean).join('; ')
    note.dispatchEvent(new Event('input', { bubbles: true }))
  }
  showFilledMarks()
}

function activeHints() { return hints(rulebook, facts, readAnswers()) }

/** Shows the active hints, each with a button while it has something to fill in. */
export function showHints() {
  const container = document.getElementById('hints')
  const list = activeHints().map(hint => ({ hint, text: describeHint(hint), canApply: hasUnapplied(unappliedParts(hint)) })).filter(h => h.canApply || h.hint.message)
  const rendered = JSON.stringify(list.map(h => [h.text, h.canApply]))
  if (container.dataset.rendered === rendered) return
  container.dataset.rendered = rendered
  container.replaceChildren(...list.map(hintElement))
  if (list.length) announce(list.map(h => h.text).join(' '))
}

function hintElement({ hint, text, canApply }) {
  const box = textElement('div', '')
  box.className = 'hint-line'
  box.append(textElement('span', text))
  if (!canApply) return box
  const button = textElement('button', 'Fill in ')
  button.type = 'button'
  button.append(textElement('kbd', 'f'))
  button.addEventListener('click', () => applyHint(hint))
  box.append(button)
  return box
}
