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
export const CLOSED = 'This item was sent or set aside in another tab. What was sent there is kept, and nothing more is needed here.'

const WORTH = 500 // ms of work that are worth telling

export class Draft {
  #url
  #version
  #body
  #show
  #time
  #told = 0 // ms of work that the server knows of
  #unsaved = false
  #sending = false
  #stopped = false
  #failures = 0
  #timer

  /**
   * url takes the draft, version was the last one kept, body() gives the form as
   * URLSearchParams, time() only the time that was worked, and show(state) tells
   * people how it stands.
   */
  constructor({ url, version, body, time, show }) {
    this.#url = url
    this.#time = time
    this.#version = version
    this.#body = body
    this.#show = show
  }

  /** Whether something typed is not on the server yet. */
  get unsaved() { return !this.#stopped && (this.#unsaved || this.#sending) }

  /** Something was typed. */
  changed() {
    if (this.#stopped) return
    this.#unsaved = true
    if (this.#failures === 0) this.#show(SAVING)
    this.#timer ??= setTimeout(() => this.save(), PAUSE)
  }

  /** Saves now what is unsaved: the connection may be back. */
  async save() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#sending || this.#stopped || !this.#unsaved) return
    this.#sending = true
    this.#unsaved = false
    const late = setTimeout(() => this.#stopped || this.#show(OFFLINE), PATIENCE)
    const state = await this.#send()
    clearTimeout(late)
    this.#sending = false
    if (!this.#stopped) this.#settle(state)
  }

  /** Sends what is unsaved while the page goes away, or the time at least. */
  leave() {
    if (this.unsaved) this.#post({ keepalive: true }).catch(() => {})
    else this.rest()
  }

  /** The page is not worked in for now: what is unsaved is saved, or the time told. */
  rest() {
    if (this.unsaved) return this.save()
    if (Number(this.#time().get('active_ms')) - this.#told >= WORTH) return this.look()
  }

  /**
   * Tells the time alone, which leaves what is kept as it is, and learns whether
   * the item is still open.
   */
  async look() {
    if (this.#stopped) return
    const body = this.#time()
    this.#told = Number(body.get('active_ms'))
    body.set('draft_version', 0)
    try {
      const state = stateOf(await fetch(this.#url, { method: 'POST', body, redirect: 'manual', keepalive: true }))
      if (state === CLOSED && !this.#stopped) this.#settle(state)
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
    if (state !== KEPT) {
      this.#unsaved = true
      this.#show(state)
      return this.#again(RETRIES[Math.min(this.#failures++, RETRIES.length - 1)])
    }
    this.#failures = 0
    if (this.#unsaved) return this.#again(PAUSE)
    this.#show(KEPT)
  }

  #again(after) {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.save(), after)
  }

  async #send() {
    try {
      return stateOf(await this.#post({ signal: AbortSignal.timeout(TIMEOUT) }))
    } catch {
      return OFFLINE
    }
  }

  // Versions only grow, also from one tab to the next.
  #post(options) {
    this.#version = Math.max(this.#version + 1, Date.now())
    const body = this.#body()
    body.set('draft_version', this.#version)
    return fetch(this.#url, { method: 'POST', body, redirect: 'manual', ...options })
  }
}

function stateOf(response) {
  if (response.ok) return KEPT
  if (response.status === 401 || response.type === 'opaqueredirect') return SIGNED_OUT
  if ([403, 404, 409, 410].includes(response.status)) return CLOSED
  if ([400, 413, 422].includes(response.status)) return REFUSED
  return OFFLINE
}
