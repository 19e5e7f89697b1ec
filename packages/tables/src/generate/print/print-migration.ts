import type { DatabaseName } from '@fastify-crud/core/internal'
import { comment } from '../../print-literal.ts'
import { type Change, type FileKind, inOrder, type MigrationStep } from '../change.ts'
import { REBUILD_CODE } from './rebuild-code.ts'

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

function printStep(step: MigrationStep): readonly string[] {
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

/** SQL as a literal of JavaScript, in the quotes that leave it readable. Whatever a database calls its tables, it never
 * becomes code. */
function sqlLiteral(statement: string): string {
  if (/^[^'\\\p{Cc}\u2028\u2029]*$/u.test(statement)) return `'${statement}'`
  if (/^[^\\`$\p{Cc}\u2028\u2029]*$/u.test(statement)) return `\`${statement}\``
  return JSON.stringify(statement).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

/** The functions of a migration that changes tables of PostgreSQL while others use them. In a migration they cannot
 * change with the library. */
const WITH_TRIES = `/**
 * Others wait behind a statement that waits for a lock. So it gives up soon, and is tried again after a pause, for some minutes. So is one that a
 * deadlock has stopped.
 */
async function withTries<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (tries === 50 || (code !== '55P03' && code !== '40P01')) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.min(tries * 100, 5_000)))
    }
  }
}
`

const PATIENTLY = `/** Waits two seconds for a lock, and tries again. Several statements are one transaction. */
async function patiently(db: Kysely<any>, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const work = async (db: Kysely<any>) => {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = await run(db, statement)
    return rows
  }
  await run(db, "set lock_timeout = '2s'")
  try {
    return await withTries(() => (statements.length === 1 ? work(db) : db.transaction().execute(work)))
  } finally {
    await run(db, 'set lock_timeout = 0')
  }
}
`

const IN_PORTIONS = `/**
 * Changes 5,000 rows at a time in the order of their key, each time in a transaction of its own. What is done stays done, whatever happens: the next
 * run goes on with the other rows.
 */
async function inPortions(db: Kysely<any>, table: string, key: string[], set: string, where: string): Promise<void> {
  const columns = key.join(', ')
  const texts = key.map((column, at) => column + '::text as k' + at).join(', ')
  let left = where
  let done = 0
  for (let portion = 1; ; portion += 1) {
    const next = 'select ' + texts + ' from ' + table + ' where ' + left + ' order by ' + columns + ' offset 4999 limit 1'
    const [end] = await run(db, next)
    const values = Object.values(end ?? {}).map((value) => "'" + String(value).replaceAll("'", "''") + "'")
    const last = '(' + columns + ') <= (' + values.join(', ') + ')'
    const update = 'update ' + table + ' set ' + set + ' where ' + left + (end === undefined ? '' : ' and ' + last)
    const counted = 'with changed as (' + update + ' returning 1) select count(*)::int as count from changed'
    const [changed] = await patiently(db, counted)
    done += Number(changed?.count)
    if (end === undefined || portion % 20 === 0) console.log(table + ': ' + done + ' rows have ' + set)
    if (end === undefined) return
    left = where + ' and (' + columns + ') > (' + values.join(', ') + ')'
  }
}
`
