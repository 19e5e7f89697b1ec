import type { Model } from '../../model/model.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import { storesOf } from '../stores.ts'
import type { Policies } from '../types/policy-types.ts'

/**
 * Has the database prepare every policy and every computed expression of a model, and runs none of them. The plugin
 * does so as it starts; this is for a store without the plugin, or for a test.
 *
 * Rejects with a TypeError that lists all that is wrong with them: a column, table or function that is not there, a
 * type that does not fit. Rejects with the driver's error if the database cannot be asked. Do not give it a
 * transaction, which PostgreSQL ends with an error.
 *
 * @example
 * const policies = { publisher: true, author: true, book: ({ eb }) => eb('title', '!=', 'Secret') }
 * await checkExpressions({ db, resources, policies })
 */
export async function checkExpressions<M extends Model, C>(options: {
  readonly db: AnyKysely
  readonly resources: M
  readonly policies?: Policies<NoInfer<M>, C>
}): Promise<void> {
  const problems = await storesOf(options).problemsAtStart()
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}
