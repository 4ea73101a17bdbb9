// Maps key presses to commands. Digits are values, never positions.

const letterCommands = { n: 'note', e: 'edgeCases', g: 'guide', u: 'unsure', f: 'applyHints', m: 'rawText', j: 'judgedTurn', v: 'columns', o: 'supporting' }
const namedKeyCommands = { ArrowUp: 'up', ArrowDown: 'down', Enter: 'submit', Escape: 'close', '?': 'keys', '/': 'find', PageUp: 'pageUp', PageDown: 'pageDown' }
const repeatable = ['up', 'down', 'pageUp', 'pageDown']

/**
 * Returns the command of a keydown event as {name, value}, or undefined.
 * isTyping: a text box has the focus. shortcutsOff: the user turned off
 * single-key shortcuts. extraShortcuts: further commands by letter.
 */
export function commandForEvent(event, { isTyping = false, shortcutsOff = false, extraShortcuts = {} } = {}) {
  if (event.isComposing || event.altKey) return
  if (event.ctrlKey || event.metaKey) return event.key === 'Enter' && !event.repeat ? { name: 'submit' } : undefined
  const command = commandForKey(event, { ...letterCommands, ...extraShortcuts })
  if (!command || event.repeat && !repeatable.includes(command.name)) return
  if (isTyping && command.name !== 'close') return
  if (shortcutsOff && event.key.length === 1) return
  return command
}

function commandForKey(event, letters) {
  if (namedKeyCommands[event.key]) return { name: namedKeyCommands[event.key] }
  const value = readDigit(event)
  if (value !== undefined) return { name: 'value', value }
  const letter = letters[readLatinLetter(event)]
  if (letter && !event.shiftKey) return { name: letter }
}

// On keyboards that type digits with Shift, the physical digit keys count too.
function readDigit({ key, code = '', shiftKey }) {
  if (/^[0-9]$/.test(key)) return Number(key)
  const position = /^Digit([0-9])$/.exec(code)
  if (position && !shiftKey) return Number(position[1])
}

// On keyboards of other scripts, the physical position of the Latin letter counts.
function readLatinLetter({ key, code = '' }) {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase()
  if (key.length === 1 && key > '\u007f') return /^Key([A-Z])$/.exec(code)?.[1].toLowerCase()
}

/** Reports whether the user types text into element. */
export const isTextBox = element =>
  element.matches?.('textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])') ?? false

/** Reports whether Enter activates element itself. */
export const activatesOnEnter = element => element.closest?.('button, a[href], summary') != null
