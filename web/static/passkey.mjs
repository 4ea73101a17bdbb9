// Asks the browser for a passkey, or for a new one, and posts its answer with the form.
for (const form of document.querySelectorAll('[data-passkey]')) {
  const ask = async () => {
    const options = JSON.parse(form.dataset.options)
    const answer = form.dataset.passkey === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
    form.querySelector('[name="credential"]').value = JSON.stringify(answer.toJSON())
    HTMLFormElement.prototype.submit.call(form) // without the listener below
  }
  const start = () => ask().catch(() => { form.querySelector('[role=alert]').hidden = false })
  form.addEventListener('submit', event => {
    event.preventDefault()
    start()
  })
  if ('starts' in form.dataset) start()
}
