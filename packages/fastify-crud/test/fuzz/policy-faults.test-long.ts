import { expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { archivePolicies } from './archive-policies.ts'
import { archiveSubject } from './archive-subject.ts'
import type { Fault } from './fuzz-service.ts'
import { saidOfFault } from './said-of-fault.ts'

const [sqlite] = databases as [TestDatabase]

/** The policies with another one for some resources. */
function policies(others: object): Fault {
  return { options: { policies: { ...archivePolicies, ...others } } }
}

/** Changes the bodies of answers. */
function answering(change: (body: string, status: number, caller: string) => string): Fault {
  return {
    hooks: (app) =>
      void app.addHook('onSend', async ({ headers }, { statusCode }, payload) =>
        typeof payload === 'string' ? change(payload, statusCode, String(headers['x-caller'])) : payload,
      ),
  }
}

/** Services with a fault each in who may see and do what, and what the fuzzer has to say of it. */
const faults: Record<string, readonly [fault: Fault, found: RegExp]> = {
  'a policy that does not ask who the caller is': [
    policies({ piece: true }),
    /does not see \w+ \d+, which is in the answer|sees \d+ at \/api\/piece, and|may not \w+ a |without the hidden rows/,
  ],
  'a policy of owned records that is missing': [
    policies({ loan: undefined }),
    /sees 'loans' of piece|(?:does not see|may not \w+ a) (?:loan|stamp)|without the hidden (?:ids: .*\/loan|rows)/,
  ],
  'a policy that lets others write': [
    policies({ person: { ...(archivePolicies.person as object), Edit: true, Delete: true } }),
    /may not (?:change|delete) a person/,
  ],
  'a policy that does not ask for the row as it is stored': [
    policies({ place: { View: archivePolicies.place, Add: true, Edit: true, Delete: true } }),
    /may not (?:change|add|delete) a place/,
  ],
  'a field in the answer to a caller without its role': [
    answering((body, status, caller) =>
      status < 300 && caller !== 'northern' && caller !== 'southern'
        ? body.replace('"code":', '"worth":"9","code":')
        : body,
    ),
    /(?:helper|sender|giver|clerk) may not see 'worth' of a piece/,
  ],
  'a hidden value in an error': [
    answering((body, status, caller) =>
      status === 404 && caller === 'southern' ? body.replace('"detail":"', '"detail":"mk-piece-north-7 ') : body,
    ),
    /southern may not see mk-piece-north-7, which is in the answer/,
  ],
  'a count of all records': [
    answering((body, status) => (status === 200 ? body.replace(/"count":\d+/, '"count":99') : body)),
    /sees \d+ at \S+, and 99 are counted/,
  ],
  'an error that counts hidden records': [
    answering((body) => body.replace(/still needed by \d+/, 'still needed by 99')),
    /sees \d+ \w+, and the error says 'still needed by 99/,
  ],
  'a refusal that tells a hidden record from one that is not there': [
    answering((body) => body.replace(/there is no (\w+) (\d{1,3})\b/, 'you do not see $1 $2')),
    /without the hidden ids: /,
  ],
  'a filter that tells whether hidden records match it': [
    {
      hooks: (app, { db }) =>
        void app.addHook('onSend', async ({ url }, reply, payload) => {
          const [mark] = /mk-person-\w+-\d+/.exec(url) ?? []
          if (mark === undefined || !url.includes('filter')) return payload
          const all = await db.selectFrom('zq_persons').select('zq_person_name as name').execute()
          reply.header('x-matches', all.filter(({ name }) => String(name).startsWith(mark)).length)
          return payload
        }),
    },
    /without the hidden rows and fields:/,
  ],
  'a list in the order of a field that the caller does not see': [
    {
      hooks: (app, { db }) =>
        void app.addHook('onSend', async ({ method, url }, { statusCode }, payload) => {
          const isList = method === 'GET' && statusCode === 200 && /^\/api\/piece(?:\?|$)/.test(url)
          if (!isList || typeof payload !== 'string') return payload
          const page = JSON.parse(payload)
          const all = await db.selectFrom('zq_pieces').select(['zq_piece_no as id', 'zq_worth as worth']).execute()
          const worthOf = ({ id }: { id: number }) => String(all.find((one) => one.id === id)?.worth)
          page.rows.sort((one: { id: number }, other: { id: number }) => worthOf(other).localeCompare(worthOf(one)))
          return JSON.stringify(page)
        }),
    },
    /without the hidden rows and fields:/,
  ],
  'a refusal that tells a hidden field from one that is not there': [
    answering((body) => body.replace(/a piece has no 'worth'/, "a piece has no 'worth' for you")),
    /without the hidden names: /,
  ],
  'a cursor that holds what the caller does not see': [
    answering((body, _status, caller) =>
      caller === 'southern'
        ? body.replace(/"next":"[\w-]+"/, `"next":"${Buffer.from('["mk-piece-north-7",1]').toString('base64url')}"`)
        : body,
    ),
    /southern may not see mk-piece-north-7, which is in the answer/,
  ],
  'a PUT that removes what the caller does not see': [
    {
      hooks: (app, { db }) =>
        void app.addHook('onSend', async ({ method }, { statusCode }, payload) => {
          if (method === 'PUT' && statusCode === 200) await db.deleteFrom('zq_piece_topics').execute()
          return payload
        }),
    },
    /does not see the topic of the link that it has changed/,
  ],
}

for (const [what, [fault, found]] of Object.entries(faults)) {
  test(`the fuzzer finds ${what}`, async () => {
    expect(await saidOfFault(sqlite, archiveSubject, fault, found)).toMatch(found)
  })
}
