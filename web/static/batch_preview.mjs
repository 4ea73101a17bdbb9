// Keeps the preview of a new batch up to date while its form is filled in.

const form = document.getElementById('batch-form')
const panel = document.getElementById('batch-preview')
const DELAY = 400
let timer = 0
let request = null

/** Fetches the preview of the form as it is now, and shows it in place. */
function updatePreview() {
  request?.abort()
  request = new XMLHttpRequest() // parses the page without a string that the content policy would refuse
  request.open('POST', panel.dataset.previewPath)
  request.responseType = 'document'
  request.onload = ({ target }) => {
    if (target.status === 200) panel.replaceChildren(...target.response.body.childNodes)
  }
  request.onloadend = ({ target }) => panel.toggleAttribute('data-loading', target !== request)
  panel.toggleAttribute('data-loading', true)
  request.send(new URLSearchParams(new FormData(form)))
}

if (form) {
  document.getElementById('preview-button').hidden = true
  form.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(updatePreview, DELAY)
  })
  if (form.querySelector('#annotators :checked')) updatePreview()
}
