import { defineResources, type IdDeclaration, type Model } from 'fastify-crud'
import { expect } from 'vitest'

// The tests of the contract hold for ids of every kind. TEST_IDS is the kind in models that say nothing of ids: `integer` (default), `bigint`,
// `uuid` or `text`.

type Id = string | number

/** What tests say of ids of a kind. */
export interface TestIds {
  /** What descriptors say. */
  readonly declared: IdDeclaration
  /** An id that no record has. */
  readonly missingId: Id
  /** Others, as large as ids get: columns may have no room for them. */
  readonly largeIds: readonly Id[]
  /** Equals any id, in `toEqual` and its like. */
  readonly anyId: unknown
  /** An id for a test to choose: no record has it, and it is greater than those that records have. */
  chosenId(): Id
  /** An id for a test to choose that is just behind this one, which is the last: where the database counts, the next one. */
  nextId(id: Id): Id
  /** Values in bodies that are no ids, and nearly this one. */
  noIds(id: Id): readonly unknown[]
}

interface TestKind extends Omit<TestIds, 'missingId' | 'chosenId'> {
  /** Ids that ascend, and that no new record gets by itself. */
  nth(n: number): Id
}

/** Above what tests can use up of a sequence. */
const HIGH = 1_000_000

let texts = 0

const kinds: Readonly<Record<string, TestKind>> = {
  integer: {
    declared: 'integer',
    nth: (n) => HIGH + n,
    largeIds: [2 ** 31, Number.MAX_SAFE_INTEGER],
    anyId: expect.any(Number),
    nextId: (id) => (id as number) + 1,
    noIds: (id) => [`${id}`, (id as number) + 0.5, 1e30],
  },
  bigint: {
    declared: 'bigint',
    nth: (n) => `${2n ** 53n + BigInt(HIGH + n)}`,
    largeIds: [`${2n ** 31n}`, `${2n ** 63n - 1n}`],
    anyId: expect.stringMatching(/^[1-9][0-9]*$/),
    nextId: (id) => `${BigInt(id) + 1n}`,
    noIds: (id) => [Number(id), `0${id}`, `${id}.0`, `${2n ** 63n}`],
  },
  uuid: {
    declared: 'uuid',
    nth: (n) => `f0000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    largeIds: ['ffffffff-ffff-ffff-ffff-ffffffffffff'],
    anyId: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    nextId: (id) => `${id}`.replace(/^./, 'f'),
    noIds: (id) => [1, `{${id}}`, `${id}`.replaceAll('-', ''), `${id}0`],
  },
  text: {
    // They ascend, as those of the other kinds do. The quote would end a string in SQL.
    declared: { kind: 'text', assign: () => `t'${String(++texts).padStart(9, '0')}` },
    nth: (n) => `z'${String(n).padStart(9, '0')}`,
    largeIds: ['~'.repeat(100)],
    anyId: expect.stringMatching(/^[tz]'[0-9]{9}$/),
    nextId: (id) => `${id}0`,
    noIds: (id) => [1, `${id}\0`],
  },
}

/** Of the kind that TEST_IDS names. */
export const testIds: TestIds = idsOfKind(process.env.TEST_IDS ?? 'integer')

export const { missingId, largeIds, anyId, chosenId, noIds } = testIds

/** In a path, this is no id of any kind. */
export const noIdInPath = '%00'

/**
 * The model with ids of the kind that TEST_IDS names, unless it says itself what any of its ids are. `buildApp` takes all models so: a test
 * that also makes a store of its model says it.
 */
export function withTestIds<Tested extends Model>(model: Tested): Tested {
  const says = Object.values(model.descriptors).some(({ id }) => id !== undefined)
  return says || testIds.declared === 'integer' ? model : withIds(model, testIds.declared)
}

/** The model for tests about integers. */
export function withIntegerIds<Tested extends Model>(model: Tested): Tested {
  return withIds(model, 'integer')
}

export function withIds<Tested extends Model>({ descriptors }: Tested, id: IdDeclaration): Tested {
  const entries = Object.entries(descriptors).map(([key, one]) => [key, { ...one, id }])
  return defineResources(Object.fromEntries(entries)) as Model as Tested
}

export function idsOfKind(name: string): TestIds {
  const kind = kinds[name]
  if (kind === undefined) throw new Error(`TEST_IDS: must be one of ${Object.keys(kinds).join(', ')}`)
  let choices = 0
  return {
    ...kind,
    missingId: kind.nth(0),
    chosenId() {
      // The sequence of the database goes on behind a choice: there has to be room for other records of the test.
      choices += 1_000
      return kind.nth(choices)
    },
    noIds: (id) => [...kind.noIds(id), '', true, {}, [id], { id }],
  }
}
