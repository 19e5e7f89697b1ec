import { createStore, defineResources } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { databaseErrorKind, endsSession } from '../../src/session/database-errors.ts'

test.each(['ENETUNREACH', 'ECONNABORTED', 'EHOSTDOWN', 'ECONNREFUSED'])('%s is a lost connection', (code) => {
  const error = Object.assign(new Error(code), { code })
  expect(databaseErrorKind(error)).toBe('disconnected')
  expect(endsSession(error)).toBe(true)
})

test('a file that is not there is a lost connection only where the driver has connected to it', () => {
  const missing = { code: 'ENOENT', syscall: 'connect' }
  expect(databaseErrorKind(missing)).toBe('disconnected')
  expect(databaseErrorKind({ ...missing, syscall: 'open' })).toBe('other')
})

test.each(['SQLITE_CANTOPEN', 'SQLITE_CANTOPEN_ISDIR', 'SQLITE_FULL'])(
  '%s is a database that cannot do it now',
  (code) => {
    expect(databaseErrorKind({ code })).toBe('unavailable')
  },
)

test.each(['SQLITE_IOERR', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'])(
  '%s is a file or a disk that no other try makes whole',
  (code) => {
    expect(databaseErrorKind({ code })).toBe('other')
  },
)

test.each([
  ['SQLITE_ERROR', 'VIEWs and/or subqueries nested too deep'],
  ['SQLITE_ERROR', 'Expression tree is too large (maximum depth 1000)'],
  ['54001', 'stack depth limit exceeded'],
])('%s: %s is a query that the database cannot follow', (code, message) => {
  expect(databaseErrorKind({ code, message })).toBe('tooDeep')
})

test.each([
  {
    code: '23505',
    message: 'duplicate key value violates unique constraint "task_pkey_102008"',
    constraint: 'task_pkey_102008',
  },
  { code: '23505', message: 'duplicate key value violates unique constraint "task_pkey_102008"' },
  { code: 'XX000', message: 'duplicate key value violates unique constraint "task_pkey_102008"' },
])('a duplicate that a machine of a cluster reports is one: $code, $constraint', (error) => {
  expect(databaseErrorKind({ severity: 'ERROR', ...error })).toBe('unique')
})

test.each([
  'connection to the remote node 10.0.0.7:5432 failed',
  'connection error: 10.0.0.7:5432',
  'failure on connection marked as essential: 10.0.0.7:5432',
  'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
])('a cluster that has lost a machine is one to which the connection is lost: %s', (message) => {
  const error = { severity: 'ERROR', code: 'XX000', message }
  expect(databaseErrorKind(error)).toBe('disconnected')
  // That with the coordinator is still there.
  expect(endsSession(error)).toBe(false)
})

test.each([undefined, null, 'text', 5])('%s is no error of a database', (thrown) => {
  expect(databaseErrorKind(thrown)).toBe('other')
  expect(endsSession(thrown)).toBe(false)
})

test('a server whose socket is not there is CRUD_ERR_BUSY', async () => {
  const db = openPostgres({ host: '/nowhere', user: 'nobody' })
  onTestFinished(() => db.destroy())
  const { note } = createStore({ db, resources: defineResources({ note: {} }) })
  await expect(note.find(1)).rejects.toMatchObject({ code: 'CRUD_ERR_BUSY', status: 503 })
})
