// The contents of a guide: which sections were read, and how many are left. A link opens its section.

import { translate } from './translate.mjs'

const links = [...document.querySelectorAll('.guide-contents a')]
const sections = new Map(links.map(a => [document.getElementById(a.hash.slice(1)), a]))

function showProgress() {
  const read = links.filter(a => a.hasAttribute('data-read')).length
  document.getElementById('guide-progress').textContent = translate('%d of %d sections read', read, links.length)
}

// A section is read when its end was in view while it was open.
const observer = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) sections.get(target.closest('[id^=guide-]'))?.setAttribute('data-read', '')
  showProgress()
})
for (const section of sections.keys()) {
  const watch = () => section.open !== false && section.lastElementChild && observer.observe(section.lastElementChild)
  watch()
  section.addEventListener('toggle', watch)
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1))
  for (let d = target?.closest('details'); d; d = d.parentElement.closest('details')) d.open = true
  target?.scrollIntoView()
}
addEventListener('hashchange', openTarget)
if (location.hash) openTarget()
showProgress()
