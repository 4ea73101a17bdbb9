// Saves the form of the labeling and adjudication screens: on each edit, when the
// page closes, and when the user returns to it.

import { form } from './form.mjs'
import { CLOSED, CONFLICT, Draft, NO_ACCESS, SAVED, SAVING, SIGNED_OUT } from './draft.mjs'
import { SIGN_IN, showSaving, showStatus } from './status_message.mjs'
import { translate } from './translate.mjs'

/**
 * Starts saving and returns what controls the draft. formBody() returns the form as it is sent,
 * timeBody() the active time alone. closedMessage is shown, and onClosed() called,
 * when the item was submitted in another tab; continueURL() leads on from there.
 * isSubmitting() returns whether the form itself is being sent. showChange(change) shows what
 * changed around the form.
 */
export function startAutosave({ formBody, timeBody, closedMessage, continueURL, onClosed, isSubmitting, showChange }) {
  let draft

  /** Starts the draft of the item shown. */
  function start() {
    const own = draft = new Draft({
      url: form.dataset.draftUrl, version: Number(form.elements.draft_version.value), body: formBody, time: timeBody,
      show: state => own === draft && show(state), showChange,
    })
    if (isFormDirty()) draft.markChanged() // edits made before this module loaded
  }

  const reloadPage = () => location.replace(continueURL()) // a reload could submit the form again
  const conflictActions = [
    { text: translate('Load newer answers'), onClick: () => { draft.discardChanges(); reloadPage() } },
    { text: translate('Keep these answers'), onClick: () => draft.overwrite() },
  ]

  function show(state) {
    const isSaved = [SAVED, SAVING].includes(state)
    showSaving(isSaved ? state : '')
    form.elements.draft_version.value = draft.version
    if (isSaved) return showStatus()
    if (state === CLOSED) return onClosed(), showStatus(closedMessage, { text: translate('Continue'), href: continueURL() })
    if (state === CONFLICT && !draft.wasEdited && !document.querySelector('dialog[open]')) return reloadPage()
    showStatus(state, ...({ [CONFLICT]: conflictActions, [SIGNED_OUT]: [SIGN_IN], [NO_ACCESS]: [SIGN_IN] }[state] ?? []))
  }

  // A page restored from the history may be outdated.
  const isRestored = performance.getEntriesByType('navigation')[0]?.type !== 'navigate'

  addEventListener('online', () => draft.save())
  addEventListener('focus', () => draft.hasUnsaved ? draft.save() : draft.reportTime())
  addEventListener('pagehide', () => draft.saveOnLeave())
  document.addEventListener('visibilitychange', () => document.hidden && draft.save())
  addEventListener('beforeunload', event => {
    if (!isSubmitting() && !draft.hasUnsaved) return
    draft.save({ keepalive: true }) // before the browser requests the next page
    event.preventDefault()
  })
  addEventListener('pageshow', event => {
    if (event.persisted && isSubmitting()) location.reload()
    else if (event.persisted || isRestored) draft.reportTime()
  })
  start()
  return {
    markChanged: () => draft.markChanged(),
    save: () => draft.save(),
    saveOnPause: () => draft.saveOnPause(),
    reportTime: () => draft.reportTime(),
    stop: () => draft.stop(),
    restart: start,
  }
}

/** Reports whether the form differs from the page that the server rendered. */
function isFormDirty() {
  return [...form.elements].some(({ type, checked, defaultChecked, value, defaultValue, options }) => {
    if (['radio', 'checkbox'].includes(type)) return checked !== defaultChecked
    if (options) return [...options].some(o => o.selected !== o.defaultSelected)
    return type === 'textarea' && value !== defaultValue
  })
}
