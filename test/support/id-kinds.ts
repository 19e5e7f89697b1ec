import type { IdDeclaration } from 'fastify-crud'

export type Id = string | number

/** Ids of one kind, as tests need them. */
export interface TestKind {
  /** What descriptors say. */
  readonly declared: IdDeclaration
  /** Ids that ascend, and that no new record gets by itself. */
  nth(n: number): Id
  /** Others, as large as ids get: columns may have no room for them. */
  readonly largeIds: readonly Id[]
  /** Whether a new record can have this id. */
  isOne(id: unknown): boolean
  /** An id for a test to choose that is just behind this one, which is the last: where the database counts, the next one. */
  nextId(id: Id): Id
  /** Where the client gives them: an id for its next record. They ascend. */
  readonly given?: () => Id
  /** Values in bodies that are no ids, and nearly this one. */
  noIds(id: Id): readonly unknown[]
}

/** Above what tests can use up of a sequence. */
const HIGH = 1_000_000

let texts = 0
const nextText = () => `t'${String(++texts).padStart(9, '0')}`

let integers = 0

const integer: TestKind = {
  declared: 'integer',
  nth: (n) => HIGH + n,
  largeIds: [2 ** 31, Number.MAX_SAFE_INTEGER],
  isOne: Number.isSafeInteger,
  nextId: (id) => (id as number) + 1,
  noIds: (id) => [`${id}`, (id as number) + 0.5, 1e30],
}

const bigint: TestKind = {
  declared: 'bigint',
  nth: (n) => `${2n ** 53n + BigInt(HIGH + n)}`,
  largeIds: [`${2n ** 31n}`, `${2n ** 63n - 1n}`],
  isOne: matching(/^[1-9][0-9]*$/),
  nextId: (id) => `${BigInt(id) + 1n}`,
  noIds: (id) => [Number(id), `0${id}`, `${id}.0`, `${2n ** 63n}`],
}

const uuid: TestKind = {
  declared: 'uuid',
  nth: (n) => `f0000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  largeIds: ['ffffffff-ffff-ffff-ffff-ffffffffffff'],
  isOne: matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  nextId: (id) => `${id}`.replace(/^./, 'f'),
  noIds: (id) => [1, `{${id}}`, `${id}`.replaceAll('-', ''), `${id}0`],
}

const text: TestKind = {
  // They ascend, as those of the other kinds do. The quote would end a string in SQL.
  declared: { kind: 'text', assign: nextText },
  nth: (n) => `z'${String(n).padStart(9, '0')}`,
  largeIds: ['~'.repeat(100)],
  isOne: matching(/^[tz]'[0-9]{9}$/),
  nextId: (id) => `${id}0`,
  noIds: (id) => [1, `${id}\0`],
}

const textOfClient: TestKind = { ...text, declared: 'text', given: nextText }

const integerOfClient: TestKind = {
  ...integer,
  declared: { kind: 'integer', assign: 'client' },
  // Leaves room for what a test chooses behind one.
  given: () => (integers += 2),
}

/** What TEST_IDS can be: kinds, among which each resource of a model has its own. */
export const kindsByName: Readonly<Record<string, readonly [TestKind, ...TestKind[]]>> = {
  integer: [integer],
  bigint: [bigint],
  uuid: [uuid],
  text: [text],
  client: [textOfClient, integerOfClient],
  mixed: [integer, bigint, uuid, text],
  'mixed the other way': [text, uuid, bigint, integer],
}

/** The same for a name in all tests, and another one for most others. */
export function kindOf(resource: string, kinds: readonly [TestKind, ...TestKind[]]): TestKind {
  const sum = [...resource].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  return kinds[sum % kinds.length] ?? kinds[0]
}

function matching(pattern: RegExp): (id: unknown) => boolean {
  return (id) => typeof id === 'string' && pattern.test(id)
}
