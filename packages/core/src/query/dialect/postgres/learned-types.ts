import type { DialectAdapter } from 'kysely'
import type { Field, Model } from '../../../model/model.ts'
import type { AnyKysely } from '../database.ts'

/**
 * The types of columns that matter to a statement, as far as PostgreSQL was asked. A `timestamp` loses the offset of a text in silence,
 * `money` reads a text as `lc_monetary` says, an array is no JSON, and moments in columns of their own are compared as they are, so that an index of the column serves. To show a
 * column, its type need not be known.
 */
export type LearnedType = 'timestamp' | 'timestamptz' | 'money' | { readonly array: string }

export interface LearnedTypes {
  /** Undefined for any other type. */
  typeOf(field: Field): LearnedType | undefined
  /** Whether the database was asked about the fields of a model. */
  knows(model: Model): boolean
  learn(model: Model, types: ReadonlyMap<Field, LearnedType>): void
}

/** By the adapter, which an instance shares with its transactions and copies. */
const known = new WeakMap<DialectAdapter, LearnedTypes>()

export function learnedTypesOf(db: AnyKysely): LearnedTypes {
  const { adapter } = db.getExecutor()
  let types = known.get(adapter)
  if (types === undefined) {
    const models = new WeakSet<Model>()
    const ofFields = new WeakMap<Field, LearnedType>()
    types = {
      typeOf: (field) => ofFields.get(field),
      knows: (model) => models.has(model),
      learn(model, found) {
        for (const [field, type] of found) ofFields.set(field, type)
        models.add(model)
      },
    }
    known.set(adapter, types)
  }
  return types
}
