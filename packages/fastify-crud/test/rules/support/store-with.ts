import { createStore, type Model } from '@fastify-crud/core'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import type { AnyStore } from './crud-of.ts'
import type { TestRules } from './rules.ts'

/** A store with rules and without HTTP. Other options are those of `createStore`. */
export function storeWith(db: TestKysely, resources: Model, rules: TestRules, others: object = {}): AnyStore {
  const options = { ...others, db, resources, rules }
  return createStore(options as Parameters<typeof createStore>[0]) as unknown as AnyStore
}
