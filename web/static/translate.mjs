// Texts in the language of the page. They are named by their English form, as in the catalog
// of the server, which puts the translations that the modules of a page need into the page.
const block = document.getElementById('texts')
const translations = block ? JSON.parse(block.textContent) : {}
const language = document.documentElement.lang || 'en'
const numbers = new Intl.NumberFormat(language)
const plurals = new Intl.PluralRules(language)

/** Returns a share in percent, such as "18%" or "18 %". */
export const percent = value => new Intl.NumberFormat(language, { style: 'percent' }).format(value / 100)

// translate returns the text with its arguments: %d is a number, %s a text, %[2]s the second
// argument.
export function translate(key, ...values) {
  let next = 0
  return form(translations[key] ?? key, values).replace(/%(?:\[(\d+)\])?[ds]/g, (_, position) => {
    const value = values[position ? position - 1 : next++]
    return typeof value === 'number' ? numbers.format(value) : value
  })
}

// form returns the plural form for the first number.
function form(forms, values) {
  if (typeof forms === 'string') return forms
  const count = values.find(value => typeof value === 'number')
  return forms[`=${count}`] ?? forms[plurals.select(count)] ?? forms.other
}
