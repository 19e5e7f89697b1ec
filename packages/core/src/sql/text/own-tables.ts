/** The tables that belong to the library itself, and to no resource. `createTables` makes them. */
export const NUMBERS_TABLE = 'crud_numbers'
export const REPEATS_TABLE = 'crud_idempotency'

export const OWN_TABLES: readonly string[] = [NUMBERS_TABLE, REPEATS_TABLE]

/** In the column of the tenant, for what is no tenant's. */
export const NO_TENANT = ''

/** Why a request fails that needs such a table, and what to do. */
export function ownTableMissing(table: string): string {
  return `the table ${table} is missing: createTables creates it, and so does the migration that \`fastify-crud generate\` writes`
}
