import { isDeepStrictEqual } from 'node:util'
import { type Descriptors, defineResources } from 'fastify-crud'
import { databases } from '../../../../test/support/databases.ts'
import { rowVersions, type Snapshot } from '../../../../test/support/tables.ts'
import { comparable, compareAnswer, compareRecord } from './answers.ts'
import { type CompareHidden, compareHiddenOf, setsHidden } from './hidden-values.ts'
import type { FreshId } from './random-requests.ts'
import { Reference } from './reference.ts'
import type { Answer, Request } from './reference-answer.ts'
import { readDescriptors } from './reference-model.ts'
import { type Setting, Side, type SideAnswer } from './side.ts'
import { compareStored } from './stored.ts'

/** How often something was answered, by method and status. */
export type Counts = Map<string, number>

const STEPS_BETWEEN_CHECKS = 10

/** What is sent next; `undefined` if nothing is. */
export type NextRequest = (reference: Reference, freshId: FreshId, index: number) => Request | undefined

/** An answer, or something stored, that is not what the documentation says. */
export class Difference extends Error {
  /** The requests that led to it, as they were sent to the database that differs. */
  readonly story: string

  constructor(sides: readonly Side[], differences: readonly string[]) {
    super(differences.join('\n'))
    const first = sides.find(({ name }) => this.message.includes(`on ${name}`))
    this.story = `${first?.log.join('\n')}\n\n${this.message}`
  }
}

/**
 * Sends the same requests to the service on both databases and to the reference, and compares them at each step.
 *
 * @throws Difference
 */
export async function runCase(
  descriptors: Descriptors,
  setting: Setting,
  next: NextRequest,
  counts: Counts,
): Promise<void> {
  const resources = defineResources(descriptors)
  const reference = new Reference(readDescriptors(descriptors))
  const compareHidden = compareHiddenOf(descriptors)
  const sides: Side[] = []
  const freshId: FreshId = (resource, distance) => {
    const highest = sides.map(({ ids }) => ids.highest(resource))
    return Math.max(reference.state.lastId.get(resource) ?? 0, ...highest) + 1 + distance
  }
  try {
    for (const database of databases) sides.push(await Side.open(database, resources, setting))
    for (let index = 0; ; index += 1) {
      const request = next(reference, freshId, index)
      if (request === undefined || index % STEPS_BETWEEN_CHECKS === 0) await compareAll(reference, sides, compareHidden)
      if (request === undefined) return
      const answer = await step(reference, sides, request)
      const key = `${request.method} ${'code' in answer ? answer.code : answer.status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  } finally {
    await Promise.all(sides.map((side) => side.close()))
  }
}

async function step(reference: Reference, sides: readonly Side[], request: Request): Promise<Answer> {
  const before = reference.state
  let expected = reference.send(request)
  const isNothing = isDeepStrictEqual(before, reference.state) && !setsHidden(reference.model, request)
  const versions = isNothing ? await versionsOf(sides, request) : NO_VERSIONS
  const answers = new Map<Side, SideAnswer>()
  await onEach(sides, async (side) => answers.set(side, await side.send(reference.model, request)))
  if (reference.mayBeRefused && [...answers.values()].every(({ status }) => status === 409)) {
    expected = { status: 409, code: 'CRUD_ERR_NOT_UNIQUE', pointers: undefined }
    reference.state = before
  }
  await onEach([...answers.keys()], async (side) => {
    const answer = answers.get(side)
    if (answer === undefined) return
    compareAnswer(reference.model, expected, answer, side.ids)
    if (answer.status === 201) await compareLocation(reference, side, expected, answer)
    if (!isNothing || answer.status >= 400) return
    const version = versions.get(side)
    if (version === undefined) {
      if (answer.writes.length > 0) throw new Error(`expected no write, but: ${answer.writes.join('\n')}`)
    } else if (!isDeepStrictEqual(await rowVersions(side.database.db), version)) {
      throw new Error(`expected that no row is written, but there was one: ${answer.writes.join('\n')}`)
    }
  })
  const told = [...answers].map(([{ name }, answer]) => `on ${name}: ${comparable(answer)}`)
  if (new Set([...answers.values()].map(comparable)).size > 1) throw new Difference(sides, told)
  return expected
}

const NO_VERSIONS: ReadonlyMap<Side, Snapshot> = new Map()

/** On PostgreSQL a PATCH may be an UPDATE that finds nothing to change: what tells then are the rows themselves. */
async function versionsOf(sides: readonly Side[], { method }: Request): Promise<ReadonlyMap<Side, Snapshot>> {
  const versions = new Map<Side, Snapshot>()
  if (method !== 'PATCH') return versions
  for (const side of sides) if (side.name === 'postgres') versions.set(side, await rowVersions(side.database.db))
  return versions
}

/** Does something on both databases, and then says what went wrong on which. */
async function onEach(sides: readonly Side[], run: (side: Side) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(sides.map(run))
  const differences = results.flatMap((result, index) => {
    if (result.status === 'fulfilled') return []
    const reason: unknown = result.reason
    return [`on ${sides[index]?.name}: ${reason instanceof Error ? reason.message : String(reason)}`]
  })
  if (differences.length > 0) throw new Difference(sides, differences)
}

/** What `Location` names is the record that was made. */
async function compareLocation(reference: Reference, side: Side, expected: Answer, answer: SideAnswer): Promise<void> {
  const length = side.log.length
  const location = String(answer.headers.location)
  const found = await side.request('GET', location)
  if (found.status !== 200) throw new Error(`the location ${location} answers ${found.status}`)
  if (!('body' in expected)) return
  compareRecord(reference.model, expected.resource, expected.body, found.body ?? null, side.ids)
  side.log.length = length
}

/** Everything that the service shows and that the tables hold. */
async function compareAll(
  reference: Reference,
  sides: readonly Side[],
  compareHidden: CompareHidden | undefined,
): Promise<void> {
  const lengths = new Map(sides.map((side) => [side, side.log.length]))
  for (const { isRoot, route: segment } of reference.model.resources.values()) {
    if (!isRoot) continue
    const address = { owners: [], segment, id: undefined }
    await step(reference, sides, { method: 'GET', address, query: { limit: '100' }, body: undefined })
  }
  await onEach(sides, (side) => compareStored(reference.model, reference.state, side.database.db, side.ids))
  if (compareHidden !== undefined) await onEach(sides, (side) => compareHidden(side, reference.state))
  // The requests that only look are told only if they differ.
  for (const [side, length] of lengths) side.log.length = length
}
