// The questions on the page: reads what is answered, writes an answer where
// somebody asked for it, and shows problems at their fields.

export const form = document.getElementById('answers')
export const note = document.getElementById('note')
export const questions = [...form.querySelectorAll('.question')]
export const rulebook = JSON.parse(document.getElementById('rulebook').textContent)
export const facts = JSON.parse(document.getElementById('facts').textContent)

const within = (element, selector) => [...element.querySelectorAll(selector)]
const radios = question => within(question, 'input[type=radio]')
const checked = question => radios(question).find(r => r.checked)

export const questionOf = key => questions.find(q => q.dataset.key === key)
export const titleOf = key => rulebook.fields.find(f => f.key === key)?.title ?? key
export const observationOf = key => within(form, 'input[name=observation]').find(o => o.value === key)
export const activeQuestion = () => questions.find(q => q.hasAttribute('data-active'))

/** What is answered now, as rules.mjs reads it. */
export function answers() {
  const ticked = name => within(form, `input[name=${name}]:checked`).map(box => box.value)
  const given = questions.filter(checked).map(q => [q.dataset.key, Number(checked(q).value)])
  return { values: Object.fromEntries(given), observations: ticked('observation'), unsure: ticked('unsure'), note: note.value }
}

/** Makes question the one that is open. */
export function activate(question) {
  for (const q of questions) q.toggleAttribute('data-active', q === question)
}

/** Puts the focus where question is answered. */
export function enter(question) {
  activate(question)
  const target = checked(question) ?? radios(question)[0]
  target.focus({ preventScroll: true })
  question.scrollIntoView({ block: 'nearest' })
}

/** Puts the focus into the note, with what is said about it in sight. */
export function enterNote() {
  note.focus({ preventScroll: true })
  note.closest('.note').scrollIntoView({ block: 'nearest' })
}

/** Answers question with value; false where it has no such point. */
export function choose(question, value) {
  const radio = radios(question).find(r => Number(r.value) === value)
  if (!radio) return false
  radio.checked = true
  changed(radio)
  return true
}

/** Opens question again. */
export function clear(question) {
  const radio = checked(question)
  if (!radio) return
  radio.checked = false
  changed(radio)
}

/** Ticks the doubt of question, or takes it back; false where none can be had. */
export function toggleUnsure(question) {
  const box = question.querySelector('input[name=unsure]')
  const highest = radios(question).at(-1)
  if (!box || !box.checked && (!checked(question) || checked(question) === highest)) return false
  box.checked = !box.checked
  changed(box)
  return true
}

const changed = control => control.dispatchEvent(new Event('change', { bubbles: true }))

/** Shows how far the form is, and what was chosen where a question is folded. */
export function showAnswers() {
  for (const q of questions) {
    const text = checked(q)?.closest('label').querySelector('.anchor').textContent ?? ''
    q.querySelector('.chosen').textContent = text
  }
  const tally = `${questions.filter(checked).length} of ${questions.length} answered`
  document.getElementById('tally').textContent = tally
  const titles = within(form, 'input[name=observation]:checked').map(box => line('b', box.dataset.title))
  document.getElementById('ticked')?.replaceChildren(...titles)
}

/** Shows problems, each at its key, and returns the sentences that are new. */
export function showProblems(problems) {
  const places = [...questions.map(q => q.dataset.key), 'note']
  const apart = problems.filter(p => !places.includes(p.key)).map(p => ({ ...p, key: 'apart', says: named(p) }))
  const before = new Set(within(form, '.problem li').map(li => li.textContent))
  for (const place of [...places, 'apart']) {
    const sentences = new Set([...problems, ...apart].filter(p => p.key === place).map(p => p.says))
    show(place, [...sentences])
  }
  return within(form, '.problem li').map(li => li.textContent).filter(says => !before.has(says))
}

const named = problem => {
  const title = observationOf(problem.key)?.dataset.title
  return title ? `${title}: ${problem.says}` : problem.says
}

function show(place, sentences) {
  const list = document.getElementById(`problem-${place}`)
  const same = list.children.length === sentences.length && sentences.every((s, i) => list.children[i].textContent === s)
  if (!same) list.replaceChildren(...sentences.map(s => line('li', s)))
  const control = place === 'note' ? note : questionOf(place)
  control?.setAttribute('aria-invalid', sentences.length > 0)
}

/** An element with text in it, in the text's own direction. */
export function line(tag, text) {
  const element = document.createElement(tag)
  element.dir = 'auto'
  element.textContent = text
  return element
}

let sayings = []

/** Says text to those who cannot see the page change; what is said at once is said together. */
export function say(text) {
  if (!text) return
  if (sayings.length === 0) setTimeout(speak, 50)
  sayings.push(text)
}

function speak() {
  const place = document.getElementById('say')
  const text = sayings.join(' ')
  place.textContent = place.textContent === text ? `${text}\u00a0` : text // the same again is news
  sayings = []
}
