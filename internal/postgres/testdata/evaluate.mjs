// Judges submissions by rules.mjs. A line of standard input names the module to
// judge with from here on, or the rulebook to judge by, or is a submission,
// which gets one line of verdict.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const verdicts = []
let rules, rulebook
for (const line of readFileSync(0, 'utf8').split('\n')) {
  if (line === '') continue
  const said = JSON.parse(line)
  if (said.module) rules = await import(pathToFileURL(said.module))
  else if (said.rulebook) rulebook = said.rulebook
  else verdicts.push(JSON.stringify(judge(said)))
}
process.stdout.write(verdicts.join('\n'))

function judge({ facts, answers }) {
  return {
    problems: rules.check(rulebook, facts, answers),
    soFar: rules.checkSoFar(rulebook, facts, answers).map(problem => problem.rule),
    hints: rules.hints(rulebook, facts, answers).map(hint => hint.id),
    forced: rules.forced(rulebook, facts, answers),
  }
}
