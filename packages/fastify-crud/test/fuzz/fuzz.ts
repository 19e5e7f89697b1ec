import { randomOf } from '../../../../test/storm/random.ts'
import type { Caller } from './callers.ts'
import { isOfHistory, problemsOf } from './check-answer.ts'
import type { FuzzService } from './fuzz-service.ts'
import { knownCursors } from './known-cursors.ts'
import { type KnownIds, knownIds } from './known-ids.ts'
import { markMaker } from './marks.ts'
import { marksThen } from './marks-then.ts'
import { operationsOf } from './operations.ts'
import { pathnameOf } from './pathname-of.ts'
import { type FuzzedRequest, randomRequest } from './random-request.ts'
import { inWords } from './request-in-words.ts'
import { sightOf } from './sight.ts'
import { changesBetween, rowChangesBetween } from './stored-rows.ts'
import { toldApart } from './told-apart.ts'
import { vocabulariesIn } from './vocabulary.ts'

/** How often something was answered, by method and status. */
export type Counts = Map<string, number>

/** Requests before all records are removed: few enough to look through, and each round can be repeated alone. */
export const ROUND = 200
const REQUESTS_SHOWN = 15

/**
 * Sends that many random requests, and checks each answer. The n-th round has the choices of `seed + n`. Throws an error that
 * names the seed of the round, and shows the last requests of it, if an answer is not what it should be.
 */
export async function fuzz(service: FuzzService, seed: number, requests: number): Promise<Counts> {
  const counts: Counts = new Map()
  for (let round = 0; round * ROUND < requests; round += 1) {
    await fuzzRound(service, seed + round, Math.min(ROUND, requests - round * ROUND), counts)
  }
  return counts
}

async function fuzzRound(service: FuzzService, seed: number, requests: number, counts: Counts): Promise<void> {
  const { document, subject } = service
  const { resources, callers } = subject
  const random = randomOf(seed)
  const allIds = knownIds(random)
  // Each organisation mostly asks for what it was shown. What it guesses is mostly not there for it, and finds little.
  const idsOf = new Map(callers.map(({ org }) => [org, knownIds(random)]))
  const idsOfCaller = ({ org }: Caller) => idsOf.get(org) as KnownIds
  const marks = markMaker(resources, random)
  const operations = operationsOf(document)
  // A PUT without a body adds a link.
  const writes = operations.filter(({ body, method }) => body !== undefined || method === 'PUT')
  // Most of what a query can say is about lists.
  const reads = operations.flatMap((one) =>
    one.method !== 'GET' ? [] : one.query.length > 8 ? [one, one, one] : [one],
  )
  const histories = operations.filter(
    ({ template, query }) => template.includes('/$history') || query.some(({ name }) => name === 'at'),
  )
  const kinds = [writes, reads, operations, ...(histories.length > 0 ? [histories, histories] : [])]
  const vocabularies = vocabulariesIn(document)
  const cursors = knownCursors(random)
  const then = marksThen(subject)
  await service.empty()
  await subject.furnish(
    async (path, body, by) => {
      const record = await service.add(path, body, by)
      const adding = callers.find(({ name }) => name === by)
      const learning = adding === undefined ? [...idsOf.values()] : [idsOfCaller(adding)]
      for (const ids of [allIds, ...learning]) ids.learn(path, record)
      return record
    },
    (words, ...place) => `${marks.at(place, callers[0]?.org ?? '')} ${words}`,
  )
  service.takeLog()
  const story: string[] = []
  let before = await service.rows()
  then.learn(before)
  for (let count = 0; count < requests; count += 1) {
    const caller = random.pick(callers) as (typeof callers)[number]
    // Most can go wrong where a body, or a query, says what to do.
    const kind = random.pick(kinds) ?? operations
    const operation = random.pick(kind) as (typeof operations)[number]
    const ids = random.chance(0.2) ? allIds : idsOfCaller(caller)
    const request = randomRequest({ document, random, ids, marks, vocabularies, cursors }, operation, caller)
    const known = service.misfits.length
    const answer = await service.send(request)
    story.push(inWords(request), `  ${answer.status} ${answer.text.slice(0, 1_000)}`)
    const after = await service.rows()
    then.learn(after)
    const misfits = hasEmptySegment(request) ? [] : service.misfits.slice(known)
    const sight = { before: sightOf(subject, caller, before), after: sightOf(subject, caller, after) }
    const outcome = {
      answer,
      changes: changesBetween(before, after),
      rowChanges: rowChangesBetween(before, after),
      log: service.takeLog(),
      sight,
      then,
    }
    const problems = [
      ...problemsOf(resources, request, outcome),
      ...(await toldApart(service, sight.before, request, answer)),
      ...misfits.map((misfit) => misfit.slice(0, 1_000)),
    ]
    // What was asked to compare answers is not the next request's.
    service.takeLog()
    if (problems.length > 0) {
      const shown = story.slice(-2 * REQUESTS_SHOWN).join('\n')
      throw new Error(`FC_SEED=${seed} FUZZ_REQUESTS=${ROUND} shows it again.\n\n${shown}\n\n${problems.join('\n')}`)
    }
    before = after
    const key = `${request.method}${isOfHistory(request.url) ? ' history' : ''} ${answer.status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const path = request.url.split('?')[0] as string
    for (const ids of [allIds, idsOfCaller(caller)]) {
      if (answer.status === 204) ids.forget(path)
      else if (answer.status < 300 && answer.text !== '') ids.learn(path, JSON.parse(answer.text))
    }
    if (answer.status === 200 && answer.text !== '') cursors.learn(caller.name, request.url, JSON.parse(answer.text))
  }
}

/** `/api/book/` is the path of no operation, though its route is that of a record. */
function hasEmptySegment({ url }: FuzzedRequest): boolean {
  return /\/(?:\/|$)/.test(pathnameOf(url))
}
