// Sends a large file in pieces and shows how far it is. An upload that was interrupted continues
// where it stopped when the same file is chosen again. Without this module the form sends the file
// as a whole, up to a smaller size.

import { percent, translate } from './translate.mjs'

const LARGE = 4 * 2 ** 20 // bytes from which a file is sent in pieces
const START = 64 * 2 ** 10 // bytes at the start of a file that identify it
const PAUSES = [1, 2, 5, 10, 30] // seconds before a piece is sent again

const form = document.getElementById('import-form')
const input = form?.querySelector('[type="file"]')
const progress = document.getElementById('upload-progress')
const status = document.getElementById('upload-status')

class Refusal extends Error {}

/** Posts a body and returns the answer. It throws a Refusal if another attempt cannot help. */
async function post(path, query, body) {
  const response = await fetch(`${path}?${new URLSearchParams(query)}`, {
    method: 'POST', body, headers: { Accept: 'application/json', 'Content-Type': 'application/octet-stream' },
  })
  if (response.ok) return response.json()
  if (response.status === 401) throw new Refusal(translate('You are signed out. Sign in, then choose the same file again: the upload continues.'))
  const problem = await response.json().catch(() => ({}))
  if (response.status < 500) throw new Refusal(problem.detail ?? translate('The server refused the file (%d).', response.status))
  throw new Error(problem.detail)
}

/** Posts until the server answers. */
async function postUntilAnswered(...request) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await post(...request)
    } catch (error) {
      if (error instanceof Refusal) throw error
      const pause = PAUSES[Math.min(attempt, PAUSES.length - 1)]
      status.textContent = translate('Connection lost. Trying again in %d s. What is uploaded stays.', pause)
      await new Promise(resolve => setTimeout(resolve, pause * 1000))
    }
  }
}

function show(file, received) {
  const bar = progress.querySelector('progress')
  Object.assign(bar, { max: file.size, value: received })
  status.textContent = translate('Uploading %s: %s', file.name, percent(Math.floor(100 * received / file.size)))
}

/** Sends a file and returns the token of its upload. */
async function send(file) {
  const path = form.dataset.uploadPath
  let { token, received, piece } = await postUntilAnswered(path, { name: file.name, size: file.size, modified: file.lastModified }, file.slice(0, START))
  while (received < file.size) {
    show(file, received)
    const answer = await postUntilAnswered(`${path}/${token}`, { offset: received }, file.slice(received, received + piece))
    received = answer.received
  }
  show(file, received)
  return token
}

async function upload(file) {
  const button = form.querySelector('button')
  progress.hidden = false
  button.disabled = true
  try {
    const token = await send(file)
    status.textContent = translate('Uploaded. Reading the items.')
    progress.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'upload', value: token }))
    input.disabled = true
    HTMLFormElement.prototype.submit.call(form)
  } catch (error) {
    status.textContent = error.message
    button.disabled = false
  }
}

form?.addEventListener('submit', event => {
  const [file] = input.files
  if (!file || file.size < LARGE) return
  event.preventDefault()
  upload(file)
})

// A page from the back-forward cache can send another file.
addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload() })
