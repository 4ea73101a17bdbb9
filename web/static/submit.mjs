// Submits a form without losing input: while there is no connection or the user
// is signed out, the page stays open and the same body is sent again. Repeating
// is safe, because an assignment accepts one annotation.

import { home } from './home.mjs'
import { SIGN_IN, showStatus } from './status_message.mjs'
import { translate } from './translate.mjs'

export const TIMEOUT = 20_000 // ms
const RETRIES = [1_000, 2_000, 4_000, 8_000] // ms between retries

export const OFFLINE = translate('Not submitted yet: no connection. Keep this page open; it submits when the connection is back.')
export const SIGNED_OUT = translate('Not submitted yet: you are signed out. Keep this page open and sign in in another tab.')
export const NO_ACCESS = translate('Not submitted yet: the current account cannot open this page. Sign in with your own account in another tab.')

/**
 * Submits form to url, shows what it waits for, and returns a function that
 * navigates: to the redirect of the server, or to the page it answered with. post sends
 * the form; where its result has more to do, result.proceed is returned. onBlocked runs
 * each time the form could not be sent.
 */
export async function submitWithRetry(form, url, { post = postForm, onBlocked = () => {} } = {}) {
  const body = new URLSearchParams(new FormData(form))
  for (let tries = 0; ; tries++) {
    const result = await post(url, body)
    if (result.proceed) return result.proceed
    if (result.redirect) return () => location.assign(result.redirect)
    if (!result.blocked) return () => submitNatively(form, url)
    onBlocked()
    showStatus(result.blocked, ...(result.blocked === OFFLINE ? [] : [SIGN_IN]))
    await waitForRetry(RETRIES[Math.min(tries, RETRIES.length - 1)])
  }
}

async function postForm(url, body) {
  try {
    const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT) })
    return readResult(response.status, response.redirected ? response.url : '')
  } catch {
    return { blocked: OFFLINE }
  }
}

/** Returns what an answer means: {redirect}, {blocked}, or {} for a page to show. */
export function readResult(status, redirect) {
  if (status === 401 || redirect && new URL(redirect, location).pathname === home + 'sign-in') return { blocked: SIGNED_OUT }
  if (status === 404) return { blocked: NO_ACCESS }
  if (status >= 500 || status === 429) return { blocked: OFFLINE }
  return redirect && status < 300 ? { redirect } : {}
}

function submitNatively(form, url) {
  form.action = url
  HTMLFormElement.prototype.submit.call(form)
}

// Waits ms, or until the connection or the user is back.
function waitForRetry(ms) {
  return new Promise(resolve => {
    const done = new AbortController()
    const wake = () => { done.abort(); resolve() }
    setTimeout(wake, ms)
    for (const type of ['online', 'focus']) addEventListener(type, wake, { signal: done.signal })
  })
}
