// Adds the button that prints the page, and opens the print dialog on a page whose address has
// print=1. Without this module the page is printed by the menu of the browser.
const button = document.querySelector('#print')
if (button !== null) { // the report is computed
  button.hidden = false
  button.addEventListener('click', () => { window.print() })
  const address = new URL(location.href)
  if (address.searchParams.has('print')) {
    address.searchParams.delete('print') // or a reload would print again
    history.replaceState(null, '', address)
    addEventListener('load', () => { window.print() })
  }
}
