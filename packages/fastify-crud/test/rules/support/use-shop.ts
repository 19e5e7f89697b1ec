import { createStore, type Store } from 'fastify-crud'
import { beforeEach } from 'vitest'
import { type AppOptions, type TestApp, useApp } from '../../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { type TestRules, withRules } from './rules.ts'
import { fillShop, type ShopRows, shop } from './shop.ts'

export interface ShopTest {
  readonly service: TestApp
  /** What the tables hold at the start of each test. */
  readonly rows: ShopRows
  /** The order that is there, and its path. */
  readonly order: JsonBody
  readonly path: string
  /** The path of one of its lines. */
  linePath(index: number): string
  /** The path of the note on its first line. */
  readonly notePath: string
  /** The store without rules, for what happens before and after. */
  all(): Store<typeof shop>
}

/** A service over the shop with these rules, filled anew before each test. */
export function useShop(kind: TestDatabase, rules: TestRules, plugin: AppOptions['plugin'] = {}): ShopTest {
  const service = useApp(kind, shop, withRules(rules, plugin))
  let rows: ShopRows
  beforeEach(async () => {
    rows = await fillShop(service.db)
  })
  const linePath = (index: number) => `/api/order/${rows.order.id}/line/${rows.order.lines[index]?.id}`
  return {
    service,
    linePath,
    get rows() {
      return rows
    },
    get order() {
      return rows.order
    },
    get path() {
      return `/api/order/${rows.order.id}`
    },
    get notePath() {
      return `${linePath(0)}/note/${rows.order.lines[0]?.notes[0]?.id}`
    },
    all: () => createStore({ db: service.db, resources: shop }),
  }
}
