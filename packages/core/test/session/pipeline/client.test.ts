import pg from 'pg'
import { expect, test } from 'vitest'
import { isPipelineClient, missingIn, takesOnlyPlainQueries } from '../../../src/session/postgres/pipeline/index.ts'
import { scriptedPipeline } from './scripted-pipeline.ts'

const without = (object: object, ...names: readonly string[]): object =>
  Object.create(object, Object.fromEntries(names.map((name) => [name, { value: undefined }])))

test('a connected client of `pg` lacks nothing for a pipeline', async () => {
  const { client } = await scriptedPipeline({})
  expect(missingIn(client)).toEqual([])
  expect(isPipelineClient(client)).toBe(true)
})

test('what a client lacks is named, whichever part of it has changed', async () => {
  const { client } = await scriptedPipeline({})
  const { connection } = client
  const withConnection = (changed: object) => Object.create(client, { connection: { value: changed } })
  const stream = without(connection.stream, 'cork')
  for (const [changed, missing] of [
    [without(client, 'getTypeParser', 'readyForQuery'), ['getTypeParser', 'readyForQuery']],
    [withConnection(without(connection, 'sync', 'close')), ['connection.close', 'connection.sync']],
    [withConnection(Object.create(connection, { stream: { value: stream } })), ['connection.stream.cork']],
  ] as const) {
    expect(missingIn(changed)).toEqual(missing)
    expect(isPipelineClient(changed)).toBe(false)
    expect(takesOnlyPlainQueries(changed)).toBe(false)
  }
  expect(missingIn({ query() {} })).toContain('connection.parse')
})

test.each([
  ['`pg` with its own `pipeline`', new pg.Client({ pipeline: true })],
  ['`pg-native`', { native: {}, query() {} }],
])('%s takes only plain queries, whatever its parts are', (_, client) => {
  expect(takesOnlyPlainQueries(client)).toBe(true)
  expect(isPipelineClient(client)).toBe(false)
})
