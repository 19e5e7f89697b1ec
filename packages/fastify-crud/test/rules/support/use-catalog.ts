import { createStore, type Store } from 'fastify-crud'
import { beforeEach } from 'vitest'
import { type AppOptions, type TestApp, useApp } from '../../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import { catalog, fillCatalog } from './catalog.ts'

export interface CatalogTest {
  readonly service: TestApp
  readonly rows: Awaited<ReturnType<typeof fillCatalog>>
  all(): Store<typeof catalog>
}

/** A service over the catalog, filled anew before each test. */
export function useCatalog(kind: TestDatabase, options: AppOptions = {}): CatalogTest {
  const service = useApp(kind, catalog, options)
  let rows: Awaited<ReturnType<typeof fillCatalog>>
  beforeEach(async () => {
    rows = await fillCatalog(service.db)
  })
  return {
    service,
    get rows() {
      return rows
    },
    all: () => createStore({ db: service.db, resources: catalog }),
  }
}
