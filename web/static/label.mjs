// The labelling screen. It works without this module; with it, one question is
// open at a time, keys do everything, rules speak the moment they are broken,
// and what is typed is kept as it is typed.

import { form } from './form.mjs'
import { begin } from './desk.mjs'
import { keep } from './keeping.mjs'
import { send } from './send.mjs'
import { tell } from './trouble.mjs'
import { keepPace } from './pace.mjs'

const aside = document.getElementById('aside')
const asideForm = aside.querySelector('form')
const pace = keepPace(form, { rests: () => draft.rest(), look: () => draft.look() })

let sending = false
let leaving = false

const draft = keep({
  body: () => (pace.write(form), new URLSearchParams(new FormData(form))),
  time: () => {
    pace.write(form)
    const all = new FormData(form)
    return new URLSearchParams(['active_ms', 'idle_ms', 'shortcuts_off'].filter(name => all.has(name)).map(name => [name, all.get(name)]))
  },
  closed: 'This item was sent or set aside in another tab. What was sent there is kept, and nothing more is needed here.',
  on: location.pathname,
  close: () => {
    sending = leaving = true
    for (const part of form.querySelectorAll('.ask-all, .foot > button')) part.inert = true
  },
  busy: () => sending && !leaving,
})

// Sending.

async function dispatch(from, url) {
  if (sending) return
  sending = true
  if (url !== form.action) await draft.save() // the answers stay for later
  draft.stop()
  pace.write(from)
  form.toggleAttribute('data-sending', true)
  document.getElementById('saved').textContent = 'sending…'
  tell()
  const sent = send(from, url)
  form.querySelector('.ask-all').inert = true // the same body is sent until it arrives
  const goOn = await sent
  pace.sent()
  leaving = true
  goOn()
}

const { submit } = begin({
  typed: () => draft.changed(),
  send: () => dispatch(form, form.action),
  resting: () => sending || aside.open,
})

form.addEventListener('submit', event => {
  event.preventDefault()
  const button = event.submitter
  if (button?.id === 'set-aside') return sending || aside.showModal()
  if (button?.id === 'break') return dispatch(form, button.formAction)
  submit()
})

/** Says at a control of the dialog what is missing, until something is typed. */
function askFor(control, says) {
  control.setCustomValidity(says)
  control.reportValidity()
  asideForm.addEventListener('input', () => control.setCustomValidity(''), { once: true })
}

asideForm.addEventListener('submit', event => {
  event.preventDefault()
  const reason = asideForm.elements.reason.value
  const word = asideForm.elements.word
  if (!reason) return askFor(asideForm.querySelector('input[name=reason]'), 'Please choose what fits best.')
  if (reason !== 'distressing' && word.value.trim() === '') return askFor(word, 'Please say a word or two about it.')
  aside.close()
  dispatch(asideForm, asideForm.action)
})
aside.querySelector('[data-close]').addEventListener('click', () => aside.close())
