// Adds buttons that copy a text, such as an invitation link. Without this module the text is
// selected by hand.
import { translate } from './translate.mjs'

for (const field of document.querySelectorAll('.copy-text')) {
  const text = field.querySelector('code')
  const button = field.querySelector('button')
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent)
      button.textContent = translate('Copied')
    } catch { // not a secure page, or not allowed
      getSelection().selectAllChildren(text)
      button.textContent = translate('Selected')
    }
    setTimeout(() => { button.textContent = translate('Copy') }, 2000)
  })
}
