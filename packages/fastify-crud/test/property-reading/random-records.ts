import { addressesOf, collectionsOf } from '../property/addresses.ts'
import type { JsonObject } from '../property/json.ts'
import { type Maker, newBody } from '../property/random-bodies.ts'
import type { Reference } from '../property/reference.ts'
import type { Request } from '../property/reference-answer.ts'
import type { RefResource } from '../property/reference-model.ts'
import { type Row, rowsOf } from '../property/reference-store.ts'
import type { Tape } from '../property/tape.ts'

const HIGHEST_ID = 2_000_000_000

/**
 * Requests that make records under ids of their own, so that these are the same on every database, and then set references
 * and links that a first record cannot have. The reference has them already when this returns.
 */
export function randomRecords(reference: Reference, tape: Tape): Request[] {
  const sent: Request[] = []
  const send = (request: Request | undefined): void => {
    if (request !== undefined && reference.send(request).status < 300) sent.push(request)
  }
  const resources = [...reference.model.resources.values()]
  const [popular] = tape.shuffled(resources)
  const count = 15 + tape.upTo(45)
  for (let made = 0; made < count; made += 1) {
    // Each has one, if it can; then most are of one resource, so that there are several pages of them.
    const resource = resources[made] ?? (tape.once(2) ? popular : tape.of(resources))
    if (resource !== undefined) send(newRecord(reference, resource, tape))
  }
  for (let changed = tape.upTo(12); changed > 0; changed -= 1) send(newReference(reference, tape))
  return sent
}

function makerOf({ model, state, requests }: Reference, tape: Tape): Maker {
  return { model, state, tape, taken: new Set(), number: requests, marks: 0 }
}

function newRecord(reference: Reference, resource: RefResource, tape: Tape): Request | undefined {
  const { model, state } = reference
  const collection = tape.of(collectionsOf(model, state, resource).filter(({ isTaken }) => !isTaken))
  const body = newBody(makerOf(reference, tape), resource)
  if (collection === undefined || body === undefined) return undefined
  const id = freeId(reference, resource, tape)
  return { method: 'POST', address: { ...collection.address, id }, query: {}, body: withoutOwned(resource, body) }
}

/** A record that is owned gets an id of its own, too. */
function withoutOwned(resource: RefResource, body: JsonObject): JsonObject {
  const isOwned = (name: string): boolean => resource.owns.some((owns) => owns.name === name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isOwned(name)))
}

function freeId({ state }: Reference, { key }: RefResource, tape: Tape): number {
  const taken = rowsOf(state, key)
  const start = tape.once(12) ? HIGHEST_ID - tape.upTo(50) : 1 + tape.upTo(60)
  const step = start > 60 ? -1 : 1
  let id = start
  while (taken.has(id)) id += step
  return id
}

/** A reference or a link of a record to any other, also to itself or to one that was made later. */
function newReference(reference: Reference, tape: Tape): Request | undefined {
  const { model, state } = reference
  const resource = tape.of([...model.resources.values()])
  const row = resource && tape.of<Row>([...rowsOf(state, resource.key).values()])
  const relation = resource && tape.of([...resource.references, ...resource.links])
  if (resource === undefined || row === undefined || relation === undefined) return undefined
  const target = tape.of([...rowsOf(state, relation.target).keys()])
  const address = tape.of(addressesOf(model, state, resource, row))
  if (target === undefined || address === undefined) return undefined
  const body = 'foreignKey' in relation ? { [relation.foreignKey]: target } : { [relation.name]: [{ id: target }] }
  return { method: 'PATCH', address, query: {}, body }
}
