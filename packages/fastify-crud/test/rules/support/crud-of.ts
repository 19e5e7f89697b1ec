import type { TestApp } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'

/** The records of a resource in a store, whatever the model is. */
export interface AnyRecords {
  find(id: number, query?: object): Promise<JsonBody>
  list(query?: object): Promise<JsonBody>
  create(body: object, options?: object): Promise<JsonBody>
  replace(id: number, body: object, options?: object): Promise<JsonBody>
  patch(id: number, body: object, options?: object): Promise<JsonBody>
  delete(id: number, options?: object): Promise<void>
  owned(id: number, relation: string): AnyRecords
}

/** A store with rules, whatever the model is. */
export interface AnyStore {
  resource(key: string): AnyRecords
  as(caller: object): AnyStore
  asSystem(): AnyStore
  /** The same store in a transaction. */
  in(db: TestKysely): AnyStore
}

/** The store that the plugin has put on the instance. */
export function crudOf({ fastify }: TestApp): AnyStore {
  return fastify.getDecorator<AnyStore>('crud')
}
