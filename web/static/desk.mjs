// The questions under somebody's hands: one is open at a time, keys do
// everything, and rules speak the moment they are broken. Annotators work so,
// and leads who settle what annotators differ on.

import { check, checkSoFar } from './rules.mjs'
import * as f from './form.mjs'
import { commandOf, isPressed, isTextBox } from './keys.mjs'
import * as panels from './panels.mjs'
import * as hints from './hints.mjs'

const { form } = f
const item = document.getElementById('item')

/**
 * Begins to work. typed() is told of every change by somebody, send() is called
 * with a form that is whole, resting() tells when keys do nothing, and more has
 * further commands, and letters their keys.
 */
export function begin({ typed = () => {}, send, resting = () => false, more = {}, letters = {} }) {
  let refused = document.querySelector('.problem li') !== null // then open questions are problems too

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
    typed()
  })
  form.addEventListener('input', event => {
    if (event.target !== f.note) return
    update()
    typed()
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
    if (!observation) return f.enterNote()
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

  function submit() {
    const problems = check(f.rulebook, f.facts, f.answers())
    if (problems.length) return refuse(problems)
    send()
  }

  // Keys.

  const keysOff = () => form.elements.shortcuts_off?.checked

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
    ...more,
  }

  let taken = false // the key that is down was a command, so it writes nothing

  document.addEventListener('keydown', event => {
    const { target } = event
    taken = false
    if (resting() || event.defaultPrevented) return
    const command = commandOf(event, { writing: isTextBox(target), off: keysOff(), letters })
    if (!command) return
    const own = command.name === 'submit' && !event.ctrlKey && !event.metaKey && isPressed(target)
    const reading = panels.isInPanel(target) && target.name !== 'observation' && ['up', 'down', 'pageUp', 'pageDown'].includes(command.name)
    if (own || reading) return
    event.preventDefault()
    taken = true
    commands[command.name](command)
  })
  document.addEventListener('keypress', event => { if (taken) event.preventDefault() })

  update()
  if (refused) goTo(judge()[0] ?? { key: 'note' })
  return { submit }
}
