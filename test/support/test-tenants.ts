import { defineResources, type Model } from 'fastify-crud'
import type { OpenDatabase } from './databases.ts'
import { havePartitions } from './have-partitions.ts'

// The tests of the contract hold for the records of one tenant, too. With TEST_TENANTS=true, all models have tenants, and requests are of one.

// With TEST_TENANTS=partitions, their tables on PostgreSQL have partitions, too.

const { TEST_TENANTS } = process.env
const isTested = TEST_TENANTS !== undefined
const PARTITIONS = 4

/** How many partitions the tables of the tests' models have; undefined: none. */
export function testPartitions(model: Model): number | undefined {
  return havePartitions && hasTestTenants(model) ? PARTITIONS : undefined
}

/** The tenant of all requests, and another one. */
const TENANTS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

const KEY = 'workspace'

/** The columns that a unique key of a table begins with, where the table is a tenant's. */
export const tenantColumns: readonly string[] = isTested ? [`${KEY}Id`] : []

export function withTestTenants<Tested extends Model>(model: Tested): Tested {
  if (!isTested) return model
  const descriptors = { ...model.descriptors, [KEY]: { id: 'uuid', fields: {} } } as const
  return defineResources(descriptors, { tenant: { resource: KEY } }) as Model as Tested
}

export function hasTestTenants({ tenant }: Model): boolean {
  return isTested && tenant?.resource === KEY
}

/** What the plugin needs besides. */
export function withTenantOf<Options extends { readonly policies?: object }>(options: Options | undefined): Options {
  const { policies } = options ?? {}
  const own = { ...options, tenant: () => TENANTS[0] }
  return (policies === undefined ? own : { ...own, policies: { ...policies, [KEY]: false } }) as unknown as Options
}

/** The tenants are there, whenever the tables are emptied. */
export async function keepTenants(database: OpenDatabase): Promise<OpenDatabase> {
  const { db } = database
  const add = async () => {
    await db
      .withoutPlugins()
      .insertInto(KEY)
      .values(TENANTS.map((id) => ({ id })))
      .execute()
  }
  await add()
  const empty = async () => {
    await database.empty()
    await add()
  }
  return new Proxy(database, { get: (_, name) => (name === 'empty' ? empty : database[name as keyof OpenDatabase]) })
}
