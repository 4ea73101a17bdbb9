// Judges answers in the browser the way protocol.Check does on the server and
// the CHECK constraints do in the database, from the same definition. One test
// (internal/postgres/rules_test.go) puts all three through the same cases.
//
//   rulebook  what Protocol.Rulebook gives the page
//   facts     {key: boolean}: what the item tells about itself
//   answers   {values: {field: number}, observations: [key], unsure: [field], note: string}
//
// Answers may come from anywhere, so no key is ever looked up in an object that
// has a prototype: Maps hold them.

/** What is wrong with answers, as [{key, rule, says}] in the form's order. None: they may be submitted. */
export function check(rulebook, facts, answers) {
  const given = read(rulebook, facts, answers)
  return [
    ...rulebook.fields.flatMap(field => checkField(rulebook, field, given)),
    ...checkKnown(rulebook, given),
    ...broken(rulebook, given),
    ...checkLength(rulebook, given),
  ]
}

/** What is wrong with a form that is still being filled in: an open question is no problem yet. */
export function checkSoFar(rulebook, facts, answers) {
  return check(rulebook, facts, answers).filter(p => p.rule !== `${p.key}_given`)
}

/** The hints that stand, as the rulebook has them. */
export function hints(rulebook, facts, answers) {
  const values = flatten(rulebook, read(rulebook, facts, answers))
  return rulebook.hints.filter(hint => hint.when.every(c => holds(c, values)))
}

/**
 * The open fields that have one answer left, as [{key, value}]: any other would
 * break a rule at a field. Ticks and the note can still change, so what is
 * broken there rules nothing out.
 */
export function forced(rulebook, facts, answers) {
  const given = read(rulebook, facts, answers)
  const isField = new Set(rulebook.fields.map(f => f.key))
  const count = values => broken(rulebook, { ...given, values }).filter(p => isField.has(p.key)).length
  const before = count(given.values)
  return rulebook.fields
    .filter(f => applies(f, given) && !given.values.has(f.key))
    .map(f => ({ key: f.key, left: f.values.filter(v => count(new Map(given.values).set(f.key, v)) === before) }))
    .filter(({ left }) => left.length === 1)
    .map(({ key, left }) => ({ key, value: left[0] }))
}

function read({ blank }, facts, answers) {
  const note = [...answers.note ?? '']
  return {
    facts: new Map(Object.entries(facts ?? {})),
    values: new Map(Object.entries(answers.values ?? {})),
    observations: answers.observations ?? [],
    unsure: answers.unsure ?? [],
    length: note.length, // in code points, as on the server and in the database
    written: note.some(c => !blank.includes(c)),
  }
}

const applies = (field, given) => !field.onlyWhen || given.facts.get(field.onlyWhen) === true

function checkField({ says }, field, given) {
  const { key } = field
  const isGiven = given.values.has(key)
  if (!isGiven && applies(field, given)) return [{ key, rule: `${key}_given`, says: says.missing }]
  if (isGiven && !applies(field, given)) return [{ key, rule: `${key}_applies`, says: says.misplaced }]
  if (isGiven && !field.values.includes(given.values.get(key))) return [{ key, rule: `${key}_scale`, says: says.unoffered }]
  return []
}

// Keys that the form does not have, and keys said twice.
function checkKnown({ fields, observations, between, says }, given) {
  const fieldKeys = fields.map(f => f.key)
  const strangers = (rule, keys, known) => keys
    .filter((key, i) => !known.includes(key) || keys.indexOf(key) < i)
    .map(key => ({ key, rule, says: says.unknown.replace('%s', () => key) }))
  return [
    ...strangers('known_answers', [...given.values.keys()].sort(byCodePoint), fieldKeys),
    ...strangers('known_observations', given.observations, observations),
    ...strangers('known_unsure', given.unsure, between ? fieldKeys : []),
  ]
}

// The server sorts by code point; sort() alone would by UTF-16 unit.
function byCodePoint(a, b) {
  const x = [...a], y = [...b]
  const i = x.findIndex((c, i) => c !== y[i])
  if (i < 0 || i >= y.length) return x.length - y.length
  return x[i].codePointAt(0) - y[i].codePointAt(0)
}

// The rules that start and do not hold, once for each key that breaks one.
function broken(rulebook, given) {
  const values = flatten(rulebook, given)
  return rulebook.rules
    .filter(rule => rule.when.every(c => holds(c, values)))
    .flatMap(rule => rule.then
      .filter(c => values.has(c.key) && !holds(c, values))
      .map(c => ({ key: c.key, rule: rule.id, says: rule.says })))
}

const holds = (cond, values) => values.has(cond.key) && cond.in.includes(values.get(cond.key))

// All that rules may speak of, under one key each. Only a field can be absent.
function flatten({ facts, observations, fields }, given) {
  const values = new Map(given.values)
  for (const key of facts) values.set(key, Number(given.facts.get(key) === true))
  for (const key of observations) values.set(key, Number(given.observations.includes(key)))
  for (const { key } of fields) values.set(`unsure_${key}`, Number(given.unsure.includes(key)))
  return values.set('note', Number(given.written))
}

function checkLength({ noteLimit, says }, given) {
  if (given.length <= noteLimit) return []
  return [{ key: 'note', rule: 'note_length', says: says.noteTooLong }]
}
