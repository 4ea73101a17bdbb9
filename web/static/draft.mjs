// Saves a draft on the server while the user types, and reports when saving
// fails. No answer is stored in the browser.
import { translate } from './translate.mjs'

const SAVE_DELAY = 600 // ms from a change to saving it
const SLOW_AFTER = 2_000 // ms until the user sees that saving has not worked yet
const TIMEOUT = 10_000 // ms until a request is aborted and retried
const RETRIES = [1_000, 2_000, 4_000, 8_000] // ms between retries
const MIN_TIME_DELTA = 500 // ms of work worth reporting
const ACCEPT_JSON = { Accept: 'application/json' } // of errors

export const SAVED = translate('Saved')
export const SAVING = translate('Saving…')
export const OFFLINE = translate('Not saved: no connection. Keep this page open.')
export const SIGNED_OUT = translate('Not saved: you are signed out. Keep this page open and sign in in another tab.')
export const REJECTED = translate('Not saved: the server rejected the draft. Keep this page open and shorten the note.')
export const NO_ACCESS = translate('Not saved: the current account cannot open this page. Sign in with your own account in another tab.')
export const CONFLICT = translate('Not saved: another tab has newer answers.')
export const CLOSED = 'closed'

/** The id of this tab among several tabs with the same item. */
export const tabID = Array.from(crypto.getRandomValues(new Uint32Array(3)), n => n.toString(36)).join('')

export class Draft {
  #url
  #version // the last version sent
  #savedVersion // the last version saved, as far as this tab knows
  #conflictVersion // a newer version that another tab saved
  #readBody
  #readTime
  #onState
  #onChange
  #reportedMs = 0 // ms of work that the server has recorded
  #wasEdited = false
  #hasUnsaved = false
  #isSending = false
  #keepalive = false // the request in flight survives the page
  #isStopped = false
  #inFlight // aborts the request that saves
  #failures = 0
  #timer

  /**
   * url receives the draft. version is the last one saved. body() returns the form
   * and time() the active time alone, both as URLSearchParams. show(state) displays
   * the state of saving, and showChange(change) what changed around the form.
   */
  constructor({ url, version, body, time = () => new URLSearchParams(), show, showChange = () => {} }) {
    this.#url = url
    this.#readTime = time
    this.#version = this.#savedVersion = version
    this.#readBody = body
    this.#onState = show
    this.#onChange = showChange
  }

  /** Whether an edit has not reached the server yet. */
  get hasUnsaved() { return !this.#isStopped && (this.#hasUnsaved || this.#isSending) }

  /** Whether the user edited this page at all. */
  get wasEdited() { return this.#wasEdited }

  /** The last saved version, as far as this tab knows. */
  get version() { return this.#savedVersion }

  /** Records an edit and schedules saving. */
  markChanged() {
    if (this.#isStopped) return
    this.#wasEdited = this.#hasUnsaved = true
    if (this.#failures === 0 && !this.#conflictVersion) this.#onState(SAVING)
    this.#timer ??= setTimeout(() => this.save(), SAVE_DELAY)
  }

  /** Saves unsaved edits now. */
  async save({ keepalive = false } = {}) {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isSending || this.#isStopped || !this.#hasUnsaved) return
    this.#isSending = true
    this.#keepalive = keepalive
    this.#hasUnsaved = false
    const late = setTimeout(() => this.#isStopped || this.#onState(OFFLINE), SLOW_AFTER)
    const state = await this.#trySave(keepalive)
    clearTimeout(late)
    this.#isSending = this.#keepalive = false
    if (!this.#isStopped) this.#handleState(state)
  }

  /** Saves over the newer version of another tab. */
  overwrite() {
    this.#savedVersion = this.#conflictVersion ?? this.#savedVersion
    this.#hasUnsaved = true
    return this.save()
  }

  /** Discards unsaved edits. */
  discardChanges() {
    clearTimeout(this.#timer)
    this.#hasUnsaved = false
  }

  /** Sends unsaved edits, or the active time, while the page closes. */
  saveOnLeave() {
    if (this.#hasUnsaved || this.#isSending && !this.#keepalive) this.#postDraft({ keepalive: true }).catch(() => {})
    else this.saveOnPause()
  }

  /** Saves unsaved edits, or reports the active time, when the user pauses. */
  saveOnPause() {
    if (this.hasUnsaved) return this.save()
    if (Number(this.#readTime().get('active_ms')) - this.#reportedMs >= MIN_TIME_DELTA) return this.reportTime()
  }

  /**
   * Reports the active time without changing the saved draft, and learns whether
   * the item is still open and whether another tab saved a newer version.
   */
  async reportTime() {
    if (this.#isStopped) return
    const body = this.#readTime()
    this.#reportedMs = Number(body.get('active_ms'))
    body.set('tab', tabID)
    body.set('draft_version', 0)
    body.set('base_version', this.#savedVersion)
    try {
      const state = this.#readState(await fetch(this.#url, { method: 'POST', headers: ACCEPT_JSON, body, redirect: 'manual', keepalive: true }))
      if ([CLOSED, CONFLICT].includes(state) && !this.#isStopped && !this.#isSending) this.#handleState(state)
    } catch {
      this.#reportedMs = 0 // the next request reports it
    }
  }

  /** Stops saving, because the form itself is being submitted. */
  stop() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#inFlight?.abort()
  }

  #handleState(state) {
    if (state === CLOSED) return this.stop(), this.#onState(state)
    if (state === CONFLICT) return this.#hasUnsaved ||= this.#wasEdited, this.#onState(state)
    if (state !== SAVED) {
      this.#hasUnsaved = true
      this.#onState(state)
      return this.#retryAfter(RETRIES[Math.min(this.#failures++, RETRIES.length - 1)])
    }
    this.#failures = 0
    this.#conflictVersion = undefined
    if (this.#hasUnsaved) return this.#retryAfter(SAVE_DELAY)
    this.#onState(SAVED)
  }

  #retryAfter(ms) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.save(), ms)
  }

  async #trySave(keepalive) {
    this.#inFlight = new AbortController()
    try {
      return await this.#postDraft({ keepalive, signal: AbortSignal.any([this.#inFlight.signal, AbortSignal.timeout(TIMEOUT)]) })
    } catch {
      return OFFLINE
    }
  }

  // Versions only grow, also across tabs. base_version is the saved version that
  // this one builds on; the server recognizes its own tab by tabID.
  async #postDraft(options) {
    const version = this.#version = Math.max(this.#version + 1, this.#savedVersion + 1, Date.now())
    const body = this.#readBody()
    body.set('tab', tabID)
    body.set('draft_version', version)
    body.set('base_version', this.#savedVersion)
    const state = this.#readState(await fetch(this.#url, { method: 'POST', headers: ACCEPT_JSON, body, redirect: 'manual', ...options }))
    if (state === SAVED) this.#savedVersion = Math.max(this.#savedVersion, version)
    return state
  }

  #readState(response) {
    if (response.status === 412) this.#conflictVersion = Number(response.headers.get('Draft-Version'))
    if (response.status === 200) response.json().then(change => this.#isStopped || this.#onChange(change), () => {})
    return stateFromResponse(response)
  }
}

function stateFromResponse(response) {
  if (response.ok) return SAVED
  if (response.status === 412) return CONFLICT
  if (response.status === 401 || response.type === 'opaqueredirect') return SIGNED_OUT
  if (response.status === 404) return NO_ACCESS
  if ([403, 409, 410].includes(response.status)) return CLOSED
  if ([400, 413, 422].includes(response.status)) return REJECTED
  return OFFLINE
}
