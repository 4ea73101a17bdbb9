// Keeps on the server what is being typed, as it is typed, and says so while it
// cannot. Nothing is ever kept in the browser's storage.

const PAUSE = 600 // ms from a change to saving it
const PATIENCE = 2_000 // ms until people are told that it has not worked yet
const TIMEOUT = 10_000 // ms until a request is given up and tried again
const RETRIES = [1_000, 2_000, 4_000, 8_000] // ms between tries

export const KEPT = 'saved'
export const SAVING = 'saving…'
export const OFFLINE = 'not saved: no connection. Keep this page open.'
export const SIGNED_OUT = 'not saved: you are signed out. Sign in in another tab and come back; keep this page open.'
export const REFUSED = 'not saved: this was not taken. Keep this page open and try to shorten the note.'
export const STRANGER = 'not saved: this page is not open to whoever is signed in now. Sign in as yourself in another tab and come back; keep this page open.'
export const NEWER = 'not saved: another tab holds newer answers to this item.'
export const CLOSED = 'closed'

/** What this page is called among several of the same item. */
export const tab = Array.from(crypto.getRandomValues(new Uint32Array(3)), n => n.toString(36)).join('')

const WORTH = 500 // ms of work that are worth telling

export class Draft {
  #url
  #version // the last one sent
  #from // the one that is kept, as far as this page knows
  #newer // the one that another page has kept since
  #body
  #show
  #time
  #told = 0 // ms of work that the server knows of
  #touched = false
  #unsaved = false
  #sending = false
  #lasting = false // what is being sent outlives the page
  #stopped = false
  #failures = 0
  #timer

  /**
   * url takes the draft, version was the last one kept, body() gives the form as
   * URLSearchParams, time() only the time that was worked, and show(state) tells
   * people how it stands.
   */
  constructor({ url, version, body, time = () => new URLSearchParams(), show }) {
    this.#url = url
    this.#time = time
    this.#version = this.#from = version
    this.#body = body
    this.#show = show
  }

  /** Whether something typed is not on the server yet. */
  get unsaved() { return !this.#stopped && (this.#unsaved || this.#sending) }

  /** Whether something was typed in this page at all. */
  get touched() { return this.#touched }

  /** The version that is kept, as far as this page knows. */
  get version() { return this.#from }

  /** Something was typed. */
  changed() {
    if (this.#stopped) return
    this.#touched = this.#unsaved = true
    if (this.#failures === 0 && !this.#newer) this.#show(SAVING)
    this.#timer ??= setTimeout(() => this.save(), PAUSE)
  }

  /** Saves now what is unsaved: the connection may be back. */
  async save({ keepalive = false } = {}) {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#sending || this.#stopped || !this.#unsaved) return
    this.#sending = true
    this.#lasting = keepalive
    this.#unsaved = false
    const late = setTimeout(() => this.#stopped || this.#show(OFFLINE), PATIENCE)
    const state = await this.#send(keepalive)
    clearTimeout(late)
    this.#sending = this.#lasting = false
    if (!this.#stopped) this.#settle(state)
  }

  /** Saves over what another page has kept since. */
  takeOver() {
    this.#from = this.#newer ?? this.#from
    this.#unsaved = true
    return this.save()
  }

  /** Gives up what is unsaved here. */
  drop() {
    clearTimeout(this.#timer)
    this.#unsaved = false
  }

  /** Sends what is unsaved while the page goes away, or the time at least. */
  leave() {
    if (this.#unsaved || this.#sending && !this.#lasting) this.#post({ keepalive: true }).catch(() => {})
    else this.rest()
  }

  /** The page is not worked in for now: what is unsaved is saved, or the time told. */
  rest() {
    if (this.unsaved) return this.save()
    if (Number(this.#time().get('active_ms')) - this.#told >= WORTH) return this.look()
  }

  /**
   * Tells the time alone, which leaves what is kept as it is, and learns whether
   * the item is still open, and whether another page has kept something newer.
   */
  async look() {
    if (this.#stopped) return
    const body = this.#time()
    this.#told = Number(body.get('active_ms'))
    body.set('tab', tab)
    body.set('draft_version', 0)
    body.set('base_version', this.#from)
    try {
      const state = this.#stateOf(await fetch(this.#url, { method: 'POST', body, redirect: 'manual', keepalive: true }))
      if ([CLOSED, NEWER].includes(state) && !this.#stopped && !this.#sending) this.#settle(state)
    } catch {
      this.#told = 0 // it is told with what comes next
    }
  }

  /** Saves no more: the form itself is on its way. */
  stop() {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #settle(state) {
    if (state === CLOSED) return this.stop(), this.#show(state)
    if (state === NEWER) return this.#unsaved ||= this.#touched, this.#show(state)
    if (state !== KEPT) {
      this.#unsaved = true
      this.#show(state)
      return this.#again(RETRIES[Math.min(this.#failures++, RETRIES.length - 1)])
    }
    this.#failures = 0
    this.#newer = undefined
    if (this.#unsaved) return this.#again(PAUSE)
    this.#show(KEPT)
  }

  #again(after) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.save(), after)
  }

  async #send(keepalive) {
    try {
      return await this.#post({ keepalive, signal: AbortSignal.timeout(TIMEOUT) })
    } catch {
      return OFFLINE
    }
  }

  // Versions only grow, also from one tab to the next. Each goes on from the one
  // that is kept; what this page has kept itself, the server knows by its name.
  async #post(options) {
    const version = this.#version = Math.max(this.#version + 1, this.#from + 1, Date.now())
    const body = this.#body()
    body.set('tab', tab)
    body.set('draft_version', version)
    body.set('base_version', this.#from)
    const state = this.#stateOf(await fetch(this.#url, { method: 'POST', body, redirect: 'manual', ...options }))
    if (state === KEPT) this.#from = Math.max(this.#from, version)
    return state
  }

  #stateOf(response) {
    if (response.status === 412) this.#newer = Number(response.headers.get('Draft-Version'))
    return stateOf(response)
  }
}

function stateOf(response) {
  if (response.ok) return KEPT
  if (response.status === 412) return NEWER
  if (response.status === 401 || response.type === 'opaqueredirect') return SIGNED_OUT
  if (response.status === 404) return STRANGER
  if ([403, 409, 410].includes(response.status)) return CLOSED
  if ([400, 413, 422].includes(response.status)) return REFUSED
  return OFFLINE
}
