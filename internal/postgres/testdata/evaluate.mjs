// Evaluates cases with rules.mjs. Each line of standard input names the module or
// the rulebook to use from then on, or is a case, answered by one line of results.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const results = []
let rules, rulebook
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue
  const input = JSON.parse(line)
  if (input.module) rules = await import(pathToFileURL(input.module))
  else if (input.rulebook) rulebook = input.rulebook
  else results.push(JSON.stringify(evaluate(input)))
}
process.stdout.write(results.join('\n'))

function evaluate({ facts, answers }) {
  return {
    problems: rules.check(rulebook, facts, answers),
    unfinished: rules.checkUnfinished(rulebook, facts, answers).map(problem => problem.rule),
    hints: rules.hints(rulebook, facts, answers).map(hint => hint.id),
    forced: rules.forced(rulebook, facts, answers),
  }
}
