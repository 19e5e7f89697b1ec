import { randomOf } from '../../../../../test/storm/random.ts'
import type { Caller } from '../../fuzz/callers.ts'
import { askedBy, toldBy } from '../../fuzz/check-answer.ts'
import { type Counts, ROUND } from '../../fuzz/fuzz.ts'
import type { FuzzedAnswer, FuzzService } from '../../fuzz/fuzz-service.ts'
import { knownCursors } from '../../fuzz/known-cursors.ts'
import { type KnownIds, knownIds } from '../../fuzz/known-ids.ts'
import { markMaker, marksIn } from '../../fuzz/marks.ts'
import { operationsOf } from '../../fuzz/operations.ts'
import { type FuzzedRequest, randomRequest } from '../../fuzz/random-request.ts'
import { inWords } from '../../fuzz/request-in-words.ts'
import { vocabulariesIn } from '../../fuzz/vocabulary.ts'
import { changesOfOthers, rowsByTenant } from './rows-by-tenant.ts'
import { FIRMS } from './tenant-subject.ts'

const REQUESTS_SHOWN = 15
const READS = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/**
 * Sends that many random requests of several tenants to a service. The n-th round has the choices of `seed + n`. Throws an error that shows the
 * last requests of the round, if an answer shows something of another tenant, or a row of another one has changed.
 */
export async function fuzzTenants(service: FuzzService, seed: number, requests: number): Promise<Counts> {
  const counts: Counts = new Map()
  for (let round = 0; round * ROUND < requests; round += 1) {
    await fuzzRound(service, seed + round, Math.min(ROUND, requests - round * ROUND), counts)
  }
  return counts
}

async function fuzzRound(service: FuzzService, seed: number, requests: number, counts: Counts): Promise<void> {
  const { document, subject, database } = service
  const { resources, callers } = subject
  const random = randomOf(seed)
  const allIds = knownIds(random)
  const idsOf = new Map([...FIRMS.keys()].map((org) => [org, knownIds(random)]))
  const marks = markMaker(resources, random)
  const operations = operationsOf(document)
  // A PUT without a body adds a link.
  const writes = operations.filter(({ body, method }) => body !== undefined || method === 'PUT')
  const reads = operations.filter(({ method }) => method === 'GET')
  const making = { document, random, marks, vocabularies: vocabulariesIn(document), cursors: knownCursors(random) }
  const written = new Map([...FIRMS.keys()].map((org) => [org, new Set<string>()]))
  const note = ({ org }: Caller, text: string) => {
    for (const { text: mark } of marksIn(text)) written.get(org)?.add(mark)
  }
  await addTenants(service)
  for (const org of FIRMS.keys()) {
    await subject.furnish(
      async (path, body) => {
        const record = await service.add(path, body, org)
        for (const ids of [allIds, idsOf.get(org)]) ids?.learn(path, record)
        return record
      },
      (words, ...place) => `${marks.at(place, org)} ${words}`,
    )
  }
  const story: string[] = []
  let before = await rowsByTenant(database, resources)
  for (let count = 0; count < requests; count += 1) {
    const caller = random.pick(callers) as Caller
    const operation = random.pick(random.pick([writes, reads, operations]) ?? operations) as (typeof operations)[number]
    const own = idsOf.get(caller.org) as KnownIds
    const ids = random.chance(0.3) ? allIds : own
    const request = randomRequest({ ...making, ids }, operation, caller)
    const isRead = READS.includes(request.method)
    if (!isRead && typeof request.payload === 'string') note(caller, request.payload)
    const answer = await service.send(request)
    story.push(inWords(request), `  ${answer.status} ${answer.text.slice(0, 1_000)}`)
    const problems = [...foreignMarks(request, answer, written.get(caller.org)), ...(await service.scattered())]
    if (answer.status >= 500)
      problems.push('the status is 5xx', ...service.takeLog().filter((line) => line.includes('"err":')))
    if (!isRead || count === requests - 1) {
      const after = await rowsByTenant(database, resources)
      problems.push(...changesOfOthers(before, after, String(FIRMS.get(caller.org))))
      before = after
    }
    service.takeLog()
    if (problems.length > 0) {
      const shown = story.slice(-2 * REQUESTS_SHOWN).join('\n')
      throw new Error(`FC_SEED=${seed} FUZZ_REQUESTS=${ROUND} shows it again.\n\n${shown}\n\n${problems.join('\n')}`)
    }
    const key = `${request.method} ${answer.status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    learn(request, answer, [allIds, own])
    if (answer.status === 200 && answer.text !== '')
      making.cursors.learn(caller.name, request.url, JSON.parse(answer.text))
  }
}

async function addTenants({ database }: FuzzService): Promise<void> {
  const { db } = database
  await database.empty()
  await db
    .insertInto('zq_firms')
    .values([...FIRMS].map(([name, id]) => ({ zq_firm_no: id, zq_firm_name: name })))
    .execute()
  await db.insertInto('zq_lands').values({ id: 'AT', zq_land_name: 'Austria' }).execute()
}

/** The marks of other tenants in an answer, but for those that the caller's has written itself, or that an error repeats. */
function foreignMarks(
  request: FuzzedRequest,
  answer: FuzzedAnswer,
  written: ReadonlySet<string> | undefined,
): string[] {
  const asked = answer.status >= 400 ? askedBy(request) : ''
  const foreign = marksIn(toldBy(answer)).filter(
    ({ org, text }) => org !== request.caller.org && written?.has(text) !== true && !asked.includes(text),
  )
  return foreign.map(({ text }) => `${request.caller.name} gets ${text}`)
}

function learn({ url }: FuzzedRequest, { status, text }: FuzzedAnswer, all: readonly KnownIds[]): void {
  const path = url.split('?')[0] as string
  for (const ids of all) {
    if (status === 204) ids.forget(path)
    else if (status < 300 && text !== '') ids.learn(path, JSON.parse(text))
  }
}
