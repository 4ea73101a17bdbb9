// Maps key presses to commands. Digits are values, never positions.

const defaultKeys = { note: 'n', edge_cases: 'e', guide: 'g', between: 'u', suggestions: 'f', supporting: 'o', raw_text: 'm', judged_turn: 'j', columns: 'v', citation: 'c', find: '/', shortcuts: '?' }
const namedKeyCommands = { ArrowUp: 'up', ArrowDown: 'down', Enter: 'submit', Escape: 'close', Backspace: 'clear', PageUp: 'pageUp', PageDown: 'pageDown' }
const repeatable = ['up', 'down', 'pageUp', 'pageDown']

/** The keys that the user changed, by command. */
export const changedKeys = JSON.parse(document.querySelector('[data-keys]')?.dataset.keys ?? '{}')

/** Returns the key of a command that every form has. */
export const keyFor = name => changedKeys[name] ?? defaultKeys[name]

/**
 * Returns the command of a keydown event as {name, value}, or undefined.
 * isTyping: a text box has the focus. shortcutsOff: the user turned off
 * single-key shortcuts. extraShortcuts: the default keys of further commands;
 * keys: the keys that the user changed, by command.
 */
export function commandForEvent(event, { isTyping = false, shortcutsOff = false, extraShortcuts = {}, keys = {} } = {}) {
  if (event.isComposing || event.altKey) return
  if (event.ctrlKey || event.metaKey) return event.key === 'Enter' && !event.repeat ? { name: 'submit' } : undefined
  const command = commandForKey(event, Object.entries({ ...extraShortcuts, ...defaultKeys }).map(([name, key]) => [name, keys[name] ?? key]))
  if (!command || event.repeat && !repeatable.includes(command.name)) return
  if (isTyping && command.name !== 'close') return
  if (shortcutsOff && event.key.length === 1) return
  return command
}

function commandForKey(event, keys) {
  if (namedKeyCommands[event.key]) return { name: namedKeyCommands[event.key] }
  const value = readDigit(event)
  if (value !== undefined) return { name: 'value', value }
  const letter = readLatinLetter(event)
  const command = keys.find(([, key]) => key === (letter ?? event.key))
  if (command && !(letter && event.shiftKey)) return { name: command[0] }
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
