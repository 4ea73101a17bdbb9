// Edge cases: answers that one forces are filled in when it is ticked, also over
// answers given before. What it suggests is offered and filled in with a key, only
// where there is no answer. Unticking takes back exactly what was filled in, unless
// the user changed it since.

import { forced, hints } from './rules.mjs'
import { keyFor } from './shortcuts.mjs'
import { announce, clearAnswer, facts, form, note, observationByKey, questionByKey, questions, readAnswers, rulebook, selectAnswer, textElement, titleForKey } from './form.mjs'
import { translate } from './translate.mjs'

let layers // field → what was filled in, last on top: [{value, before, source, title}]
let filledNotes // [{source, text, before, after}]
let forcedBefore
let isFilling = false

/** Starts with the item shown, without what was filled in on the one before. */
export function restartHints() {
  const saved = readFilledIn()
  layers = saved ? new Map(questions.map(q => [q.dataset.key, saved.answers[q.dataset.key] ?? []])) : readMarks()
  for (const [key, list] of layers) if (list.at(-1)?.value !== answerFor(key).value) layers.set(key, [])
  filledNotes = saved?.notes ?? []
  forcedBefore = currentForced()
  if (saved) showFilledMarks()
}
restartHints()

// Returns what was filled in before the page was loaded, as the draft has it.
function readFilledIn() {
  const text = form.elements.filled_in?.value
  return text ? { answers: {}, notes: [], ...JSON.parse(text) } : undefined
}

// Keeps what was filled in with the draft.
function saveFilledIn() {
  const field = form.elements.filled_in
  if (!field) return
  const answers = Object.fromEntries([...layers].filter(([, list]) => list.length > 0))
  field.value = Object.keys(answers).length + filledNotes.length > 0 ? JSON.stringify({ answers, notes: filledNotes }) : ''
}

function readMarks() { return new Map(questions.map(q => [q.dataset.key, readMark(q)])) }

function currentForced() { return new Map(forced(rulebook, facts, readAnswers()).map(f => [f.key, f.value])) }

function answerFor(key) {
  const { values, unsure } = readAnswers()
  return { value: values[key], isUnsure: unsure.includes(key) }
}

// Returns what the server filled in, as the page shows it.
function readMark(question) {
  const mark = question.querySelector('.filled-mark')
  if (mark.hidden) return []
  const { source = '', before, wasUnsure } = mark.dataset
  return [{ value: answerFor(question.dataset.key).value, source, title: observationByKey(source)?.dataset.title ?? '',
    before: { value: before === undefined ? undefined : Number(before), isUnsure: wasUnsure !== undefined } }]
}

/** Handles a change of control: fills in what a ticked edge case forces, and takes back what an unticked one filled in. */
export function onAnswerChange(control) {
  if (isFilling) return
  if (control.type === 'radio') layers.set(control.name, [])
  if (control.name === 'unsure') layers.set(control.value, [])
  if (control.name === 'observation') control.checked ? fillForced(control) : takeBack(control)
  forcedBefore = currentForced()
  showFilledMarks()
}

function fillForced(box) {
  const newlyForced = [...currentForced()].filter(([key, value]) => forcedBefore.get(key) !== value && answerFor(key).value !== value)
  for (const [key, value] of newlyForced) addLayer(key, value, box.value, box.dataset.title)
  if (newlyForced.length) announce(translate('Filled in: %s.', newlyForced.map(([key, value]) => `${titleForKey(key)} ${value}`).join(', ')))
}

/** Answers a question and marks it with title, the source of the answer. */
export function fillAnswer(key, value, title) {
  addLayer(key, value, undefined, title)
  showFilledMarks()
}

function addLayer(key, value, source, title) {
  layers.get(key).push({ value, before: answerFor(key), source, title })
  setAnswer(key, { value, isUnsure: false })
}

function setAnswer(key, { value, isUnsure }) {
  const question = questionByKey(key)
  isFilling = true
  const unsure = question.querySelector('input[name=unsure]')
  if (unsure) unsure.checked = isUnsure
  value === undefined ? clearAnswer(question) : selectAnswer(question, value)
  isFilling = false
}

function takeBack(box) {
  const stillForced = currentForced()
  for (const [key, list] of layers) {
    for (const layer of list.filter(l => l.source === box.value || l.source === '')) {
      if (stillForced.get(key) === layer.value) Object.assign(layer, { source: '', title: '' }) // another edge case forces it too
      else removeLayer(key, list, list.indexOf(layer))
    }
  }
  for (const filled of filledNotes.filter(n => n.source === box.value)) takeBackNote(filled)
  filledNotes = filledNotes.filter(n => n.source !== box.value)
}

function removeLayer(key, list, i) {
  const [{ before }] = list.splice(i, 1)
  if (i < list.length) list[i].before = before // the answer on top stays
  else setAnswer(key, before)
}

// Removes a filled text from the note, and leaves what the user wrote around it.
function takeBackNote({ text, before, after }) {
  if (note.value === after) return setNote(before)
  const found = [`; ${text}`, `${text}; `, text].find(part => note.value.includes(part))
  if (found) setNote(note.value.replace(found, () => ''))
}

function setNote(value) {
  note.value = value
  note.dispatchEvent(new Event('input', { bubbles: true }))
}

function showFilledMarks() {
  saveFilledIn()
  for (const q of questions) {
    const mark = q.querySelector('.filled-mark')
    const list = layers.get(q.dataset.key)
    const title = textElement('span', list.at(-1)?.title ? `: ${list.at(-1).title}` : '')
    mark.hidden = list.length === 0
    mark.replaceChildren(list[0]?.before.value === undefined ? translate('Filled in') : translate('Changed from %d', Number(list[0].before.value)), title)
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
  const scores = hint.suggestions.map(c => `${titleForKey(c.key)} ${c.values.length > 1 ? c.values.join(' / ') : c.values[0]}`)
  const parts = [...scores, ...(hint.note ? [translate('note “%s”', hint.note)] : [])]
  const suggested = parts.length ? translate('Suggested: %s.', parts.join(', ')) : ''
  return [suggested, hint.message].filter(Boolean).join(' ')
}

/** Fills in every current suggestion; false if there is none. */
export function applyAllHints() {
  const unapplied = activeHints().filter(hint => hasUnapplied(unappliedParts(hint)))
  unapplied.forEach(applyHint)
  if (unapplied.length) announce(translate('Suggestions filled in. You can change them.'))
  return unapplied.length > 0
}

function applyHint(hint) {
  const parts = unappliedParts(hint)
  const source = hint.when.map(c => c.key).find(key => rulebook.observations.includes(key))
  for (const c of parts.values) addLayer(c.key, c.values[0], source, observationByKey(source)?.dataset.title ?? translate('suggestion'))
  if (parts.note) {
    const before = note.value
    setNote([before.trim(), parts.note].filter(Boolean).join('; '))
    filledNotes.push({ source, text: parts.note, before, after: note.value })
  }
  forcedBefore = currentForced()
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
  const button = textElement('button', `${translate('Fill in')} `)
  button.type = 'button'
  button.append(textElement('kbd', keyFor('suggestions')))
  button.addEventListener('click', () => applyHint(hint))
  box.append(button)
  return box
}
