// Adds the button that prints the page, opens its details while it is printed, and opens the print dialog on a page whose address has
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

// Browsers whose style sheets cannot open closed details print them as closed: they are open while the
// page is printed.
let opened = []
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('main details:not([open])')]
  for (const details of opened) details.open = true
})
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false
})
