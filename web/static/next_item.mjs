// Shows the next item in place: one request submits a form and answers with the parts of the
// page that differ between items. The browser opens every other page.

import { form } from './form.mjs'
import { OFFLINE, TIMEOUT, readResult } from './submit.mjs'

const screenKey = document.body.dataset.screen

/** Returns a function that posts a form for submitWithRetry. onItem(item) gets the next item, a document. */
export function postForItem(onItem) {
  return (url, body) => new Promise(resolve => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.responseType = 'document' // parsed without running scripts
    request.overrideMimeType('text/html') // also an empty answer
    request.timeout = TIMEOUT
    if (screenKey) request.setRequestHeader('Labeling-Screen', screenKey)
    request.onload = () => resolve(readAnswer(request, url, onItem))
    request.onerror = request.ontimeout = () => resolve({ blocked: OFFLINE })
    request.send(body)
  })
}

function readAnswer(request, url, onItem) {
  const { status, response, responseURL } = request
  if (status === 200 && screenKey && response?.body?.dataset.screen === screenKey) return { proceed: () => onItem(response) }
  const isRedirected = responseURL !== new URL(url, location).href
  return readResult(status, request.getResponseHeader('Next-Page') ?? (isRedirected ? responseURL : ''))
}

/**
 * Puts the parts of the next item in place of those on the page, and its address and title.
 * Where a part has no place, it loads the page instead and returns false.
 */
export function showItem(item) {
  const nextForm = item.getElementById(form.id)
  const parts = [...item.querySelectorAll('[data-part]')].map(part => [document.querySelector(`[data-part=${part.dataset.part}]`), part])
  if (parts.some(([current]) => !current)) return location.assign(nextForm.getAttribute('action')), false
  for (const [current, part] of parts) current.replaceWith(document.adoptNode(part))
  for (const name of nextForm.getAttributeNames()) form.setAttribute(name, nextForm.getAttribute(name))
  document.title = item.title
  history.replaceState(null, '', form.getAttribute('action'))
  return true
}
