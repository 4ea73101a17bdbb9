// The screen on which a lead settles an item: the annotators' form, with what
// they said beside each question. It works without this module, as theirs does.

import { enter, form, questionOf, questions, say } from './form.mjs'
import { begin } from './desk.mjs'
import { fillIn } from './hints.mjs'
import { keep } from './keeping.mjs'
import { send } from './send.mjs'
import { tell } from './trouble.mjs'

const cause = document.getElementById('decision-cause')
const reason = document.getElementById('decision-reason')
const owed = document.getElementById('owed')
const usual = owed.textContent

let sending = false
let leaving = false

// The address without what was to be filled in: a reload shows what was typed.
const here = new URL(location)
here.searchParams.delete('prefill')
if (here.search !== location.search) history.replaceState(null, '', here)

const draft = keep({
  body: () => new URLSearchParams(new FormData(form)),
  time: () => new URLSearchParams([['decision.current_no', form.elements['decision.current_no'].value], ...form.elements.shortcuts_off.checked ? [['shortcuts_off', '1']] : []]),
  closed: 'You have settled this item in another tab. What you sent there stands, and nothing more is needed here.',
  on: here.pathname + here.search,
  close: () => {
    sending = leaving = true
    for (const part of form.querySelectorAll('.ask-all, .foot > .button, .foot > button')) part.inert = true
  },
  busy: () => sending && !leaving,
})

const saidOf = question => question.querySelector('.said')?.dataset ?? {}

/** The titles of the questions that are answered against what was said. */
function against() {
  return questions.filter(question => {
    const value = question.querySelector('input[type=radio]:checked')?.value
    return value !== undefined && !saidOf(question).expected.split(' ').includes(value)
  }).map(question => question.querySelector('legend').textContent)
}

function showOwed() {
  const titles = against()
  const text = titles.length ? `Owed: you decide ${titles.map(t => `“${t}”`).join(', ')} against what was said.` : usual
  if (owed.textContent !== text) owed.textContent = text
  owed.toggleAttribute('data-owed', titles.length > 0)
}

function takeMost() {
  const open = questions.filter(q => saidOf(q).most && !q.querySelector('input[type=radio]:checked'))
  for (const question of open) fillIn(question.dataset.key, Number(saidOf(question).most), 'what most say')
  const tied = questions.find(q => !q.querySelector('input[type=radio]:checked'))
  if (tied) enter(tied)
  say(open.length ? 'Filled in is what most say.' : 'Nothing is left to fill in.')
}

async function settle() {
  if (sending) return
  if (against().length) {
    if (!cause.value) return ask(cause, 'Please choose what the disagreement came from.')
    if (!reason.value.trim()) return ask(reason, 'Please say why you decide against what was said.')
  }
  sending = true
  draft.stop()
  tell()
  form.toggleAttribute('data-sending', true)
  const sent = send(form, form.action)
  form.querySelector('.ask-all').inert = true // the same body is sent until it arrives
  const goOn = await sent
  leaving = true
  goOn()
}

/** Says at a control what is missing, and goes there. */
function ask(control, says) {
  const item = document.createElement('li')
  item.textContent = says
  document.getElementById(`problem-${control.id}`).replaceChildren(item)
  control.setAttribute('aria-invalid', 'true')
  control.focus()
}

for (const control of [cause, reason]) {
  control.addEventListener('input', () => {
    draft.changed()
    document.getElementById(`problem-${control.id}`).replaceChildren()
    control.setAttribute('aria-invalid', 'false')
  })
}

const { submit } = begin({
  typed: () => { draft.changed(); showOwed() },
  send: settle,
  resting: () => sending,
  letters: { c: 'most', r: 'why', l: 'later' },
  more: { most: takeMost, why: () => cause.focus(), later: () => document.getElementById('later')?.click() },
})

form.addEventListener('submit', event => {
  event.preventDefault()
  submit()
})
document.getElementById('most').addEventListener('click', event => {
  event.preventDefault()
  takeMost()
})

showOwed()
const refused = [cause, reason].find(c => c.getAttribute('aria-invalid') === 'true')
if (refused && !questions.some(q => questionOf(q.dataset.key).getAttribute('aria-invalid') === 'true')) refused.focus()
