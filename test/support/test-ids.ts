import { defineResources, type IdDeclaration, type Model } from 'fastify-crud'
import { type Id, kindOf, kindsByName } from './id-kinds.ts'

// The tests of the contract hold for ids of every kind, and for models that mix them. TEST_IDS is the kind in models that say nothing of ids:
// `integer` (default), `bigint`, `uuid`, `text`, `mixed`, where each resource has a kind of its own, or `client`, where the
// client gives them (`give-ids.ts`).

/** What tests say of the ids of a resource. */
export interface TestIds {
  /** What its descriptor says. */
  declared(resource: string): IdDeclaration
  /** An id that no record has. */
  missingId(resource: string): Id
  /** Others, as large as ids get: columns may have no room for them. */
  largeIds(resource: string): readonly Id[]
  /** Equals any id, in `toEqual` and its like. */
  readonly anyId: unknown
  /** An id for a test to choose: no record has it, and it is greater than those that records have. */
  chosenId(resource: string): Id
  /** An id for a test to choose that is just behind this one, which is the last: where the database counts, the next one. */
  nextId(resource: string, id: Id): Id
  /** Whether it is an id of the kind that this resource has. */
  isIdOf(resource: string, id: unknown): boolean
  /** Where the client gives ids: one for its next record. */
  givenId(resource: string): Id | undefined
  /** Values in bodies that are no ids, and nearly this one. */
  noIds(resource: string, id: Id): readonly unknown[]
}

/** Of the kind that TEST_IDS names. */
const chosen = process.env.TEST_IDS ?? 'integer'

export const testIds: TestIds = idsOfKind(chosen)

export const { missingId, largeIds, anyId, chosenId, isIdOf, givenId, noIds } = testIds

/** Whether the tests' client gives the ids of new records, at any depth. An element with an unknown id is new then. */
export const clientGivesIds = givenId('any') !== undefined

/** The body of a new record for a store: with an id if the client gives it. */
export function withGivenId<Body extends object>(resource: string, body: Body): Body {
  const id = givenId(resource)
  return id === undefined ? body : { id, ...body }
}

/** The refusal of an element whose id is that of a record which is no child of this owner. */
export const codeOfForeignId = clientGivesIds ? 'CRUD_ERR_EXISTS' : 'CRUD_ERR_UNKNOWN_REFERENCE'

/** In a path, this is no id of any kind. */
export const noIdInPath = '%00'

/**
 * The model with ids of the kind that TEST_IDS names, unless it says itself what any of its ids are, or mixes them in one table. `buildApp` takes
 * all models so: a test that also makes a store of its model says it.
 */
export function withTestIds<Tested extends Model>(model: Tested): Tested {
  const descriptors = Object.entries(model.descriptors)
  const says = descriptors.some(([, { id }]) => id !== undefined)
  const tables = new Set(descriptors.map(([key, { table }]) => table ?? key))
  const mixesInOne =
    tables.size < descriptors.length && new Set(descriptors.map(([key]) => testIds.declared(key))).size > 1
  return says || mixesInOne || chosen === 'integer' ? model : withIds(model, testIds.declared)
}

/** The model for tests about integers. */
export function withIntegerIds<Tested extends Model>(model: Tested): Tested {
  return withIds(model, () => 'integer')
}

/** The model for tests that send bodies as text, which have no ids: where clients give them, it has integers that the database assigns. */
export function withAssignedIds<Tested extends Model>(model: Tested): Tested {
  return clientGivesIds ? withIntegerIds(model) : model
}

export function withIds<Tested extends Model>(
  { descriptors, tenant }: Tested,
  idOf: (resource: string) => IdDeclaration,
): Tested {
  const entries = Object.entries(descriptors).map(([key, one]) => [key, { ...one, id: idOf(key) }])
  const options = tenant === undefined ? {} : { tenant }
  return defineResources(Object.fromEntries(entries), options as never) as Model as Tested
}

export function idsOfKind(name: string): TestIds {
  const kinds = kindsByName[name]
  if (kinds === undefined) throw new Error(`TEST_IDS: must be one of ${Object.keys(kindsByName).join(', ')}`)
  const of = (resource: string) => kindOf(resource, kinds)
  let choices = 0
  return {
    declared: (resource) => of(resource).declared,
    missingId: (resource) => of(resource).nth(0),
    largeIds: (resource) => of(resource).largeIds,
    anyId: { asymmetricMatch: (id: unknown) => kinds.some(({ isOne }) => isOne(id)), toString: () => 'an id' },
    chosenId(resource) {
      // The sequence of the database goes on behind a choice: there has to be room for other records of the test.
      choices += 1_000
      return of(resource).nth(choices)
    },
    nextId: (resource, id) => of(resource).nextId(id),
    isIdOf: (resource, id) => of(resource).isOne(id),
    givenId: (resource) => of(resource).given?.(),
    noIds: (resource, id) => [...of(resource).noIds(id), '', true, {}, [id], { id }],
  }
}
