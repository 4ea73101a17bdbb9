// Checks answers in the browser as protocol.Check does on the server and the
// CHECK constraints do in the database, all from one definition. The test in
// internal/postgres/rules_test.go runs the three on the same cases.
//
//   rulebook  the result of Protocol.Rulebook
//   facts     {key: boolean}: facts about the item
//   answers   {values: {field: number}, observations: [key], unsure: [field], note: string}
//
// Answers may come from anywhere, so keys are looked up in Maps only, never in an
// object with a prototype.

/** Returns the problems of answers as [{key, rule, message}] in the form's order. Without problems they may be submitted. */
export function check(rulebook, facts, answers) {
  const input = normalizeAnswers(rulebook, facts, answers)
  return [
    ...rulebook.fields.flatMap(field => checkField(rulebook, field, input)),
    ...checkKnown(rulebook, input),
    ...brokenRules(rulebook, input),
    ...checkNoteLength(rulebook, input),
  ]
}

/** Returns the problems of a form in progress: an unanswered question is not a problem yet. */
export function checkUnfinished(rulebook, facts, answers) {
  return check(rulebook, facts, answers).filter(p => p.rule !== `${p.key}_given`)
}

/** Returns the hints whose conditions hold. */
export function hints(rulebook, facts, answers) {
  const values = flatten(rulebook, normalizeAnswers(rulebook, facts, answers))
  return rulebook.hints.filter(hint => hint.when.every(c => conditionHolds(c, values)))
}

/**
 * Returns the fields with one possible answer, whatever their present one, as
 * [{key, value}]: any other would break a rule at a field. Rules at observations and
 * the note rule nothing out, because those can still change.
 */
export function forced(rulebook, facts, answers) {
  const input = normalizeAnswers(rulebook, facts, answers)
  const isField = new Set(rulebook.fields.map(f => f.key))
  const count = values => brokenRules(rulebook, { ...input, values }).filter(p => isField.has(p.key)).length
  const possibleValues = field => {
    const others = new Map(input.values)
    others.delete(field.key)
    const before = count(others)
    return field.values.filter(v => count(new Map(others).set(field.key, v)) === before)
  }
  return rulebook.fields
    .filter(f => applies(f, input))
    .map(f => ({ key: f.key, left: possibleValues(f) }))
    .filter(({ left }) => left.length === 1)
    .map(({ key, left }) => ({ key, value: left[0] }))
}

function normalizeAnswers(rulebook, facts, answers) {
  const note = answers.note ?? ''
  return {
    facts: new Map(Object.entries(facts ?? {})),
    values: new Map(Object.entries(answers.values ?? {})),
    observations: answers.observations ?? [],
    unsure: answers.unsure ?? [],
    note,
    noteLength: [...note].length, // in code points, as on the server and in the database
  }
}

const applies = (field, input) => !field.onlyWhen || input.facts.get(field.onlyWhen) === true

function checkField({ messages }, field, input) {
  const { key } = field
  const isAnswered = input.values.has(key)
  if (!isAnswered && applies(field, input)) return [{ key, rule: `${key}_given`, message: messages.missing }]
  if (isAnswered && !applies(field, input)) return [{ key, rule: `${key}_applies`, message: messages.notApplicable }]
  if (isAnswered && !field.values.includes(input.values.get(key))) return [{ key, rule: `${key}_scale`, message: messages.offScale }]
  return []
}

// Finds keys that the form does not have, and keys given twice.
function checkKnown({ fields, observations, allowsBetween, messages }, input) {
  const fieldKeys = fields.map(f => f.key)
  const unknownKeys = (rule, keys, known) => keys
    .filter((key, i) => !known.includes(key) || keys.indexOf(key) < i)
    .map(key => ({ key, rule, message: messages.unknownKey.replace('%s', () => key) }))
  return [
    ...unknownKeys('known_answers', [...input.values.keys()].sort(compareCodePoints), fieldKeys),
    ...unknownKeys('known_observations', input.observations, observations),
    ...unknownKeys('known_unsure', input.unsure, allowsBetween ? fieldKeys : []),
  ]
}

// The server sorts by code point; sort() alone sorts by UTF-16 unit.
function compareCodePoints(a, b) {
  const x = [...a], y = [...b]
  const i = x.findIndex((c, i) => c !== y[i])
  if (i < 0 || i >= y.length) return x.length - y.length
  return x[i].codePointAt(0) - y[i].codePointAt(0)
}

// Returns each rule that applies and does not hold, once for each key that breaks it.
function brokenRules(rulebook, input) {
  const values = flatten(rulebook, input)
  return rulebook.rules
    .filter(rule => rule.when.every(c => conditionHolds(c, values)))
    .flatMap(rule => rule.then
      .filter(c => values.has(c.key) && !conditionHolds(c, values))
      .map(c => ({ key: c.key, rule: rule.id, message: rule.message })))
}

const conditionHolds = (condition, values) => values.has(condition.key) && condition.values.includes(values.get(condition.key))

// Returns all values that rules can name, by key. Only fields can be absent.
function flatten({ facts, observations, fields, filledNotes, blankChars }, input) {
  const values = new Map(input.values)
  for (const key of facts) values.set(key, Number(input.facts.get(key) === true))
  for (const key of observations) values.set(key, Number(input.observations.includes(key)))
  for (const { key } of fields) values.set(`unsure_${key}`, Number(input.unsure.includes(key)))
  const ownNote = filledNotes
    .filter(hint => hint.when.every(c => conditionHolds(c, values)))
    .reduce((note, hint) => note.replaceAll(hint.note, ''), input.note)
  return values.set('note', Number([...ownNote].some(c => !blankChars.includes(c))))
}

function checkNoteLength({ maxNoteLength, messages }, input) {
  if (input.noteLength <= maxNoteLength) return []
  return [{ key: 'note', rule: 'note_length', message: messages.noteTooLong }]
}
