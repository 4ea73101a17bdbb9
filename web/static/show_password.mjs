// Adds "Show password" to password fields. Without this module the option stays
// hidden.
for (const option of document.querySelectorAll('[data-password-id]')) {
  const password = document.getElementById(option.dataset.passwordId)
  const checkbox = option.querySelector('input')
  option.hidden = false
  checkbox.addEventListener('change', () => { password.type = checkbox.checked ? 'text' : 'password' })
  password.form.addEventListener('submit', () => { password.type = 'password' })
}
