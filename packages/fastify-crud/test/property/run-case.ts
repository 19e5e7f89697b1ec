import { isDeepStrictEqual } from 'node:util'
import type { Descriptors } from 'fastify-crud'
import { databases } from '../../../../test/support/databases.ts'
import { rowVersions, type Snapshot } from '../../../../test/support/tables.ts'
import { addressesOf } from './addresses.ts'
import { comparable, compareAnswer, compareRecord } from './answers.ts'
import { checkHiddenMarks, checkPreviewMarks } from './hidden-marks.ts'
import { type CompareHidden, compareHiddenOf, setsHidden } from './hidden-values.ts'
import { idKindsOf, isCounted } from './id-kinds.ts'
import type { SideId } from './id-map.ts'
import { TENANTS } from './in-tenants.ts'
import { isObject, own } from './json.ts'
import { modelOf } from './model-of.ts'
import { renumber } from './places.ts'
import { type Access, type Caller, policiesIn } from './policy-spec.ts'
import type { FreshId } from './random-requests.ts'
import { Reference } from './reference.ts'
import type { Answer, Request } from './reference-answer.ts'
import { type RefModel, readDescriptors, resourceOf } from './reference-model.ts'
import { isAtTop } from './reference-path.ts'
import { rowsOf } from './reference-store.ts'
import { pathOf, type Setting, Side, type SideAnswer } from './side.ts'
import { compareStored } from './stored.ts'

/** How often something was answered, by method and status. */
export type Counts = Map<string, number>

const STEPS_BETWEEN_CHECKS = 10

/** What is sent next; `undefined` if nothing is. */
export type NextRequest = (worlds: readonly World[], index: number) => Request | undefined

/** What one tenant knows: all that there is, where there are no tenants. */
export interface World {
  readonly reference: Reference
  readonly sides: Side[]
  readonly freshId: FreshId
}

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
  given: Access | undefined,
  next: NextRequest,
  counts: Counts,
): Promise<void> {
  const { ids = 0, tenants } = setting
  const resources = modelOf(descriptors, setting)
  const kindOf = idKindsOf(descriptors, ids)
  const model = readDescriptors(descriptors, kindOf)
  // The id of a record that is gone may be that of a new one, where it is the owner's: no caller is asked for such ids.
  const isReused = (resource: string) => kindOf(resource).below === "the owner's ids"
  const access = given && {
    policies: policiesIn(model, given.policies),
    callers: given.callers.map((one) => withoutIdsOf(one, isReused)),
  }
  const compareHidden = compareHiddenOf(descriptors, kindOf, setting)
  // One counter serves all tenants.
  const refusesChoice = (resource: string) => tenants !== undefined && isCounted(kindOf(resource))
  const keeps = [...resources.resources.values()].flatMap(({ key, softDelete }) => (softDelete ? [key] : []))
  const worlds = (tenants === undefined ? [undefined] : TENANTS).map(() => {
    return newWorld(new Reference(model, access, refusesChoice, keeps, setting.keepsDeleted === 'in a trash'))
  })
  const compareWorlds = async (index: number) => {
    const caller = access && index % access.callers.length
    for (const { reference, sides } of worlds) await compareAll(reference, sides, compareHidden, caller)
  }
  try {
    for (const database of databases) {
      const opened = await Side.open(database, resources, model, access, setting, kindOf)
      for (const [index, side] of opened.entries()) worlds[index]?.sides.push(side)
    }
    for (let index = 0; ; index += 1) {
      const request = next(worlds, index)
      if (request === undefined || index % STEPS_BETWEEN_CHECKS === 0) await compareWorlds(index)
      if (request === undefined) {
        await onEach(worlds[0]?.sides ?? [], (side) => side.undoAll())
        return
      }
      const { reference, sides } = worlds[request.tenant ?? 0] as World
      const answer = await step(reference, sides, request, setting.uniquePlaces)
      const key = keyOf(model, request, answer)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  } finally {
    await Promise.all((worlds[0]?.sides ?? []).map((side) => side.close()))
  }
}

function withoutIdsOf({ values, ...caller }: Caller, isReused: (resource: string) => boolean): Caller {
  const entries = Object.entries(values).map(([name, one]) => {
    return [name, one.idOf !== undefined && isReused(one.idOf) ? { value: null, idOf: undefined } : one] as const
  })
  return { ...caller, values: Object.fromEntries(entries) }
}

function newWorld(reference: Reference): World {
  const sides: Side[] = []
  const freshId: FreshId = (resource, distance) => {
    const highest = sides.map(({ ids }) => ids.highest(resource))
    return Math.max(reference.state.lastId.get(resource) ?? 0, ...highest) + 1 + distance
  }
  return { reference, sides, freshId }
}

function keyOf(model: RefModel, { method, address, link, caller, body, trash, act }: Request, answer: Answer): string {
  const isEmpty = answer.status !== 204 && !('code' in answer) && !('body' in answer) && !('value' in answer)
  const said = 'code' in answer ? answer.code : `${answer.status}${isEmpty ? ' without body' : ''}`
  const marks = MARKS.filter((mark) => JSON.stringify(body)?.includes(mark))
  const parts = [
    method,
    ...(trash ? [trash] : []),
    ...(act ? [act] : []),
    ...(link ? ['of a link'] : []),
    ...(isAtTop(model, address) ? ['at the top'] : []),
    ...marks,
  ]
  return `${parts.join(' ')} ${said}${caller === undefined ? '' : ' to a caller'}`
}

/** What a body may say besides values. */
const MARKS = ['$add', '$remove', '$before']

async function step(reference: Reference, sides: readonly Side[], request: Request, isUnique = false): Promise<Answer> {
  const { renumbered } = request
  if (renumbered !== undefined) {
    await onEach(sides, (side) => renumber(reference.model, side, renumbered, isUnique))
  }
  const before = reference.state
  const seen = reference.seenBy(request.caller)
  const expected = reference.send(request)
  const isNothing = isDeepStrictEqual(before, reference.state) && !setsHidden(reference.model, request)
  const versions = isNothing ? await versionsOf(sides, request) : NO_VERSIONS
  const answers = new Map<Side, SideAnswer>()
  await onEach(sides, async (side) => answers.set(side, await side.send(reference.model, request)))
  await learnPlace(reference, sides, answers)
  const { written } = reference
  await onEach([...answers.keys()], async (side) => {
    const answer = answers.get(side)
    if (answer === undefined) return
    if (written !== undefined && answer.status < 400) await compareWritten(reference, side, request, answer)
    compareAnswer(reference.model, expected, answer, side.ids)
    checkHiddenMarks(reference.model, before, seen, request, answer)
    const isSeenAfter = reference.seenBy(request.caller)
    checkPreviewMarks(reference.model, before, [seen, isSeenAfter], request, answer.preview)
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
async function versionsOf(sides: readonly Side[], { method, act }: Request): Promise<ReadonlyMap<Side, Snapshot>> {
  const versions = new Map<Side, Snapshot>()
  if (method !== 'PATCH' && act === undefined) return versions
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

/** Where nothing says to which place a record comes back, one database tells, and the others have to agree. */
async function learnPlace(
  { model, state, unsure }: Reference,
  sides: readonly Side[],
  answers: ReadonlyMap<Side, SideAnswer>,
): Promise<void> {
  const [side] = sides
  if (side === undefined || unsure === undefined || answers.get(side)?.status !== 200) return
  const { source, owner, owns } = unsure
  const resource = resourceOf(model, source)
  const row = rowsOf(state, source).get(owner)
  const [address] = row === undefined ? [] : addressesOf(model, state, resource, row)
  if (address === undefined) throw new Error(`there is no ${source} ${owner}`)
  const { length } = side.log
  const { body } = await side.read(pathOf(model, address, side.ids))
  side.log.length = length
  const elements = isObject(body) ? own(body, owns.name) : undefined
  const ids = (Array.isArray(elements) ? elements : []).map((element) => {
    return isObject(element) ? side.ids.toReference(owns.target, element.id as SideId) : undefined
  })
  try {
    unsure.learn(ids.map(Number))
  } catch (error) {
    throw new Difference(sides, [`on ${side.name}: ${error instanceof Error ? error.message : error}`])
  }
}

/** What was written is there: where `Location` says, or where it was written. Learns the ids of new records. */
async function compareWritten(reference: Reference, side: Side, request: Request, answer: SideAnswer): Promise<void> {
  const { model, written } = reference
  const showsAll = request.caller === undefined && !side.showsLess
  if (written === undefined || (answer.status !== 201 && showsAll)) return
  const length = side.log.length
  const isNew = answer.status === 201
  const url = isNew
    ? String(answer.headers.location)
    : pathOf(model, { ...request.address, id: Number(written.body.id) }, side.ids)
  const found = await side.read(url)
  if (found.status !== 200) throw new Error(`${url}, which was written, answers ${found.status}`)
  compareRecord(model, written.resource, written.body, found.body ?? null, side.ids)
  side.log.length = length
}

async function compareLists(reference: Reference, sides: readonly Side[], caller: number | undefined): Promise<void> {
  for (const { isRoot, isTop, route: segment } of reference.model.resources.values()) {
    if (!isRoot && !isTop) continue
    const address = { owners: [], segment, id: undefined }
    await step(reference, sides, { method: 'GET', address, query: { limit: '100' }, body: undefined, caller })
  }
}

/** Everything that the service shows, also to one of the callers, and that the tables hold. */
async function compareAll(
  reference: Reference,
  sides: readonly Side[],
  compareHidden: CompareHidden | undefined,
  caller: number | undefined,
): Promise<void> {
  const lengths = new Map(sides.map((side) => [side, side.log.length]))
  await compareLists(reference, sides, undefined)
  if (caller !== undefined) await compareLists(reference, sides, caller)
  await onEach(sides, (side) => compareStored(reference.model, reference.state, side))
  if (compareHidden !== undefined) await onEach(sides, (side) => compareHidden(side, reference.state))
  // The requests that only look are told only if they differ.
  for (const [side, length] of lengths) side.log.length = length
}
