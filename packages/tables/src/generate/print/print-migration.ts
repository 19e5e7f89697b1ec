import type { DatabaseName } from '@fastify-crud/core/internal'
import { comment } from '../../print-literal.ts'
import { type Change, type FileKind, inOrder, type Step } from '../change.ts'
import { IN_PORTIONS, PATIENTLY, WITH_TRIES } from './online-code.ts'
import { REBUILD_CODE } from './rebuild-code.ts'
import { sqlLiteral } from './sql-literal.ts'

/** What a file of migrations holds. */
export interface FileContents {
  readonly database: DatabaseName
  readonly kind: FileKind
  readonly changes: readonly Change[]
  /** What a person has to do besides. */
  readonly byHand: readonly string[]
}

/** A migration of Kysely's as a module in TypeScript. */
export function printMigration(contents: FileContents): string {
  const { database, kind, changes, byHand } = contents
  const ordered = inOrder(changes)
  const up = ordered.flatMap((change) => [comment(change.reason), ...change.up.flatMap(printStep)])
  const down = [...ordered].reverse().flatMap(printDown)
  const begin = database === 'postgres' && kind === 'ordinary' ? [LOCK_TIMEOUT] : []
  const notes = byHand.map((note) => comment(`By hand: ${note}`))
  const steps = changes.flatMap((change) => change.up)
  const rebuilt = [...new Set(steps.flatMap((step) => ('edits' in step ? [step.table] : [])))]
  const body = [
    ...printFunction('up', kind, [...begin, ...up, ...notes], rebuilt),
    '',
    '/** Drops no data: tables and columns that are new stay, and so does what the rows that there are would break. */',
    ...printFunction('down', kind, down.length === 0 ? [] : [...begin, ...down], rebuilt),
    '',
  ].join('\n')
  return [HEAD, body, ...printHelpers(contents, body)].join('\n')
}

const HEAD = `// Made from the difference of a database and its descriptors by \`fastify-crud generate\`. It is yours now.
import { type Kysely, sql } from 'kysely'
`

/** Others wait behind a statement that waits for a table. */
const LOCK_TIMEOUT = `await run(db, "set local lock_timeout = '5s'")`

function printFunction(
  name: 'up' | 'down',
  kind: FileKind,
  lines: readonly string[],
  rebuilt: readonly string[],
): readonly string[] {
  if (lines.length === 0) return [`export async function ${name}(_db: Kysely<any>): Promise<void> {}`]
  const head = (parameter: string) => `export async function ${name}(${parameter}: Kysely<any>): Promise<void> {`
  const tables = kind === 'rebuild' ? `[${rebuilt.map(sqlLiteral).join(', ')}], ` : ''
  return [
    head('given'),
    `  await ${AROUND[kind]}(given, ${tables}async (db) => {`,
    ...indented(indented(lines)),
    '  })',
    '}',
  ]
}

/** The function of the migration in which its statements run. */
const AROUND: Readonly<Record<FileKind, string>> = {
  ordinary: 'inTransaction',
  concurrently: 'concurrently',
  rebuild: 'withoutForeignKeys',
}

function printDown({ reason, down }: Change): readonly string[] {
  if (down.length === 0) return []
  return [comment(`Undoes: ${reason}`), ...down.flatMap(printStep)]
}

function printStep(step: Step): readonly string[] {
  if ('changed' in step) {
    const { changed, key, set, where } = step
    const keys = `[${key.map(sqlLiteral).join(', ')}]`
    return [`await inPortions(db, ${sqlLiteral(changed)}, ${keys}, ${sqlLiteral(set)}, ${sqlLiteral(where)})`]
  }
  if ('statements' in step) return printRuns(step.statements, step.isPatient)
  if ('edits' in step) {
    const edits = step.edits.map(({ from, to }) => `[${sqlLiteral(from)}, ${sqlLiteral(to)}],`)
    return [`await rebuild(db, ${sqlLiteral(step.table)}, [`, ...indented(edits), '])']
  }
  const found = `(await run(db, ${sqlLiteral(step.query)})).length`
  if ('steps' in step) return [`if (${found} > 0) {`, ...indented(step.steps.flatMap(printStep)), '}']
  const [ifFound, ifNone] = [printRuns(step.ifFound, step.isPatient), printRuns(step.ifNone, step.isPatient)]
  if (ifFound.length === 0) return [`if (${found} === 0) {`, ...indented(ifNone), '}']
  const otherwise = ifNone.length === 0 ? [] : ['} else {', ...indented(ifNone)]
  return [`if (${found} > 0) {`, ...indented(ifFound), ...otherwise, '}']
}

function printRuns(statements: readonly string[], isPatient?: true): readonly string[] {
  const literals = statements.map(sqlLiteral)
  if (isPatient !== true) return literals.map((one) => `await run(db, ${one})`)
  if (literals.length < 2) return literals.map((one) => `await patiently(db, ${one})`)
  return ['await patiently(', ...indented(['db', ...literals].map((one) => `${one},`)), ')']
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}

function printHelpers({ kind, database }: FileContents, body: string): readonly string[] {
  const helpers = [RUN]
  if (body.includes('inTransaction(')) helpers.unshift(IN_TRANSACTION[database])
  if (body.includes('concurrently(')) helpers.unshift(CONCURRENTLY)
  if (body.includes('inPortions(')) helpers.push(IN_PORTIONS)
  const isPatient = /patiently\(|inPortions\(/.test(body)
  if (isPatient) helpers.push(PATIENTLY)
  if (isPatient || (database === 'postgres' && body.includes('inTransaction('))) helpers.push(WITH_TRIES)
  if (kind === 'rebuild') helpers.push(REBUILD_CODE)
  return helpers
}

const IN_TRANSACTION: Readonly<Record<DatabaseName, string>> = {
  sqlite: `async function inTransaction(db: Kysely<any>, work: (db: Kysely<any>) => Promise<void>): Promise<void> {
  await (db.isTransaction ? work(db) : db.transaction().execute(work))
}
`,
  postgres: `/** Kysely's Migrator runs in one transaction, unless it is told otherwise. */
async function inTransaction(db: Kysely<any>, work: (db: Kysely<any>) => Promise<void>): Promise<void> {
  await (db.isTransaction ? work(db) : withTries(() => db.transaction().execute(work)))
}
`,
}

const CONCURRENTLY = `/** While other clients write, which may take long, and which PostgreSQL does in no transaction. */
async function concurrently(db: Kysely<any>, work: (db: Kysely<any>) => Promise<void>): Promise<void> {
  if (db.isTransaction) {
    throw new Error(
      'This migration has statements that cannot run in a transaction. Run the migrations without one, by new Migrator({ …, ' +
        'disableTransactions: true }) or kysely migrate latest --no-transaction. Each other file then opens one of its own.',
    )
  }
  await db.connection().execute(async (connection) => {
    const settings = "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock"
    const [before] = await run(connection, settings)
    await run(connection, 'set statement_timeout = 0')
    await run(connection, 'set lock_timeout = 0')
    try {
      await work(connection)
    } finally {
      await run(connection, "set statement_timeout = '" + before?.statement + "'")
      await run(connection, "set lock_timeout = '" + before?.lock + "'")
    }
  })
}
`

const RUN = `async function run(db: Kysely<any>, statement: string): Promise<Record<string, unknown>[]> {
  return (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows
}
`
