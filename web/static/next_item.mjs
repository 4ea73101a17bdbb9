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

/** Puts the parts of the next item in place of those on the page, and its address and title. */
export function showItem(item) {
  for (const part of item.querySelectorAll('[data-part]'))
    document.querySelector(`[data-part=${part.dataset.part}]`).replaceWith(document.adoptNode(part))
  for (const { name, value } of item.getElementById(form.id).attributes) form.setAttribute(name, value)
  document.title = item.title
  history.replaceState(null, '', form.getAttribute('action'))
}
