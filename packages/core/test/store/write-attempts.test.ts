import { defineResources, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { describe, expect, test } from 'vitest'
import { CrudError } from '../../src/errors.ts'
import { topPath } from '../../src/model/collection-path.ts'
import { queryContext } from '../../src/sql/context.ts'
import { CHANGED } from '../../src/sql/dialect/dialect.ts'
import { statementsOf } from '../../src/sql/statements.ts'
import { bodyReader } from '../../src/store/body-reader.ts'
import { write } from '../../src/writing/write.ts'
import type { WriteCall } from '../../src/writing/write-call.ts'
import { fakeSession, noDatabase, poolOf } from './fake-sessions.ts'

// Which attempt comes after which error. No database answers: the script says what each statement does.

const model = defineResources({
  order: { fields: { name: Type.String() }, relations: { lines: owns.many('line') } },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
})
const at = { path: topPath(model, 'order'), owners: [] }

const requests = {
  PUT: { operation: 'replace', body: { name: 'b', lines: [] } },
  'PUT of the same': { operation: 'replace', body: { name: 'a', lines: [] } },
  PATCH: { operation: 'patch', body: { name: 'b' } },
  POST: { operation: 'create', body: { name: 'b' } },
  DELETE: { operation: 'delete', body: undefined },
} as const

const sessions = {
  'PostgreSQL in messages': { database: 'postgres', traits: { pipelines: true, hasJustAnswered: () => true } },
  PostgreSQL: { database: 'postgres', traits: {} },
  'SQLite as a reader': { database: 'sqlite', traits: { beginsAsReader: true } },
  SQLite: { database: 'sqlite', traits: {} },
} as const

function callOf(request: keyof typeof requests, read: ReturnType<typeof bodyReader>['read']): WriteCall {
  const { operation, body } = requests[request]
  const terms = {
    at,
    requestContext: undefined,
    permit: undefined,
    precondition: undefined,
    maxAffected: undefined,
    rollsBack: false,
    effects: undefined,
    readsBack: true,
    repeat: undefined,
    notePosition: undefined,
    now: new Date(),
  }
  if (operation === 'delete') return { ...terms, operation, id: 1, hidden: new Set() }
  if (operation === 'create') {
    const { draft } = read({ at, operation, body, id: undefined, hidden: undefined })
    return { ...terms, operation, id: undefined, chosenId: undefined, draft }
  }
  return { ...terms, operation, id: 1, draft: read({ at, operation, body, id: 1, hidden: undefined }).draft }
}

const failures = {
  unique: { code: '23505', severity: 'ERROR' },
  'foreign key': { code: '23503', severity: 'ERROR' },
  deadlock: { code: '40P01', severity: 'ERROR' },
  timeout: { code: '57014', severity: 'ERROR' },
  'lost connection': { code: 'ECONNRESET' },
  'other error': {},
  busy: { code: 'SQLITE_BUSY' },
  'unique on SQLite': { code: 'SQLITE_CONSTRAINT_UNIQUE' },
  changed: { severity: 'ERROR' },
} as const

/** What a statement does instead of what it should, by its name and how many came before. */
type Odd = Readonly<Record<string, keyof typeof failures | 'no row' | 'too large'>>

async function statementsOfWrite(on: keyof typeof sessions, request: keyof typeof requests, odd: Odd) {
  const { database, traits } = sessions[on]
  const context = queryContext(noDatabase(database), { maxAnswer: 1_000_000 })
  const statements = statementsOf(context)
  const { session, log } = fakeSession((name, time) => {
    const what = odd[`${name} ${time}`]
    if (what === 'no row') return []
    if (what === 'too large') return [{ json: 'too large' }]
    if (what !== undefined) return Object.assign(new Error(what === 'changed' ? CHANGED : what), failures[what])
    return name === 'read' ? [{ json: '{"id":1,"name":"a","lines":[]}' }] : [{ one: 1 }]
  }, traits)
  const parts = {
    context,
    statements,
    sessions: poolOf(session),
    rules: undefined,
    end: undefined,
    afterCommits: undefined,
    errors: undefined,
    history: undefined,
    learnTypes: undefined,
    learnCascades: undefined,
    hasUnconstrained: false,
    maxRows: 100_000,
    maxChanges: 10_000,
  }
  const written = write(parts, callOf(request, bodyReader(model, undefined, context).read))
  const outcome = await written.then(
    () => 'done',
    (error) => (error instanceof CrudError ? error.code : error.message),
  )
  return [...log, outcome]
}

type Case = readonly [request: keyof typeof requests, odd: Odd, statements: string]

const cases: Readonly<Record<keyof typeof sessions, readonly Case[]>> = {
  'PostgreSQL in messages': [
    ['PUT', {}, 'read, begin, lock, compare, run, read, commit, done'],
    ['PUT of the same', {}, 'read, done'],
    [
      'PUT',
      { 'compare 0': 'changed' },
      'read, begin, lock, compare, rollback, begin, lock, read, run, read, commit, done',
    ],
    [
      'PUT',
      { 'run 0': 'unique' },
      'read, begin, lock, compare, run, rollback, read, begin, lock, read, run, read, commit, done',
    ],
    [
      'PUT',
      { 'run 0': 'unique', 'run 1': 'unique' },
      'read, begin, lock, compare, run, rollback, read, begin, lock, read, run, rollback, CRUD_ERR_NOT_UNIQUE',
    ],
    [
      'PUT',
      { 'run 0': 'deadlock' },
      'read, begin, lock, compare, run, rollback, read, begin, lock, compare, run, read, commit, done',
    ],
    ['PUT', { 'run 0': 'timeout' }, 'read, begin, lock, compare, run, rollback, CRUD_ERR_BUSY'],
    [
      'PUT',
      { 'commit 0': 'lost connection' },
      'read, begin, lock, compare, run, read, commit, CRUD_ERR_OUTCOME_UNKNOWN',
    ],
    [
      'PUT',
      { 'commit 0': 'foreign key' },
      'read, begin, lock, compare, run, read, commit, rollback, read, begin, lock, read, run, read, commit, done',
    ],
    [
      'PUT',
      { 'commit 0': 'deadlock' },
      'read, begin, lock, compare, run, read, commit, rollback, read, begin, lock, compare, run, read, commit, done',
    ],
    ['PUT', { 'begin 0': 'lost connection' }, 'read, begin, CRUD_ERR_OUTCOME_UNKNOWN'],
    ['PUT', { 'read 0': 'too large' }, 'read, read, begin, lock, read, run, read, commit, done'],
    ['PUT', { 'read 0': 'other error' }, 'read, other error'],
    ['PATCH', {}, 'begin, run, read, commit, done'],
    ['PATCH', { 'run 0': 'no row' }, 'begin, run, read, commit, read, begin, lock, compare, run, read, commit, done'],
    ['PATCH', { 'run 0': 'unique' }, 'begin, run, rollback, read, begin, lock, compare, run, read, commit, done'],
    [
      'PATCH',
      { 'run 0': 'unique', 'run 1': 'unique' },
      'begin, run, rollback, read, begin, lock, compare, run, rollback, read, begin, lock, read, run, read, commit, done',
    ],
    ['PATCH', { 'run 0': 'deadlock' }, 'begin, run, rollback, begin, run, read, commit, done'],
    ['DELETE', {}, 'begin, lock, run, commit, done'],
    ['DELETE', { 'run 0': 'foreign key' }, 'begin, lock, run, rollback, begin, lock, read, run, commit, done'],
    [
      'DELETE',
      { 'run 0': 'no row', 'read 0': 'no row' },
      'begin, lock, run, commit, begin, lock, read, rollback, CRUD_ERR_NOT_FOUND',
    ],
    ['POST', {}, 'begin, run, read, commit, done'],
    ['POST', { 'run 0': 'unique' }, 'begin, run, rollback, begin, read, run, read, commit, done'],
  ],
  PostgreSQL: [
    ['PUT', {}, 'read, begin, lock, read, run, read, commit, done'],
    ['PUT', { 'lock if free 0': 'no row' }, 'read, begin, lock, read, run, read, commit, done'],
    ['PUT of the same', {}, 'read, done'],
    [
      'PUT',
      { 'run 0': 'unique' },
      'read, begin, lock, read, run, rollback, read, begin, lock, read, run, read, commit, done',
    ],
    ['PATCH', {}, 'begin, run, read, commit, done'],
    ['PATCH', { 'run 0': 'no row' }, 'begin, run, read, commit, read, begin, lock, read, run, read, commit, done'],
    ['DELETE', { 'run 0': 'no row' }, 'begin, lock, run, rollback, begin, lock, read, run, commit, done'],
  ],
  'SQLite as a reader': [
    ['PUT', {}, 'begin, read, run, read, commit, done'],
    ['PUT of the same', {}, 'begin, read, commit, done'],
    ['PUT', { 'run 0': 'busy' }, 'begin, read, run, rollback, begin immediate, read, run, read, commit, done'],
    ['PUT', { 'read 0': 'busy' }, 'begin, read, rollback, begin immediate, read, run, read, commit, done'],
    ['PATCH', {}, 'begin, look, run, read, commit, done'],
    ['PATCH', { 'look 0': 'no row' }, 'begin, look, commit, begin, read, run, read, commit, done'],
    ['PATCH', { 'run 0': 'busy' }, 'begin, look, run, rollback, begin immediate, look, run, read, commit, done'],
    ['PATCH', { 'run 0': 'unique on SQLite' }, 'begin, look, run, rollback, begin, read, run, read, commit, done'],
    ['DELETE', { 'run 1': 'no row' }, 'begin immediate, run, run, rollback, begin immediate, read, run, commit, done'],
  ],
  SQLite: [
    ['PUT', {}, 'read, begin immediate, read, run, read, commit, done'],
    ['PUT of the same', {}, 'read, done'],
    ['PATCH', {}, 'read, begin immediate, read, run, read, commit, done'],
    [
      'PUT',
      { 'run 0': 'busy' },
      'read, begin immediate, read, run, rollback, read, begin immediate, read, run, read, commit, done',
    ],
  ],
}

describe.each(Object.entries(cases))('a write on %s', (on, all) => {
  test.each(all)('%s where these are odd: %j', async (request, odd, statements) => {
    const ran = await statementsOfWrite(on as keyof typeof sessions, request, odd)
    expect(ran.join(', ')).toBe(statements)
  })
})

test('is given up when others are in the way each time', async () => {
  const odd = Object.fromEntries(Array.from({ length: 20 }, (_, time) => [`run ${time}`, 'deadlock'] as const))
  expect((await statementsOfWrite('PostgreSQL', 'DELETE', odd)).at(-1)).toBe('CRUD_ERR_BUSY')
})

test('is tried again when the connection was lost before a commit could be sent', async () => {
  const ran = await statementsOfWrite('PostgreSQL', 'DELETE', { 'run 0': 'lost connection' })
  expect(ran.join(', ')).toBe('begin, lock, run, begin, lock, run, commit, done')
})
