// What keeps everything that is typed on a desk, for annotators and leads alike:
// it is saved as it is typed, as the page goes away, and as somebody comes back.

import { form } from './form.mjs'
import { CLOSED, Draft, NEWER, SIGNED_OUT, STRANGER } from './draft.mjs'
import { SIGN_IN, tell } from './trouble.mjs'

const { draft_version } = form.elements

/**
 * Keeps the form from now on, and returns its draft. body() is the form as it is
 * sent, time() the time alone; closed is the sentence for what was sent in
 * another tab, on the address of the page, which leads on from there, and close()
 * what ends here with it. busy() tells when the form itself is on its way.
 */
export function keep({ body, time, closed, on, close, busy }) {
  const draft = new Draft({ url: form.dataset.draft, version: Number(draft_version.value), body, time, show })

  const again = () => location.replace(on) // a reload could send a form once more
  const newer = [
    { text: 'See those', does: () => { draft.drop(); again() } },
    { text: 'Keep what is here', does: () => draft.takeOver() },
  ]

  function show(state) {
    const calm = state.startsWith('sav')
    document.getElementById('saved').textContent = calm ? state : ''
    draft_version.value = draft.version
    if (calm) return tell()
    if (state === CLOSED) return close(), tell(closed, { text: 'Go on', href: on })
    if (state === NEWER && !draft.touched && !document.querySelector('dialog[open]')) return again()
    tell(state, ...({ [NEWER]: newer, [SIGNED_OUT]: [SIGN_IN], [STRANGER]: [SIGN_IN] }[state] ?? []))
  }

  // Whoever comes back to a page may find that it is not the newest any more.
  const back = performance.getEntriesByType('navigation')[0]?.type !== 'navigate'

  addEventListener('online', () => draft.save())
  addEventListener('focus', () => draft.unsaved ? draft.save() : draft.look())
  addEventListener('pagehide', () => draft.leave())
  document.addEventListener('visibilitychange', () => document.hidden && draft.save())
  addEventListener('beforeunload', event => {
    if (!busy() && !draft.unsaved) return
    draft.save({ keepalive: true }) // before the page that comes next is asked for
    event.preventDefault()
  })
  addEventListener('pageshow', event => {
    if (event.persisted && busy()) location.reload()
    else if (event.persisted || back) draft.look()
  })
  if (touched()) draft.changed() // before this module was there to see it
  return draft
}

/** Whether the form differs from the page that the server made. */
function touched() {
  return [...form.elements].some(({ type, checked, defaultChecked, value, defaultValue, options }) => {
    if (['radio', 'checkbox'].includes(type)) return checked !== defaultChecked
    if (options) return [...options].some(o => o.selected !== o.defaultSelected)
    return type === 'textarea' && value !== defaultValue
  })
}
