// Evaluates cases with rules.mjs. Each line of standard input names the module, mutations of it
// or the rulebook to use from then on, or is a case, answered by one line of results. The cases
// of a rulebook are followed by one line for each mutation: the first cases with other results,
// each as its number and these.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const maxDifferences = 20
const output = []
let rules, rulebook, mutations = [], cases = [], results = []
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue
  const input = JSON.parse(line)
  if (input.module) rules = await load(input.module)
  else if (input.mutations) mutations = await Promise.all(input.mutations.map(load))
  else if (input.rulebook) {
    finishRulebook()
    rulebook = input.rulebook
  } else {
    cases.push(input)
    results.push(JSON.stringify(evaluate(rules, input)))
  }
}
finishRulebook()
process.stdout.write(output.join('\n'))

function load(path) {
  return import(pathToFileURL(path))
}

function finishRulebook() {
  if (rulebook) output.push(...results, ...mutations.map(mutation => JSON.stringify(differences(mutation))))
  cases = []
  results = []
}

function differences(mutation) {
  const found = []
  for (let i = 0; i < cases.length && found.length < maxDifferences; i++) {
    const result = evaluate(mutation, cases[i])
    if (JSON.stringify(result) !== results[i]) found.push({ case: i, ...result })
  }
  return found
}

function evaluate(rules, { facts, answers }) {
  return {
    problems: rules.check(rulebook, facts, answers),
    unfinished: rules.checkUnfinished(rulebook, facts, answers).map(problem => problem.rule),
    hints: rules.hints(rulebook, facts, answers).map(hint => hint.id),
    forced: rules.forced(rulebook, facts, answers),
  }
}
