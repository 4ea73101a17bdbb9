// Shows the time left of a break. The server decides when the break ends.
import { translate } from './translate.mjs'

const clock = document.querySelector('.clock')
const endsAt = Date.now() + Number(clock.dataset.remainingMs)
const button = document.querySelector('.break-screen button')

function updateClock() {
  const seconds = Math.max(0, Math.round((endsAt - Date.now()) / 1000))
  clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  if (seconds > 0) return setTimeout(updateClock, 250)
  document.getElementById('break-message').textContent = clock.dataset.finishedMessage
  button.textContent = translate('Continue')
}
updateClock()
