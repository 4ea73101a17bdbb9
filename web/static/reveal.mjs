// Lets people see the password they are choosing. Without this module the box
// for it is not there.
for (const box of document.querySelectorAll('[data-reveals]')) {
  const password = document.getElementById(box.dataset.reveals)
  const tick = box.querySelector('input')
  box.hidden = false
  tick.addEventListener('change', () => { password.type = tick.checked ? 'text' : 'password' })
  password.form.addEventListener('submit', () => { password.type = 'password' })
}
