// A list of items: searches while the user types, and counts the selection. The
// list works without this module.

const searchForm = document.getElementById('list-search')
let request = null
let timer = 0

/** Returns the address of the list that the form asks for. */
function listURL() {
  const url = new URL(searchForm.action)
  for (const [name, value] of new FormData(searchForm)) if (value) url.searchParams.set(name, value)
  return url
}

/** Fetches the list at url and shows its results in place. */
function showList(url) {
  request?.abort()
  request = new XMLHttpRequest() // parses the page itself; the policy of the site forbids to parse text
  request.open('GET', url)
  request.responseType = 'document'
  request.onload = ({ target }) => {
    const found = target.status === 200 && target.response?.getElementById('list-results')
    if (!found) return location.assign(url)
    results().replaceWith(document.adoptNode(found))
    history.replaceState(null, '', url)
    startSelection()
  }
  request.onerror = () => results().toggleAttribute('data-loading', false)
  results().toggleAttribute('data-loading', true)
  request.send()
}

const results = () => document.getElementById('list-results')

/** Counts the selected items, and lets one box select all. */
function startSelection() {
  const selection = document.getElementById('list-selection')
  if (!selection) return
  const boxes = [...selection.querySelectorAll('.select-cell input:not(#select-all)')]
  const all = document.getElementById('select-all')
  const bar = selection.querySelector('.list-actions')
  const count = document.getElementById('selected-count')
  const matching = document.getElementById('select-matching') // all items of the list, on every page
  const update = () => {
    const selected = boxes.filter(box => box.checked).length
    bar.hidden = selected === 0 && !matching?.checked
    count.textContent = `${selected} selected`
    count.hidden = Boolean(matching?.checked)
    for (const box of boxes) box.disabled = Boolean(matching?.checked)
    all.checked = selected === boxes.length
    all.indeterminate = selected > 0 && selected < boxes.length
  }
  all.hidden = false
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked
    update()
  })
  selection.addEventListener('change', update)
  update()
}

if (searchForm) {
  searchForm.addEventListener('input', event => {
    clearTimeout(timer)
    timer = setTimeout(() => showList(listURL()), event.target.type === 'search' ? 180 : 0)
  })
  searchForm.addEventListener('submit', event => {
    event.preventDefault()
    clearTimeout(timer)
    showList(listURL())
  })
  addEventListener('pageshow', startSelection)
}
