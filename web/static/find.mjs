// Finds text in the item: marks all places, steps through them and opens collapsed parts. Marks the
// words of the query in the chunks.

const item = document.getElementById('item')
let bar, input, output // of the item shown
let ranges = []
let current = -1

/** Opens the search and focuses its box. */
export function openFind() {
  const shown = item.querySelector('.find-bar')
  if (shown !== bar) start(shown)
  bar.hidden = false
  input.focus()
  input.select()
  search()
}

function start(shown) {
  bar = shown
  input = bar.querySelector('input')
  output = bar.querySelector('output')
  input.addEventListener('input', search)
  bar.addEventListener('click', ({ target }) => {
    if (target.dataset.find === 'next') step(1)
    if (target.dataset.find === 'previous') step(-1)
    if (target.dataset.find === 'close') close()
  })
  bar.addEventListener('keypress', event => event.stopPropagation())
  bar.addEventListener('keydown', event => {
    event.stopPropagation() // the keys of the screen are off here
    if (event.isComposing) return
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && event.target === input) input.value.trim() ? step(event.shiftKey ? -1 : 1) : queryBox()?.click()
    else return
    event.preventDefault()
  })
}

function close() {
  bar.hidden = true
  ranges = []
  mark()
  item.focus({ preventScroll: true })
}

/** Returns the ranges of the shown text that equal what is sought, without regard to case. */
function findRanges(sought) {
  const found = []
  const raw = item.querySelector('[data-item-action=raw]')?.checked
  const blocks = item.querySelectorAll(`.item-text${raw ? ':not(.rendered)' : ':not(.raw)'}, .turn-name`)
  for (const block of blocks) {
    const { nodes, text } = readText(block)
    for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) found.push(toRange(nodes, at, at + sought.length))
  }
  return found
}

function readText(block) {
  const nodes = []
  let text = ''
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    nodes.push({ node: walker.currentNode, start: text.length })
    text += foldCase(walker.currentNode.data)
  }
  return { nodes, text }
}

// Lowercase, where that keeps the number of characters.
const foldCase = text => {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

function toRange(nodes, start, end) {
  const range = new Range()
  const at = offset => nodes.findLast(n => n.start <= offset)
  const first = at(start), last = at(end - 1)
  range.setStart(first.node, start - first.start)
  range.setEnd(last.node, end - last.start)
  return range
}

const queryBox = () => item.querySelector('[data-item-action=query]')

// Words that say nothing about what is asked, in English and German.
const commonWords = new Set('about after also been before both could does each from have into just like many more most much only other should some such than that their them then there these they this those under very were what when where which while will with would your aber alle auch beim dann dass dein denn diese dieser doch durch eine einem einen einer eines etwas gibt habe haben hier ihre ihren kann können machen mein mehr muss nach nicht noch oder sein seine sich sind soll über unter viel welche welcher wenn werden wird wurde'.split(' '))

/** Marks the words of the query in the chunks, in any ending, or takes the marks away. */
export function markQuery() {
  CSS.highlights?.delete('item-query')
  const words = queryBox()?.checked ? foldCase(item.querySelector('[data-query] .item-text')?.textContent ?? '').match(/[\p{L}\p{N}]{4,}/gu) ?? [] : []
  const stems = words.filter(w => !commonWords.has(w)).map(w => w.slice(0, Math.max(4, w.length - 2)))
  if (!CSS.highlights || !stems.length) return
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.join('|')})[\\p{L}\\p{N}]*`, 'gu')
  const found = [...item.querySelectorAll('.chunk .item-text')].flatMap(block => {
    const { nodes, text } = readText(block)
    return [...text.matchAll(pattern)].map(m => toRange(nodes, m.index, m.index + m[0].length))
  })
  CSS.highlights.set('item-query', new Highlight(...found))
}

function search() {
  const sought = foldCase(input.value.trim())
  ranges = sought ? findRanges(sought) : []
  current = -1
  if (ranges.length) step(1)
  else mark()
  if (sought && !ranges.length) output.value = bar.dataset.notFound
}

function step(offset) {
  if (!ranges.length) return
  current = (current + offset + ranges.length) % ranges.length
  const range = ranges[current]
  for (let d = range.startContainer.parentElement.closest('details'); d; d = d.parentElement.closest('details')) d.open = true
  mark()
  const place = range.startContainer.parentElement
  const box = range.getBoundingClientRect()
  const view = item.getBoundingClientRect()
  if (box.top < Math.max(view.top, 0) + 60 || box.bottom > Math.min(view.bottom, innerHeight) - 60) place.scrollIntoView({ block: 'center' })
}

function mark() {
  output.value = ranges.length ? bar.dataset.place.replace('{current}', current + 1).replace('{total}', ranges.length) : ''
  if (!CSS.highlights) { // browsers without highlights show the current place as the selection
    const selection = getSelection()
    if (ranges[current] && document.activeElement !== input) selection.setBaseAndExtent(ranges[current].startContainer, ranges[current].startOffset, ranges[current].endContainer, ranges[current].endOffset)
    return
  }
  CSS.highlights.set('item-find', new Highlight(...ranges))
  CSS.highlights.set('item-find-current', new Highlight(...ranges.slice(Math.max(current, 0), current + 1)))
}
