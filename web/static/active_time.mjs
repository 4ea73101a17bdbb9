// Measures the active time on an item: the page is visible and focused, and the
// last input is no longer ago than it takes to read the item. Reading without
// input counts as work.

import { tabID } from './draft.mjs'

const BASE_IDLE_MS = 30_000 // for thinking
const MS_PER_WORD = 400 // careful reading

export class ActiveTimer {
  #idleAfter
  #lastUpdate
  #lastInput
  #isVisible
  activeMs
  idleMs

  /** words: the length of the item; activeMs, idleMs: measured before; now, isVisible: at the start. */
  constructor({ words = 0, activeMs = 0, idleMs = 0, now, isVisible }) {
    this.#idleAfter = BASE_IDLE_MS + words * MS_PER_WORD
    this.#lastUpdate = this.#lastInput = now
    this.#isVisible = isVisible
    this.activeMs = activeMs
    this.idleMs = idleMs
  }

  /** Adds the time up to now. */
  update(now) {
    const elapsed = Math.max(0, now - this.#lastUpdate)
    const until = Math.min(now, this.#lastInput + this.#idleAfter)
    const active = this.#isVisible ? Math.max(0, until - this.#lastUpdate) : 0
    this.activeMs += active
    this.idleMs += elapsed - active
    this.#lastUpdate = now
  }

  /** Records an input: a key, a click, a scroll. */
  recordInput(now) {
    this.update(now)
    this.#lastInput = now
  }

  /** Records that the page became visible or hidden. */
  setVisible(isVisible, now) {
    this.update(now)
    if (isVisible && !this.#isVisible) this.#lastInput = now
    this.#isVisible = isVisible
  }
}

/**
 * Measures the active time of each item that this page shows, until it closes. The server adds up the
 * times of several tabs with the same item; only the tab used last counts, so
 * that no second counts twice. onPause() runs when this tab stops counting, and
 * onSentElsewhere() when another tab submits the item.
 */
export function trackActiveTime(form, { onPause, onSentElsewhere }) {
  const isInView = () => document.visibilityState === 'visible' && document.hasFocus()
  let isLeader = isInView()
  let channel, timer

  /** Starts the time of the item shown. */
  function start() {
    channel?.close()
    channel = new BroadcastChannel(form.dataset.draftUrl)
    channel.onmessage = ({ data }) => data === 'submitted' ? onSentElsewhere() : setLeader(false)
    const { active_ms, idle_ms } = form.elements
    timer = new ActiveTimer({
      words: Number(form.dataset.wordCount), activeMs: Number(active_ms.value), idleMs: Number(idle_ms.value),
      now: performance.now(), isVisible: isLeader,
    })
    if (isLeader) channel.postMessage('active')
  }

  /** Makes this tab the one that counts, or not. */
  function setLeader(value) {
    if (value === isLeader) return
    isLeader = value
    timer.setVisible(isLeader, performance.now())
    if (isLeader) channel.postMessage('active')
    else onPause()
  }
  function recordInput() {
    setLeader(isInView())
    timer.recordInput(performance.now())
  }
  start()
  for (const type of ['keydown', 'pointerdown', 'pointermove', 'wheel', 'scroll', 'input'])
    addEventListener(type, recordInput, { capture: true, passive: true })
  for (const type of ['focus', 'blur', 'pageshow']) addEventListener(type, () => setLeader(isInView()))
  addEventListener('pagehide', () => setLeader(false))
  document.addEventListener('visibilitychange', () => setLeader(isInView()))

  return {
    /** Writes the measured times into the hidden fields of a form. */
    writeTo(target) {
      timer.update(performance.now())
      if (target.elements.tab) target.elements.tab.value = tabID
      target.elements.active_ms.value = Math.round(timer.activeMs)
      target.elements.idle_ms.value = Math.round(timer.idleMs)
    },
    /** Notifies the other tabs of the item that it was submitted. */
    notifySubmitted: () => channel.postMessage('submitted'),
    restart: start,
  }
}
