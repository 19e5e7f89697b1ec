// Which tests of the contract do not hold in one of the set-ups that variables of the environment name.

/**
 * Tests of the contract that do not hold for a tenant's records as they are: they choose ids that the database counts, write rows by themselves,
 * make stores without a tenant, or look at all tables.
 */
const WITHOUT_TENANTS = [
  ...[
    'authorize',
    'authorize-refusal',
    'camel-case',
    'category',
    'columns',
    'create',
    'delete',
    'delete-alone',
    'delete-needed',
  ],
  ...[
    'delete-owner',
    'etag',
    'favourite',
    'fields-given',
    'fields-write-only',
    'handlers',
    'if-match',
    'if-match-required',
  ],
  ...['if-none-match', 'impossible-ids', 'knows-itself', 'max-answer', 'methods', 'owns-one-endpoints', 'path-ids'],
  'order/rights',
  ...['patch-marks-rights', 'prefer-return', 'prefer-rollback', 'query-keys', 'unique-swaps', 'whose-child'],
  ...['every-relation', 'given-by-client', 'parts', 'round-trip'].map((name) => `ids/${name}`),
  ...['one-member', 'order-of-refusals', 'problems', 'spellings', 'undone'].map((name) => `ids/composite/${name}`),
]

/** Tests in which a record is new or is not, whatever its body says: who gives ids has to know. */
const WITHOUT_CLIENT = [
  ...['many-upsert', 'many-update', 'many-by-filter', 'many-repeat', 'idempotency-key'],
  ...['top-level/many', 'order/rights'],
]

/** Tests that look at rows, keys or statements by themselves, or that give a new record the id of a deleted one. */
const WITHOUT_SOFT_DELETE = [
  ...['authorize', 'camel-case', 'delete-alone', 'fields-unique', 'shared-table', 'unique-swaps'],
  ...['given-by-client', 'round-trip'].map((name) => `ids/${name}`),
]

export const OF_SQLITE = ['values-unshown']

/** Tests of SQLite, those that ask for the unique keys of a model without tenants, which no partitioned table can have, and those that
 * drop a table of which statements are explained first. */
const WITHOUT_PARTITIONS = ['unique-partial', 'idempotency-key', ...OF_SQLITE]

/** Tests of the option `session`, which needs `set_config`, and those of what a write asks and reads, of which a bare engine needs more. */
const WITHOUT_BARE = [
  'row-level-security',
  'session-settings',
  'unique-swaps',
  'delete-alone',
  'patch-fields',
  'max-answer',
]

/** The tests of moves that have tenants of their own, or make stores without one. */
const MOVES_WITHOUT_TENANTS = ['rights', 'tables', 'tenants']

/** Those whose stores, or unique values in place of ids, have no ids for new records. */
const MOVES_WITHOUT_CLIENT = ['rights', 'many-meanwhile']

/** What a run with these variables leaves out of the contract and of the tests of moves. */
export function leftOut(env: Readonly<Record<string, string | undefined>>): string[] {
  const { TEST_IDS, TEST_SOFT_DELETE, TEST_ENGINE, TEST_TENANTS } = env
  const ofMoves = [
    ...(TEST_IDS === 'client' ? MOVES_WITHOUT_CLIENT : []),
    ...(TEST_TENANTS === undefined ? [] : MOVES_WITHOUT_TENANTS),
  ]
  const ofContract = inContract([
    ...(TEST_IDS === 'client' ? WITHOUT_CLIENT : []),
    ...(TEST_SOFT_DELETE === 'true' ? WITHOUT_SOFT_DELETE : []),
    ...(TEST_ENGINE === 'bare' ? WITHOUT_BARE : []),
    ...(TEST_TENANTS === undefined ? [] : WITHOUT_TENANTS),
    ...(TEST_TENANTS === 'partitions' ? WITHOUT_PARTITIONS : []),
  ])
  return [...ofContract, ...ofMoves.map((name) => `packages/fastify-crud/test/moves/${name}.test.ts`)]
}

export function inContract(names: readonly string[]): string[] {
  return names.map((name) => `packages/fastify-crud/test/contract/${name}.test.ts`)
}
