// Reads the answers on the page, sets an answer, and shows problems at their
// fields.
import { translate } from './translate.mjs'

export const form = document.getElementById('answer-form')
export const rulebook = JSON.parse(document.getElementById('rulebook').textContent)
export let note, questions, facts // of the item shown

/** Reads the questions of the page, again when the next item is shown. */
export function loadQuestions() {
  note = document.getElementById('note')
  questions = [...form.querySelectorAll('.question')]
  facts = JSON.parse(document.getElementById('facts').textContent)
}
loadQuestions()

const queryAll = (element, selector) => [...element.querySelectorAll(selector)]
const radios = question => queryAll(question, 'input[type=radio]')
const selectedRadio = question => radios(question).find(r => r.checked)

export const questionByKey = key => questions.find(q => q.dataset.key === key)
export const titleForKey = key => rulebook.fields.find(f => f.key === key)?.title ?? key
export const observationByKey = key => queryAll(form, 'input[name=observation]').find(o => o.value === key)
export const activeQuestion = () => questions.find(q => q.hasAttribute('data-active'))

/** Returns the current answers as rules.mjs reads them. */
export function readAnswers() {
  const checkedValues = name => queryAll(form, `input[name=${name}]:checked`).map(box => box.value)
  const answered = questions.filter(selectedRadio).map(q => [q.dataset.key, Number(selectedRadio(q).value)])
  return { values: Object.fromEntries(answered), observations: checkedValues('observation'), unsure: checkedValues('unsure'), note: note.value }
}

/** Opens question and closes the others. */
export function activateQuestion(question) {
  for (const q of questions) q.toggleAttribute('data-active', q === question)
}

/** Focuses the answer of question, or its first point. */
export function focusQuestion(question) {
  activateQuestion(question)
  const target = selectedRadio(question) ?? radios(question)[0]
  target.focus({ preventScroll: true })
  question.scrollIntoView({ block: 'nearest' })
}

/** Focuses the note and scrolls its problems into view. */
export function focusNote() {
  note.focus({ preventScroll: true })
  note.closest('.note-field').scrollIntoView({ block: 'nearest' })
}

/** Answers question with value; false if it has no such point. */
export function selectAnswer(question, value) {
  const radio = radios(question).find(r => Number(r.value) === value)
  if (!radio) return false
  radio.checked = true
  dispatchChange(radio)
  return true
}

/** Removes the answer of question. */
export function clearAnswer(question) {
  const radio = selectedRadio(question)
  if (!radio) return
  radio.checked = false
  dispatchChange(radio)
}

/** Returns the first unanswered question after question, or before it; undefined if there is none. */
export function nextUnanswered(question) {
  const i = questions.indexOf(question)
  return [...questions.slice(i + 1), ...questions.slice(0, i)].find(q => !selectedRadio(q))
}

export const isAnswered = question => selectedRadio(question) !== undefined

/** Shows at question that it has no point value, until the next key. */
export function showImpossible(question, value) {
  const values = radios(question).map(r => r.value)
  const message = translate('%s is not on this scale. Press %s.', value, values.length > 2 ? `${values[0]}–${values.at(-1)}` : values.join(' / '))
  const text = textElement('p', message)
  text.className = 'key-feedback'
  question.append(text)
  question.scrollIntoView({ block: 'nearest' })
  announce(message)
}

/** Removes what showImpossible shows. */
export function clearKeyFeedback() {
  form.querySelector('.key-feedback')?.remove()
}

/** Toggles "between two" of question; false if its answer allows none. */
export function toggleUnsure(question) {
  const box = question.querySelector('input[name=unsure]')
  const highest = radios(question).at(-1)
  if (!box || !box.checked && (!selectedRadio(question) || selectedRadio(question) === highest)) return false
  box.checked = !box.checked
  dispatchChange(box)
  return true
}

const dispatchChange = control => control.dispatchEvent(new Event('change', { bubbles: true }))

/** Shows how many questions are answered, and the selected anchor of each closed question. */
export function showAnswers() {
  for (const q of questions) {
    const text = selectedRadio(q)?.closest('label').querySelector('.anchor').textContent ?? ''
    q.querySelector('.selected-anchor').textContent = text
  }
  const progressText = translate('%d of %d answered', questions.filter(selectedRadio).length, questions.length)
  document.getElementById('answered-count').textContent = progressText
  showNoteLength()
  const titles = queryAll(form, 'input[name=observation]:checked').map(box => textElement('b', box.dataset.title))
  document.getElementById('checked-observations')?.replaceChildren(...titles)
}

const COUNTED_FROM = 500 // characters left in the note

function showNoteLength() {
  const length = [...note.value].length
  const isLong = length >= rulebook.maxNoteLength - COUNTED_FROM
  document.getElementById('note-count').textContent = isLong ? translate('%d of %d characters', length, rulebook.maxNoteLength) : ''
}

/** Shows each problem at its key, and returns the messages that are new. */
export function showProblems(problems) {
  const fieldKeys = [...questions.map(q => q.dataset.key), 'note']
  const generalProblems = problems.filter(p => !fieldKeys.includes(p.key)).map(p => ({ ...p, key: 'general', message: withTitle(p) }))
  const before = new Set(queryAll(form, '.error-list li').map(li => li.textContent))
  for (const key of [...fieldKeys, 'general']) {
    const messages = new Set([...joinNoteProblems(problems), ...generalProblems].filter(p => p.key === key).map(p => p.message))
    showMessages(key, [...messages])
  }
  return queryAll(form, '.error-list li').map(li => li.textContent).filter(message => !before.has(message))
}

/** Returns problems with one for all answers that rules want explained in the note, if they are several. */
export function joinNoteProblems(problems) {
  const explained = problems.map(p => p.key === 'note' ? explainedAnswer(p.rule) : undefined)
  if (explained.filter(Boolean).length < 2) return problems
  const message = translate('Say why in the note: %s.', explained.filter(Boolean).join(', '))
  pageMessages.add(message)
  return [...problems.filter((_, i) => !explained[i]), { key: 'note', message }]
}

// Returns the answer that a rule wants explained, such as "Safety 1", or undefined.
function explainedAnswer(id) {
  const { when } = rulebook.rules.find(r => r.id === id) ?? { when: [] }
  const question = when.length === 1 && questionByKey(when[0].key)
  return question ? `${titleForKey(when[0].key)} ${selectedRadio(question)?.value}` : undefined
}

const withTitle = problem => {
  const title = observationByKey(problem.key)?.dataset.title
  return title ? `${title}: ${problem.message}` : problem.message
}

function showMessages(key, messages) {
  const list = document.getElementById(`problem-${key}`)
  const isSame = list.children.length === messages.length && messages.every((m, i) => list.children[i].textContent === m)
  if (!isSame) list.replaceChildren(...messages.map(messageElement))
  const control = key === 'note' ? note : questionByKey(key)
  control?.setAttribute('aria-invalid', messages.length > 0)
}

const pageMessages = new Set(Object.values(rulebook.messages)) // in the language of the page; others are of the protocol

function messageElement(message) {
  const element = textElement('li', message)
  if (!pageMessages.has(message)) element.lang = form.querySelector('.question legend')?.lang ?? ''
  return element
}

/** Returns an element with text in the text's own direction. */
export function textElement(tag, text) {
  const element = document.createElement(tag)
  element.dir = 'auto'
  element.textContent = text
  return element
}

let announcements = []

/** Announces text to screen readers; announcements of the same moment are joined. */
export function announce(text) {
  if (!text) return
  if (announcements.length === 0) setTimeout(flushAnnouncements, 50)
  announcements.push(text)
}

function flushAnnouncements() {
  const announcer = document.getElementById('announcer')
  const text = announcements.join(' ')
  announcer.textContent = announcer.textContent === text ? `${text}\u00a0` : text // a change, so that repeated text is read again
  announcements = []
}
