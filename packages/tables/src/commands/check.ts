import { styleText } from 'node:util'
import { checkTables } from '../check/check-tables.ts'
import type { TableProblem } from '../check/table-problem.ts'
import { count } from './count.ts'
import { importResources } from './import-resources.ts'
import type { Options } from './read-options.ts'
import type { Surroundings } from './surroundings.ts'
import { withDatabase } from './with-database.ts'

/** Prints what `checkTables` finds. Resolves to 1 if one of it is an error. */
export async function check(options: Options, surroundings: Surroundings): Promise<0 | 1> {
  const model = await importResources(options.resources, surroundings.folder)
  const problems = await withDatabase(options, surroundings, (db) => checkTables(db, model))
  surroundings.out(options.json === true ? `${JSON.stringify(problems, null, 2)}\n` : inWords(problems))
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0
}

function inWords(problems: readonly TableProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  if (problems.length === 0) return 'the database has all that the descriptors need\n'
  const lines = [...errors, ...warnings].map(({ severity, message }) => {
    return `${styleText(severity === 'error' ? 'red' : 'yellow', severity.padEnd('warning'.length))} ${message}\n`
  })
  return `${lines.join('')}${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}\n`
}
