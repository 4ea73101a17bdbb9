// Keeps a page up to date: numbers at links, and the parts marked data-live. The
// server says when something changed. Without this module a reload does the same.

import { home } from './home.mjs'

const { events } = document.body.dataset
let source
let isLoading = false
let isStale = false

function formatCount(n) { return n.toLocaleString('en-US') }

// Shows the numbers at the links of the navigation.
function showBadges(badges) {
  for (const link of document.querySelectorAll('.site-header nav a, .tabs a')) {
    // The number of a tab is not that of its first page.
    const isTabsFirst = link.closest('.views') && document.querySelector(`.section-bar a[href="${link.getAttribute('href')}"]`)
    const count = isTabsFirst ? 0 : badges[link.getAttribute('href').replace(home, '/')] ?? 0
    let badge = link.querySelector('.badge')
    if (!count) { badge?.remove(); continue }
    if (!badge) {
      badge = Object.assign(document.createElement('span'), { className: 'badge' })
      link.append(' ', badge)
    }
    if (badge.textContent !== formatCount(count)) badge.textContent = formatCount(count)
  }
}

// Loads this page again as a document. It is parsed without running scripts.
function loadPage() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('GET', location.href)
    request.responseType = 'document'
    request.timeout = 20_000
    request.onload = () => request.status === 200 ? resolve(request.response) : reject(new Error(request.status))
    request.onerror = request.ontimeout = () => reject(new Error('no connection'))
    request.send()
  })
}

// Returns the place of element in root, to find it after root was replaced.
function placeOf(root, element) {
  if (!root.contains(element)) return
  const index = [...root.querySelectorAll(element.tagName)].indexOf(element)
  return { id: element.id, href: element.getAttribute('href'), tag: element.tagName, index }
}

function findPlace(root, { id, href, tag, index }) {
  if (id) return document.getElementById(id)
  const peers = [...root.querySelectorAll(tag)]
  return peers.find(peer => href && peer.getAttribute('href') === href) ?? peers[index]
}

const isBeingEdited = root => root.contains(document.activeElement) && document.activeElement.matches('input, textarea, select') ||
  [...root.querySelectorAll('textarea, input:not([type=hidden])')].some(control => control.value !== control.defaultValue)

function replacePart(part, loaded) {
  const next = loaded.getElementById(part.id)
  if (!next || next.outerHTML === part.outerHTML || isBeingEdited(part)) return
  const focus = placeOf(part, document.activeElement)
  const open = [...part.querySelectorAll('details[open][id]')].map(details => details.id)
  const replacement = document.importNode(next, true)
  part.replaceWith(replacement)
  for (const id of open) document.getElementById(id)?.setAttribute('open', '')
  if (focus) findPlace(replacement, focus)?.focus({ preventScroll: true })
}

async function update() {
  const parts = document.querySelectorAll('[data-live]')
  if (!parts.length) return
  isStale = true
  if (isLoading) return
  isLoading = true
  while (isStale) {
    isStale = false
    try {
      const loaded = await loadPage()
      for (const part of document.querySelectorAll('[data-live]')) replacePart(part, loaded)
    } catch {
      break // the next change tries again
    }
  }
  isLoading = false
}

function connect() {
  if (source || document.hidden) return
  source = new EventSource(events)
  source.addEventListener('badges', event => showBadges(JSON.parse(event.data)))
  source.addEventListener('change', update)
  source.addEventListener('end', disconnect)
}

function disconnect() {
  source?.close()
  source = undefined
}

// Hidden tabs hold no connection, because a browser opens only a few to a server.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) return disconnect()
  connect()
  update()
})
addEventListener('pagehide', disconnect)
connect()
