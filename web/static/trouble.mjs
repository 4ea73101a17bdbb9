// What stands in somebody's way on a desk: one calm sentence, and ways out of it.

const place = document.getElementById('trouble')
const ways = Object.assign(document.createElement('p'), { className: 'ways' })
place.after(ways)

/** Opens beside the page, which goes on by itself once somebody has signed in. */
export const SIGN_IN = { text: 'Open the sign-in page', href: '/sign-in', away: true }

/**
 * Says what is the matter, and offers ways on: {text, href}, with away in a tab
 * of its own, or {text, does}. Without a sentence all is well.
 */
export function tell(says = '', ...offered) {
  if (place.textContent === says) return
  place.textContent = says
  ways.replaceChildren(...offered.map(({ href, ...way }) => href ? link(href, way) : button(way)))
}

function link(href, { text, away }) {
  const a = Object.assign(document.createElement('a'), { href, className: 'button', textContent: text })
  return away ? Object.assign(a, { target: '_blank', rel: 'noopener' }) : a
}

function button({ text, does }) {
  const b = Object.assign(document.createElement('button'), { type: 'button', textContent: text })
  b.addEventListener('click', does)
  return b
}
