// What a key means on the labelling screen. Digits are values, never positions.

const everywhere = { n: 'note', e: 'edges', g: 'guide', u: 'unsure', f: 'fill' }
const others = { ArrowUp: 'up', ArrowDown: 'down', Enter: 'submit', Escape: 'leave', '?': 'keys', PageUp: 'pageUp', PageDown: 'pageDown' }
const repeatable = ['up', 'down', 'pageUp', 'pageDown']

/**
 * The command of a keydown event, as {name, value}; undefined where the key is
 * not ours. writing: a text box has the focus. off: the person works without
 * single keys. letters: further commands of the page, by their keys.
 */
export function commandOf(event, { writing = false, off = false, letters = {} } = {}) {
  if (event.isComposing || event.altKey) return
  if (event.ctrlKey || event.metaKey) return event.key === 'Enter' && !event.repeat ? { name: 'submit' } : undefined
  const command = meaning(event, { ...everywhere, ...letters })
  if (!command || event.repeat && !repeatable.includes(command.name)) return
  if (writing && command.name !== 'leave') return
  if (off && event.key.length === 1) return
  return command
}

function meaning(event, letters) {
  if (others[event.key]) return { name: others[event.key] }
  const value = digit(event)
  if (value !== undefined) return { name: 'value', value }
  const letter = letters[latin(event)]
  if (letter && !event.shiftKey) return { name: letter }
}

// Keyboards that write digits with Shift still have them where others do.
function digit({ key, code = '', shiftKey }) {
  if (/^[0-9]$/.test(key)) return Number(key)
  const place = /^Digit([0-9])$/.exec(code)
  if (place && !shiftKey) return Number(place[1])
}

// Keyboards of other scripts: the key that stands where the letter does.
function latin({ key, code = '' }) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase()
  if (key.length === 1 && key > '\u007f') return /^Key([A-Z])$/.exec(code)?.[1].toLowerCase()
}

/** Whether text is written into element. */
export const isTextBox = element =>
  element.matches?.('textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])') ?? false

/** Whether element does something of its own on Enter. */
export const isPressed = element => element.closest?.('button, a[href], summary') != null
