// The labelling screen. It works without this module; with it, one question is
// open at a time, keys do everything, rules speak the moment they are broken,
// and what is typed is kept as it is typed.

import { check, checkSoFar } from './rules.mjs'
import * as f from './form.mjs'
import { commandOf, isPressed, isTextBox } from './keys.mjs'
import * as panels from './panels.mjs'
import * as hints from './hints.mjs'
import { Draft } from './draft.mjs'
import { send } from './send.mjs'
import { keepPace } from './pace.mjs'

const { form } = f
const aside = document.getElementById('aside')
const asideForm = aside.querySelector('form')
const item = document.getElementById('item')
const writePace = keepPace(form)

let refused = document.querySelector('.problem li') !== null // then open questions are problems too
let sending = false
let leaving = false

const draft = new Draft({
  url: form.dataset.draft,
  version: Number(form.dataset.version),
  body: () => (writePace(form), new URLSearchParams(new FormData(form))),
  show: state => {
    const calm = state.startsWith('sav')
    document.getElementById('saved').textContent = calm ? state : ''
    trouble(calm ? '' : state)
  },
})

function trouble(sentence) {
  const place = document.getElementById('trouble')
  if (place.textContent !== sentence) place.textContent = sentence
}

// Everything that follows from a change.

function judge() {
  const judged = refused ? check : checkSoFar
  return judged(f.rulebook, f.facts, f.answers())
}

function update() {
  f.showAnswers()
  f.say(f.showProblems(judge()).join(' '))
  hints.showHints()
}

document.addEventListener('change', event => {
  if (event.target.form !== form) return
  const question = event.target.closest('.question')
  if (question && event.isTrusted) f.activate(question)
  hints.follow(event.target)
  update()
  draft.changed()
})
form.addEventListener('input', event => {
  if (event.target !== f.note) return
  update()
  draft.changed()
})
form.addEventListener('focusin', event => {
  const question = event.target.closest('.question')
  if (!question) return
  f.activate(question)
  panels.showSection()
})

// Sending.

function goTo(problem) {
  const question = f.questionOf(problem.key)
  if (question) return f.enter(question)
  const observation = f.observationOf(problem.key)
  if (!observation) return f.note.focus()
  document.getElementById('edges').open = true
  observation.focus()
}

function refuse(problems) {
  refused = true
  f.showProblems(problems)
  goTo(problems[0])
  const open = problems.filter(p => p.rule === `${p.key}_given`).map(p => f.titleOf(p.key))
  const others = problems.filter(p => p.rule !== `${p.key}_given`).map(p => p.says)
  f.say([open.length ? `Still open: ${open.join(', ')}.` : '', ...others].join(' '))
}

async function dispatch(from, url) {
  if (sending) return
  sending = true
  if (url !== form.action) await draft.save() // the answers stay for later
  draft.stop()
  writePace(from)
  form.toggleAttribute('data-sending', true)
  document.getElementById('saved').textContent = 'sending…'
  const sent = send(from, url, trouble)
  form.querySelector('.ask-all').inert = true // the same body is sent until it arrives
  const goOn = await sent
  leaving = true
  goOn()
}

function submit() {
  const problems = check(f.rulebook, f.facts, f.answers())
  if (problems.length) return refuse(problems)
  dispatch(form, form.action)
}

form.addEventListener('submit', event => {
  event.preventDefault()
  const button = event.submitter
  if (button?.id === 'set-aside') return sending || aside.showModal()
  if (button?.id === 'break') return dispatch(form, button.formAction)
  submit()
})

/** Says at a control of the dialog what is missing, until something is typed. */
function askFor(control, says) {
  control.setCustomValidity(says)
  control.reportValidity()
  asideForm.addEventListener('input', () => control.setCustomValidity(''), { once: true })
}

asideForm.addEventListener('submit', event => {
  event.preventDefault()
  const reason = asideForm.elements.reason.value
  const word = asideForm.elements.word
  if (!reason) return askFor(asideForm.querySelector('input[name=reason]'), 'Please choose why you set this item aside.')
  if (reason !== 'distressing' && word.value.trim() === '') return askFor(word, 'Please say why in a word or two.')
  aside.close()
  dispatch(asideForm, asideForm.action)
})
aside.querySelector('[data-close]').addEventListener('click', () => aside.close())

// Keys.

const keysOff = () => form.elements.keys_off.checked

function move(by) {
  if (document.activeElement.name === 'observation') return panels.step(by)
  const here = f.questions.indexOf(f.activeQuestion())
  const next = f.questions[Math.min(Math.max(here + by, 0), f.questions.length - 1)]
  if (next) f.enter(next)
}

// The focus goes along with the answer, except out of a panel that is being read.
function answer(question, value) {
  if (!question || !f.choose(question, value)) return
  if (!panels.isInPanel(document.activeElement)) return f.enter(question)
  f.say(`${f.titleOf(question.dataset.key)} ${value}.`)
}

function leave() {
  if (panels.close()) return
  if (f.activeQuestion()) f.enter(f.activeQuestion())
}

function scroll(by) {
  const scroller = item.scrollHeight > item.clientHeight + 1 ? item : document.scrollingElement
  scroller.scrollBy({ top: by * scroller.clientHeight * .85 })
}

const commands = {
  value: ({ value }) => answer(f.activeQuestion(), value),
  up: () => move(-1),
  down: () => move(1),
  note: () => f.note.focus(),
  edges: () => panels.toggle(document.getElementById('edges') ? 'edges' : 'guide'),
  guide: () => panels.toggle('guide'),
  keys: () => panels.toggle('keys'),
  unsure: () => f.activeQuestion() && f.toggleUnsure(f.activeQuestion()),
  fill: () => hints.takeAll(),
  pageUp: () => scroll(-1),
  pageDown: () => scroll(1),
  submit,
  leave,
}

let taken = false // the key that is down was a command, so it writes nothing

document.addEventListener('keydown', event => {
  const { target } = event
  taken = false
  if (sending || aside.open || event.defaultPrevented) return
  const command = commandOf(event, { writing: isTextBox(target), off: keysOff() })
  if (!command) return
  const own = command.name === 'submit' && !event.ctrlKey && !event.metaKey && isPressed(target)
  const reading = panels.isInPanel(target) && target.name !== 'observation' && ['up', 'down', 'pageUp', 'pageDown'].includes(command.name)
  if (own || reading) return
  event.preventDefault()
  taken = true
  commands[command.name](command)
})
document.addEventListener('keypress', event => { if (taken) event.preventDefault() })

// Coming back and going away.

for (const kind of ['online', 'focus']) addEventListener(kind, () => draft.save())
addEventListener('pagehide', () => draft.leave())
document.addEventListener('visibilitychange', () => document.hidden && draft.save())
addEventListener('beforeunload', event => { if (!leaving && (sending || draft.unsaved)) event.preventDefault() })
addEventListener('pageshow', event => { if (event.persisted && sending) location.reload() })

update()
if (refused) goTo(judge()[0] ?? { key: 'note' })
