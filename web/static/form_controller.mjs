// Runs a form of questions: one question is open at a time, every action has a
// key, and rules are checked on each change. The labeling and adjudication
// screens share it.

import { check, checkUnfinished } from './rules.mjs'
import * as f from './form.mjs'
import { activatesOnEnter, changedKeys, commandForEvent, isTextBox } from './shortcuts.mjs'
import * as panels from './panels.mjs'
import * as hints from './hints.mjs'
import { runItemAction, toggleSupporting } from './item_view.mjs'
import { translate } from './translate.mjs'

const { form } = f
const item = document.getElementById('item')

/**
 * Starts the form. onChange() runs after each change by the user, onSubmit()
 * when the answers are complete and valid. isPaused() turns shortcuts off.
 * extraCommands adds commands by name, extraShortcuts their default keys.
 */
export function startForm({ onChange = () => {}, onSubmit, isPaused = () => false, extraCommands = {}, extraShortcuts = {} }) {
  let hasBeenRejected = false // then unanswered questions are problems too

  function currentProblems() {
    const checkAnswers = hasBeenRejected ? check : checkUnfinished
    return checkAnswers(f.rulebook, f.facts, f.readAnswers())
  }

  function update() {
    f.showAnswers()
    f.announce(f.showProblems(currentProblems()).join(' '))
    hints.showHints()
  }

  document.addEventListener('change', event => {
    if (event.target.form !== form) return
    const question = event.target.closest('.question')
    if (question && event.isTrusted) f.activateQuestion(question)
    hints.onAnswerChange(event.target)
    update()
    onChange()
  })
  // A null character, which some programs copy, cannot be stored: it is shown, so that the user can delete it.
  document.addEventListener('input', ({ target }) => {
    if (isTextBox(target) && target.value.includes('\0')) target.value = target.value.replaceAll('\0', '\uFFFD')
  }, { capture: true })
  form.addEventListener('input', event => {
    if (event.target !== f.note) return
    update()
    onChange()
  })
  form.addEventListener('focusin', event => {
    const question = event.target.closest('.question')
    if (!question) return
    lastAnswered = undefined
    f.activateQuestion(question)
    panels.scrollToSection()
  })

  // Submitting.

  function focusProblem(problem) {
    const question = f.questionByKey(problem.key)
    if (question) return f.focusQuestion(question)
    const observation = f.observationByKey(problem.key)
    if (!observation) return f.focusNote()
    document.getElementById('edge-cases').open = true
    observation.focus()
  }

  function showRejected(problems) {
    hasBeenRejected = true
    f.showProblems(problems)
    focusProblem(problems[0])
    const unanswered = problems.filter(p => p.rule === `${p.key}_given`).map(p => f.titleForKey(p.key))
    const others = f.joinNoteProblems(problems).filter(p => p.rule !== `${p.key}_given`).map(p => p.message)
    f.announce([unanswered.length ? translate('Unanswered: %s.', unanswered.join(', ')) : '', ...others].join(' '))
  }

  function submit() {
    const problems = check(f.rulebook, f.facts, f.readAnswers())
    if (problems.length) return showRejected(problems)
    onSubmit()
  }

  // Shortcuts.

  const shortcutsOff = () => form.elements.shortcuts_off?.checked

  function moveQuestion(offset) {
    if (document.activeElement.name === 'observation') return panels.moveObservation(offset)
    const current = f.questions.indexOf(f.activeQuestion())
    const next = f.questions[Math.min(Math.max(current + offset, 0), f.questions.length - 1)]
    if (next) f.focusQuestion(next)
  }

  const movesOn = document.querySelector('[data-auto-advances]') !== null
  let lastAnswered // the question that a key answered before it moved on to the active one

  // A panel keeps the focus: only the answer is announced.
  function answer(question, value) {
    if (!question) return
    if (!f.selectAnswer(question, value)) return f.showImpossible(question, value)
    const next = movesOn && f.nextUnanswered(question) || question
    if (panels.isInPanel(document.activeElement)) {
      f.activateQuestion(next)
      panels.scrollToSection()
      f.announce(`${f.titleForKey(question.dataset.key)} ${value}.`)
    } else f.focusQuestion(next)
    lastAnswered = next === question ? undefined : question
  }

  // "Between two" and Backspace are about the question just answered, until the next is.
  function answeredQuestion() {
    const active = f.activeQuestion()
    return active && f.isAnswered(active) ? active : lastAnswered
  }

  function clear() {
    const question = answeredQuestion()
    if (!question) return
    f.clearAnswer(question)
    if (panels.isInPanel(document.activeElement)) f.activateQuestion(question)
    else f.focusQuestion(question)
  }

  function closeOrReturn() {
    if (panels.closePanel()) return
    if (f.activeQuestion()) f.focusQuestion(f.activeQuestion())
  }

  function scrollItem(pages) {
    const scroller = item.scrollHeight > item.clientHeight + 1 ? item : document.scrollingElement
    scroller.scrollBy({ top: pages * scroller.clientHeight * .85 })
  }

  const commands = {
    value: ({ value }) => answer(f.activeQuestion(), value),
    up: () => moveQuestion(-1),
    down: () => moveQuestion(1),
    note: () => f.note.focus(),
    edge_cases: () => panels.togglePanel(document.getElementById('edge-cases') ? 'edge-cases' : 'guide'),
    guide: () => panels.togglePanel('guide'),
    shortcuts: () => panels.togglePanel('keys'),
    between: () => answeredQuestion() && f.toggleUnsure(answeredQuestion()),
    suggestions: () => hints.applyAllHints(),
    clear,
    raw_text: () => runItemAction('raw'),
    judged_turn: () => runItemAction('judged'),
    columns: () => runItemAction('columns'),
    citation: () => runItemAction('citation'),
    find: () => runItemAction('find'),
    supporting: () => toggleSupporting(),
    pageUp: () => scrollItem(-1),
    pageDown: () => scrollItem(1),
    submit,
    close: closeOrReturn,
    ...extraCommands,
  }

  let isCommandKey = false // the key that is down is a command, so it types nothing

  document.addEventListener('keydown', event => {
    const { target } = event
    isCommandKey = false
    if (isPaused() || event.defaultPrevented) return
    const command = commandForEvent(event, { isTyping: isTextBox(target), shortcutsOff: shortcutsOff(), extraShortcuts, keys: changedKeys })
    if (!command) return
    f.clearKeyFeedback()
    const pressesControl = command.name === 'submit' && !event.ctrlKey && !event.metaKey && activatesOnEnter(target)
    const scrollsPanel = panels.isInPanel(target) && target.name !== 'observation' && ['up', 'down', 'pageUp', 'pageDown'].includes(command.name)
    if (pressesControl || scrollsPanel) return
    event.preventDefault()
    isCommandKey = true
    commands[command.name](command)
  })
  document.addEventListener('keypress', event => { if (isCommandKey) event.preventDefault() })

  /** Starts with the questions on the page, at first and after each item. */
  function start() {
    hasBeenRejected = document.querySelector('.error-list li') !== null
    lastAnswered = undefined
    update()
    if (hasBeenRejected) focusProblem(currentProblems()[0] ?? { key: 'note' })
  }

  start()
  return { submit, restart: start }
}
