// One quiet line for what changed around the open item, as a saved draft reported it.

const findLine = () => document.getElementById('screen-change')

/** Returns the text of the line. */
export const changeText = () => findLine().textContent.trim()

/** Shows a change {text, action, path}; the focus stays where it is. */
export function showChange({ text, action, path }) {
  if (changeText().startsWith(text)) return
  const link = Object.assign(document.createElement('a'), { href: path, textContent: action })
  findLine().replaceChildren(text + ' ', link)
}
