import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** Files and folders that make statements besides `Statements`, with the reason why no policy is part of them. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'session/session-pool.ts': 'asks what a connection can do',
  'session/drivers/driver-features.ts': 'asks what a driver can do, and how the server prints dates',
  'session/drivers/prove-transactions.ts': 'asks whether a connection has transactions',
  'session/session-settings.ts': 'settings of the transaction',
  'session/transaction.ts': 'begins and ends transactions',
  'session/sqlite/folds-all-letters.ts': 'asks for a function',
  'rules/ready-made/change-log.ts': 'a table of the application, which it names',
  'rules/ready-made/read-outbox.ts': 'a table of the application, which it names',
  'store/read/how-to-compare.ts': 'asks the catalogs for indexes',
  'writing/write.ts': 'asks how a transaction of the application is isolated',
  'store/replica/log-position.ts': 'asks how far a replica is',
  'writing/learn-cascades.ts': 'asks the catalogs for foreign keys',
  'store/checks/expression-problems.ts': 'is prepared at start, and never run; looks for the tables of the library',
  'store/learn-types.ts': 'asks for the types of columns',
  'store/tenants.ts': 'removes all rows of a tenant, for the application itself',
  'store/history/forget-history.ts': 'removes old writes from tables of the library',
}

/** These take other things from files that make statements. */
const NO_STATEMENT: Readonly<Record<string, string>> = {
  'session/drivers/keep-frequent.ts': 'which statements have a shape that clients make',
  'session/postgres/keep-postgres.ts': 'which statements have a shape that clients make',
  'session/sqlite/slow-reads.ts': 'which statements have a shape that clients make',
  'store/json-store.ts': 'a query for the application, with its values',
  'store/locate.ts': 'which relations lead out of a tree',
  'writing/links-left.ts': 'which links an answer shows',
  'writing/moves.ts': 'which relations lead out of a tree',
  'writing/new-row-ids.ts': 'the values of `reserve`, and its answer',
}

test('statements are made for `Statements`, and every other file that makes one is listed here', () => {
  const found = files.filter((file) => !file.startsWith('sql/') && (writesSql(file) || importsMaker(file)))
  const others = found.filter((file) => !Object.keys(NO_STATEMENT).some((listed) => file === listed))
  const listed = others.map((file) => Object.keys(ELSEWHERE).find((one) => file.startsWith(one)) ?? file)
  expect([...new Set(listed)].sort()).toEqual(Object.keys(ELSEWHERE).sort())
  expect(Object.keys(NO_STATEMENT).filter((file) => !found.includes(file))).toEqual([])
})

/** Whether a file writes SQL itself, or has Kysely write it. */
function writesSql(file: string): boolean {
  return /\bsql(?:<[^`(]*>)?`|\bCompiledQuery\.raw\(|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/.test(
    codeOf(file),
  )
}

/** Whether a file takes a function from one that makes statements. All may take `statementsOf`, whose statements are listed. */
function importsMaker(file: string): boolean {
  const imports = [...codeOf(file).matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)]
  return imports.some(([, names = '', from = '']) => {
    const functions = names.split(',').map((name) => name.trim())
    return isMaker(relative(src, join(src, file, '..', from))) && functions.some(isOtherFunction)
  })
}

function isMaker(file: string): boolean {
  return file.startsWith('sql/') && /\bprepare\(/.test(codeOf(file))
}

function isOtherFunction(name: string): boolean {
  return /^[a-z]/.test(name) && !name.startsWith('type ') && name !== 'statementsOf'
}

function codeOf(file: string): string {
  return readFileSync(join(src, file), 'utf8').replaceAll(/^ *(?:\*|\/\/|\/\*).*$/gm, '')
}
