const contract = 'packages/fastify-crud/test/contract/'
const reading = 'packages/fastify-crud/test/reading/'
const policies = 'packages/fastify-crud/test/policies/'
const rules = 'packages/fastify-crud/test/rules/'
const tables = 'packages/tables/test/'
const core = 'packages/core/test/'

function named(folder: string, ...names: readonly string[]): readonly string[] {
  return names.map((name) => `${folder}${name}.test.ts`)
}

const layers = named('test/', 'layers', 'budgets')
const lists = [
  ...named(
    reading,
    'count',
    'fields',
    'filter-to-one',
    'groups',
    'include',
    'operators-strings',
    'refused-names',
    'sort',
  ),
  ...named(contract, 'list', 'query-keys'),
]
const writes = named(
  contract,
  ...[
    'all-or-nothing',
    'patch',
    'replace',
    'round-trip',
    'delete-known',
    'delete-owner',
    'owns-many-put',
    'owns-one-put',
  ],
  ...[
    'needs-many',
    'needs-one',
    'knows-many',
    'three-levels',
    'unique-swaps',
    'values-json',
    'values-shown',
    'whose-child',
  ],
)

/**
 * What `pnpm test` runs for a name: the files that tell the most of a package or a subject in a minute, on both databases where they need one.
 * No single file here takes more than a few seconds.
 */
export const subjects: Readonly<Record<string, readonly string[]>> = {
  core: [
    ...['model/', 'planning/', 'session/', 'functions/'].map((folder) => core + folder),
    ...named(core, 'store/store', 'store/cursors', 'store/linked-records', 'sql/page-query', 'sql/record-query'),
    ...layers,
  ],
  tables: [
    ...named(tables, 'check-tables', 'check-sqlite', 'column-misfit', 'create-tables', 'declared-indexes', 'ids'),
    ...named(tables, 'missing-columns', 'own-tables', 'partial-uniques', 'table-layout', 'unfit-values', 'views'),
    ...layers,
  ],
  openapi: ['packages/openapi/test/', ...layers],
  client: [...named('packages/client/test/', 'methods', 'rights', 'bundle'), ...layers],
  explorer: ['packages/explorer/test/', ...layers],
  refine: [...named('packages/refine/test/', 'lists', 'writes', 'access'), ...layers],
  'react-admin': [...named('packages/react-admin/test/', 'lists', 'writes', 'access'), ...layers],
  'fastify-crud': [
    ...named(contract, 'authorize', 'body-encoding', 'etag', 'handlers', 'methods', 'path-ids', 'prefer', 'problems'),
    ...named(contract, 'list', 'patch', 'plugin', 'record-shape', 'replace', 'routes', 'start', 'whose-child'),
    ...layers,
  ],
  lists,
  writes,
  policies: named(
    policies,
    'can',
    'references',
    'list-and-find',
    'planned-rows',
    'roles',
    'stored-rows',
    'write-answer',
    'taken',
  ),
  rules: named(rules, 'audit', 'computed', 'invariant', 'numbers', 'set', 'transitions', 'validate-actions', 'many'),
  tenants: [
    ...named('packages/fastify-crud/test/tenants/', 'apart', 'rights'),
    ...named(`${core}tenants/`, 'all-tenants', 'store'),
  ],
}
