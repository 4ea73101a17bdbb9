// Counts the time somebody really works on an item: the page is in sight, its
// window has the focus, and something was done not longer ago than it takes to
// read the item. Whoever reads without touching anything is working too.

import { tab } from './draft.mjs'

const GRACE = 30_000 // ms, for thinking
const A_WORD = 400 // ms, of careful reading

export class Pace {
  #allowance
  #last
  #input
  #present
  active
  idle

  /** words to read; active and idle ms counted before; now and present: at the start. */
  constructor({ words = 0, active = 0, idle = 0, now, present }) {
    this.#allowance = GRACE + words * A_WORD
    this.#last = this.#input = now
    this.#present = present
    this.active = active
    this.idle = idle
  }

  /** Counts up to now. */
  count(now) {
    const span = Math.max(0, now - this.#last)
    const until = Math.min(now, this.#input + this.#allowance)
    const worked = this.#present ? Math.max(0, until - this.#last) : 0
    this.active += worked
    this.idle += span - worked
    this.#last = now
  }

  /** Something was done: a key, a click, a scroll. */
  touch(now) {
    this.count(now)
    this.#input = now
  }

  /** The page came into sight or left it. */
  presence(present, now) {
    this.count(now)
    if (present && !this.#present) this.#input = now
    this.#present = present
  }
}

/**
 * Counts for this page, as its form says, until the page is left. The page has a
 * name of its own: the server adds up what several pages of one item counted.
 * Of these only the one used last counts, so that no second counts twice.
 * rests() is called when this page counts no more for now, and look() when
 * another one of the item says that it was sent.
 */
export function keepPace(form, { rests, look }) {
  const { active_ms, idle_ms } = form.elements
  const others = new BroadcastChannel(form.dataset.draft)
  const inSight = () => document.visibilityState === 'visible' && document.hasFocus()
  let leads = inSight()
  const pace = new Pace({
    words: Number(form.dataset.words), active: Number(active_ms.value), idle: Number(idle_ms.value),
    now: performance.now(), present: leads,
  })

  /** Counts from now on, or no more. */
  function lead(now) {
    if (now === leads) return
    leads = now
    pace.presence(leads, performance.now())
    if (leads) others.postMessage('here')
    else rests()
  }
  function touch() {
    lead(inSight())
    pace.touch(performance.now())
  }
  others.onmessage = ({ data }) => data === 'sent' ? look() : lead(false)
  if (leads) others.postMessage('here')
  for (const kind of ['keydown', 'pointerdown', 'pointermove', 'wheel', 'scroll', 'input'])
    addEventListener(kind, touch, { capture: true, passive: true })
  for (const kind of ['focus', 'blur', 'pageshow']) addEventListener(kind, () => lead(inSight()))
  addEventListener('pagehide', () => lead(false))
  document.addEventListener('visibilitychange', () => lead(inSight()))

  return {
    /** Writes what was counted into the hidden fields of a form. */
    write(target) {
      pace.count(performance.now())
      if (target.elements.tab) target.elements.tab.value = tab
      target.elements.active_ms.value = Math.round(pace.active)
      target.elements.idle_ms.value = Math.round(pace.idle)
    },
    /** Tells the other pages of the item that it was sent. */
    sent: () => others.postMessage('sent'),
  }
}
