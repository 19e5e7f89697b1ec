import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { museum } from '../contract/models/museum.ts'
import { furnishMuseum } from './furnish-museum.ts'
import { fuzz } from './fuzz.ts'
import { openFuzzService } from './fuzz-service.ts'
import { leaksIn } from './leaks.ts'

const [sqlite] = databases as [TestDatabase]

/** Services with a fault each, and what the fuzzer has to say of it. */
const faults: Record<string, [fault: (app: FastifyInstance, database: OpenDatabase) => void, found: RegExp]> = {
  'a 500': [
    (app) =>
      app.addHook('preHandler', async ({ method }) => {
        if (method === 'PATCH') throw new Error('broken')
      }),
    /the status is 5xx/,
  ],
  'a value that the document does not have': [
    (app) =>
      app.addHook('onSend', async (_request, _reply, payload) =>
        typeof payload === 'string' ? payload.replace('"pieces":1,', '"pieces":"1",') : payload,
      ),
    /must be integer/,
  ],
  'the name of a column': [
    (app) =>
      app.addHook('onSend', async (_request, { statusCode }, payload) =>
        statusCode === 409 ? String(payload).replace('"detail":"', '"detail":"zq_donor_name ') : payload,
      ),
    /the answer says .*zq_/,
  ],
  'a word of the database in a header': [
    (app) =>
      app.addHook('onSend', async (_request, reply, payload) => {
        if (reply.statusCode === 404) reply.header('x-reason', 'violates a constraint')
        return payload
      }),
    /the answer says constraint, violates/,
  ],
  'a change in spite of a refusal': [
    (app, { db }) =>
      app.addHook('onSend', async (_request, { statusCode }, payload) => {
        if (statusCode === 409) await db.deleteFrom('zq_item_topics').execute()
        return payload
      }),
    /the database has changed/,
  ],
}

for (const [what, [fault, found]] of Object.entries(faults)) {
  test(`the fuzzer finds ${what}`, async () => {
    const service = await openFuzzService(sqlite, museum, fault)
    try {
      await expect(fuzz(service, furnishMuseum, 1, 1_000)).rejects.toThrow(found)
    } finally {
      await service.close()
    }
  })
}

test('the same seed sends the same requests', async () => {
  const counts = []
  for (const _ of [1, 2]) {
    const service = await openFuzzService(sqlite, museum)
    counts.push(await fuzz(service, furnishMuseum, 7, 100))
    await service.close()
  }
  expect(counts[0]).toEqual(counts[1])
})

test('what a client says itself is no leak', () => {
  expect(leaksIn(400, "there is no query parameter 'select'", 'GET /api/item?select=1')).toEqual([])
  expect(leaksIn(400, "there is no query parameter 'select'", 'GET /api/item?x=1')).toEqual(['select'])
  expect(leaksIn(500, 'Error: x\n    at run (/srv/app.js:3:5)', 'GET /')).toHaveLength(2)
})
