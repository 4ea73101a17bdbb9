// Counts a break down. It only shows the time: the server knows when it ends.
const clock = document.querySelector('.clock')
const end = Date.now() + Number(clock.dataset.left)
const button = document.querySelector('.pause button')

function tick() {
  const left = Math.max(0, Math.round((end - Date.now()) / 1000))
  clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
  if (left > 0) return setTimeout(tick, 250)
  document.getElementById('rest-says').textContent = clock.dataset.over
  button.textContent = 'Go on'
}
tick()
