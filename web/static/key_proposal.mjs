// Proposes a key for a new project while its title is typed. A key that the user typed stays.
// Without this module the server makes the key when the form is sent.
import { home } from './home.mjs'

const title = document.getElementById('title')
const key = document.getElementById('key')

if (title && key) {
  const keyFor = key.closest('[data-key-for]').dataset.keyFor
  let isProposed = key.value === ''
  let timer, request

  async function propose() {
    request?.abort()
    request = new AbortController()
    const query = new URLSearchParams({ title: title.value, for: keyFor })
    try {
      const response = await fetch(`${home}projects/new/key?${query}`, { signal: request.signal, headers: { Accept: 'application/json' } })
      if (response.ok && isProposed) key.value = (await response.json()).key
    } catch { /* the server makes a key when the form is sent */ }
  }

  title.addEventListener('input', () => {
    clearTimeout(timer)
    if (!isProposed) return
    if (title.value.trim() === '') key.value = ''
    else timer = setTimeout(propose, 200)
  })
  key.addEventListener('input', () => { isProposed = key.value === '' })
}
