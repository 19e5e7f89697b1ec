import type { FastifyInstance, InjectOptions } from 'fastify'
import { createStore, createTables } from 'fastify-crud'
import type { OpenDatabase, OpenOptions, TestDatabase } from '../../../test/support/databases.ts'
import { buildApp } from '../src/app.ts'
import { resources } from '../src/resources.ts'
import { seed } from '../src/seed.ts'
import type { Shop } from '../src/shop.ts'

export interface OpenShop {
  readonly app: FastifyInstance
  readonly shop: Shop
  readonly db: OpenDatabase['db']
  close(): Promise<void>
}

/** The seeded application on a database of its own. */
export async function openShop(database: TestDatabase, options: OpenOptions = {}): Promise<OpenShop> {
  const open = await database.open(options)
  const { db } = open
  await createTables(db, resources)
  const shop = createStore({ db, resources })
  await db.transaction().execute((transaction) => seed(createStore({ db: transaction, resources })))
  const app = await buildApp({ db })
  return {
    app,
    shop,
    db,
    async close() {
      await app.close()
      await open.close()
    },
  }
}

/** One request as a user of the demonstration, or as nobody. */
export function requestAs(
  user: string | undefined,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  body?: object,
): InjectOptions {
  return { method, url, headers: user === undefined ? {} : { 'x-user': user }, ...(body && { payload: body }) }
}
