// Sends a form so that nothing typed is lost: while there is no connection, or
// nobody is signed in, the page stays and the same body is sent again. Sending
// twice is safe, because an assignment takes one annotation.

import { SIGN_IN, tell } from './trouble.mjs'

const TIMEOUT = 20_000 // ms
const RETRIES = [1_000, 2_000, 4_000, 8_000] // ms between tries

export const OFFLINE = 'Not sent yet: no connection. Keep this page open; it is sent as soon as there is one.'
export const SIGNED_OUT = 'Not sent yet: you are signed out. Sign in in another tab and come back; keep this page open.'
export const STRANGER = 'Not sent yet: this page is not open to whoever is signed in now. Sign in as yourself in another tab and come back; keep this page open.'

/**
 * Sends form to url, says what it waits for, and returns how to go on: to where
 * the server leads, or to whatever else it has to say as a page.
 */
export async function send(form, url) {
  const body = new URLSearchParams(new FormData(form))
  for (let tries = 0; ; tries++) {
    const answer = await post(url, body)
    if (answer.next) return () => location.assign(answer.next)
    if (!answer.wait) return () => submitPlainly(form, url)
    tell(answer.wait, ...(answer.wait === OFFLINE ? [] : [SIGN_IN]))
    await pause(RETRIES[Math.min(tries, RETRIES.length - 1)])
  }
}

async function post(url, body) {
  try {
    const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT) })
    const signedOut = response.status === 401 || response.redirected && new URL(response.url).pathname === '/sign-in'
    if (signedOut) return { wait: SIGNED_OUT }
    if (response.status === 404) return { wait: STRANGER }
    if (response.status >= 500 || response.status === 429) return { wait: OFFLINE }
    return response.redirected && response.ok ? { next: response.url } : {}
  } catch {
    return { wait: OFFLINE }
  }
}

function submitPlainly(form, url) {
  form.action = url
  HTMLFormElement.prototype.submit.call(form)
}

// Waits, but no longer than until somebody is back or the connection is.
function pause(ms) {
  return new Promise(resolve => {
    const done = new AbortController()
    const wake = () => { done.abort(); resolve() }
    setTimeout(wake, ms)
    for (const kind of ['online', 'focus']) addEventListener(kind, wake, { signal: done.signal })
  })
}
