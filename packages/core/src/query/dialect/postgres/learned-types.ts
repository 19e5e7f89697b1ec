import type { DialectAdapter } from 'kysely'
import type { Field } from '../../../model/model.ts'
import type { AnyKysely } from '../database.ts'

/**
 * The types of columns that matter to a statement, as far as PostgreSQL was asked. A `timestamp` loses the offset of a text in silence, an
 * array is no JSON, and moments in columns of their own are compared as they are, so that an index of the column serves. To show a
 * column, its type need not be known.
 */
export type LearnedType = 'timestamp' | 'timestamptz' | { readonly array: string }

export interface LearnedTypes {
  /** Undefined for any other type. */
  typeOf(field: Field): LearnedType | undefined
  /** Whether the database was asked about the field. */
  knows(field: Field): boolean
  learn(field: Field, type: LearnedType | undefined): void
}

/** By the adapter, which an instance shares with its transactions and copies. */
const known = new WeakMap<DialectAdapter, LearnedTypes>()

export function learnedTypesOf(db: AnyKysely): LearnedTypes {
  const { adapter } = db.getExecutor()
  let types = known.get(adapter)
  if (types === undefined) {
    const ofFields = new WeakMap<Field, LearnedType | 'other'>()
    types = {
      typeOf(field) {
        const type = ofFields.get(field)
        return type === 'other' ? undefined : type
      },
      knows: (field) => ofFields.has(field),
      learn: (field, type) => void ofFields.set(field, type ?? 'other'),
    }
    known.set(adapter, types)
  }
  return types
}
