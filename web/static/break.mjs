// Shows the time left of a break, and lets the work continue after it. The server decides when
// the break ends.
import { translate } from './translate.mjs'

const clock = document.querySelector('.clock')
const endsAt = Date.now() + Number(clock.dataset.remainingMs)
const button = document.querySelector('.break-screen button.primary')
const endEarly = document.querySelector('.break-screen button.link')

if (button.disabled) {
  const time = new Date(endsAt).toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit' })
  button.textContent = translate('Continue at %s', time)
}

function updateClock() {
  const seconds = Math.max(0, Math.round((endsAt - Date.now()) / 1000))
  clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  if (seconds > 0) return setTimeout(updateClock, 250)
  document.getElementById('break-message').textContent = clock.dataset.finishedMessage
  button.textContent = translate('Continue')
  button.disabled = false
  if (endEarly) endEarly.hidden = true
}
updateClock()
