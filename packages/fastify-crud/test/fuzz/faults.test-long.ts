import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import type { Authorize } from '../../src/access/authorize.ts'
import { accessOptions } from './callers.ts'
import { fuzz } from './fuzz.ts'
import { type Fault, openFuzzService } from './fuzz-service.ts'
import { leaksIn } from './leaks.ts'
import { museumSubject } from './museum-subject.ts'
import { saidOfFault } from './said-of-fault.ts'

const [sqlite] = databases as [TestDatabase]

/** Changes the bodies of answers. */
function answering(change: (body: string, reply: FastifyReply, request: FastifyRequest) => string): Fault {
  const hooks = (app: FastifyInstance) =>
    void app.addHook('onSend', async (request, reply, payload) =>
      typeof payload === 'string' ? change(payload, reply, request) : payload,
    )
  return { hooks }
}

/** Says yes to more than it should. */
function allowing(isAllowed: (action: string) => boolean): Fault {
  const { authorize } = accessOptions(museumSubject.callers)
  const asked: Authorize = (request, question) =>
    isAllowed(question.action) || (authorize as Authorize)(request, question)
  return { options: { authorize: asked } }
}

const inDetail = (words: string) => (body: string) => body.replace('"detail":"', `"detail":"${words} `)

/** Services with a fault each, and what the fuzzer has to say of it. */
const faults: Record<string, readonly [fault: Fault, found: RegExp]> = {
  'a 500': [
    {
      hooks: (app) =>
        void app.addHook('preHandler', async ({ method }) => {
          if (method === 'PATCH') throw new Error('broken')
        }),
    },
    /the status is 5xx/,
  ],
  'a value that the document does not have': [
    answering((body) => body.replace('"pieces":1,', '"pieces":"1",')),
    /must be integer/,
  ],
  'the name of a column': [
    answering((body, { statusCode }) => (statusCode === 409 ? inDetail('zq_donor_name')(body) : body)),
    /the answer says .*zq_/,
  ],
  'a word of the database in a header': [
    answering((body, reply) => {
      if (reply.statusCode === 404) reply.header('x-reason', 'violates a constraint')
      return body
    }),
    /the answer says constraint, violates/,
  ],
  'a change in spite of a refusal': [
    {
      hooks: (app, { db }) =>
        void app.addHook('onSend', async (_request, { statusCode }, payload) => {
          if (statusCode === 409) await db.deleteFrom('zq_item_topics').execute()
          return payload
        }),
    },
    /the database has changed/,
  ],
  'a record that the caller may not see': [
    allowing((action) => action === 'View'),
    /may not (?:do that|see mk-|see '\w+' of a )/,
  ],
  'a change that the caller has no right to': [allowing((action) => action !== 'View'), /may not (?:do that|change)/],
  'a hidden record in an error': [
    answering((body, { statusCode }) => (statusCode === 404 ? inDetail('mk-donor-north-1')(body) : body)),
    /may not see mk-donor-north-1, which is in the answer/,
  ],
  'a refusal that tells a hidden record from one that is not there': [
    answering((body) => body.replace(/there is no (\w+) (\d{1,3})\b/, 'you do not see $1 $2')),
    /without the hidden ids: /,
  ],
  'a write-only value in an error': [
    answering((body, { statusCode }, request) =>
      statusCode === 400
        ? inDetail(/mk-item\.safe-\w+-\d+/.exec(JSON.stringify(request.body ?? ''))?.[0] ?? '')(body)
        : body,
    ),
    /the answer has the write-only mk-item\.safe-/,
  ],
  'a write-only value in the log': [
    { hooks: (app) => void app.addHook('preHandler', async (request) => request.log.info({ body: request.body })) },
    /the log has the write-only mk-/,
  ],
  'a PUT that removes what the caller does not see': [
    {
      hooks: (app, { db }) =>
        void app.addHook('onSend', async ({ method, headers }, { statusCode }, payload) => {
          const isByRegistrar = headers['x-caller'] === 'registrar'
          if (isByRegistrar && method === 'PUT' && statusCode === 200) await db.deleteFrom('zq_item_topics').execute()
          return payload
        }),
    },
    /registrar does not see, and has changed .*zq_item_topics/,
  ],
  'a read-only field that a body has set': [
    answering((body) => body.replace('"entry":"new"', '"entry":"old"')),
    /the read-only 'entry' of a item has been set/,
  ],
  'a field that is not for summaries in one': [
    answering((body) => body.replace('"donor":{', '"donor":{"biography":"mk-donor.biography-north-1",')),
    /the summary 'donor' of a item has mk-donor\.biography/,
  ],
}

for (const [what, [fault, found]] of Object.entries(faults)) {
  test(`the fuzzer finds ${what}`, async () => {
    expect(await saidOfFault(sqlite, museumSubject, fault, found)).toMatch(found)
  })
}

test('the same seed sends the same requests', async () => {
  const counts = []
  for (const _ of [1, 2]) {
    const service = await openFuzzService(sqlite, museumSubject)
    counts.push(await fuzz(service, 7, 100))
    await service.close()
  }
  expect(counts[0]).toEqual(counts[1])
})

test('what a client says itself is no leak', () => {
  expect(leaksIn(400, "there is no query parameter 'select'", 'GET /api/item?select=1')).toEqual([])
  expect(leaksIn(400, "there is no query parameter 'select'", 'GET /api/item?x=1')).toEqual(['select'])
  expect(leaksIn(500, 'Error: x\n    at run (/srv/app.js:3:5)', 'GET /')).toHaveLength(2)
})
