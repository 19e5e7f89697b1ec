import { styleText } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { checkTables } from '../check/check-tables.ts'
import type { TableProblem } from '../check/table-problem.ts'
import { introspect, type TableOutcome } from '../introspect/introspect.ts'
import { generate } from './generate.ts'
import { CliError, type Options, readOptions } from './read-options.ts'
import type { Surroundings } from './with-database.ts'
import { importResources, withDatabase } from './with-database.ts'

/** Prints what `checkTables` finds. Resolves to 1 if one of it is an error. */
async function check(options: Options, surroundings: Surroundings): Promise<0 | 1> {
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

/** Prints the descriptors of a database, and says what became of its tables. */
async function introspectTables(options: Options, surroundings: Surroundings): Promise<0> {
  const { schema, only, json } = options
  const { source, tables } = await withDatabase(options, surroundings, (db) =>
    introspect(db, { ...(schema !== undefined && { schema }), ...(only !== undefined && { only }) }),
  )
  const outcomes = [...tables].map(([table, outcome]) => ({ table, ...outcome }))
  surroundings.out(json === true ? `${JSON.stringify({ source, tables: outcomes }, null, 2)}\n` : source)
  if (json !== true) surroundings.err(summary(outcomes))
  return 0
}

function summary(outcomes: readonly ({ readonly table: string } & TableOutcome)[]): string {
  const resources = outcomes.filter((one) => 'resource' in one)
  const links = outcomes.filter((one) => 'links' in one)
  const left = outcomes.filter((one) => 'reason' in one)
  const counts = `${count(outcomes.length, 'table')}: ${count(resources.length, 'resource')}, ${count(links.length, 'table')} of links, ${left.length} left out\n`
  return counts + left.map(({ table, reason }) => `  ${table}: ${reason}\n`).join('')
}

export type ExitCode = 0 | 1 | 2

/** A command resolves to 1 where there is something to mend. */
type Command = (options: Options, surroundings: Surroundings) => Promise<0 | 1>

const COMMANDS: Readonly<Record<string, Command>> = { introspect: introspectTables, check, generate }

/** Runs a command line. Resolves to the exit code: 0, 1 where there is something to mend, 2 where the command could not
 * be run. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    const { command, options } = readOptions(words, Object.keys(COMMANDS))
    if (command === 'help' || command === 'version') {
      surroundings.out(command === 'help' ? HELP : `${manifest.version}\n`)
      return 0
    }
    return await (COMMANDS[command] as Command)(options, surroundings)
  } catch (error) {
    surroundings.err(`fastify-crud: ${error instanceof Error ? messageOf(error) : String(error)}\n`)
    return 2
  }
}

/** Of other errors than those of the command line, the kind may be all there is. */
function messageOf(error: Error): string {
  if (error instanceof CliError) return error.message
  const { code } = error as { code?: unknown }
  return [error.message, typeof code === 'string' && !error.message.includes(code) ? `(${code})` : '']
    .filter(Boolean)
    .join(' ')
}

const HELP = `fastify-crud introspect [--db URL] [--schema NAME] [--only TABLE]... [--json]
  Describes the tables of a database, and prints the descriptors:
  fastify-crud introspect --db postgres://localhost/shop > resources.ts

fastify-crud check [--db URL] --resources FILE [--json]
  Says where a database and the descriptors differ. The file exports what defineResources returned.
  The exit code is 1 if the service would not work.

fastify-crud generate [--db URL] --resources FILE [--name NAME] [--dir FOLDER] [--fill FIELD=VALUE]... [--online] [--check] [--sql] [--json]
  Writes Kysely migrations that bring the tables of a database to those of the descriptors.

--db         postgres://…, or the path of a SQLite file; :memory: is an empty one. Default: the variable DATABASE_URL.
--schema     PostgreSQL: the schema of the tables. Default: the first one of the search path.
--only       A table to describe; may occur several times. Default: all tables.
--resources  A module in JavaScript or TypeScript.
--name       What the migration is called: add-price. Default: changes.
--dir        The folder of the migrations. Default: migrations.
--fill       A value for rows that have none: book.price=0; or SQL that computes it: book.price:=pages * 2. May occur several times.
--online     PostgreSQL: changes rows and types of all tables in portions, while others write. Default: those of tables with more than 100,000 rows.
--check      Writes nothing. The exit code is 1 if anything is missing.
--sql        Writes nothing, and prints the SQL.
--json       Prints JSON, for programs.
--help       Prints this.
--version    Prints the version.
`

/** `1 error`, `2 errors`. */
function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
