import type { DialectAdapter } from 'kysely'
import type { Field, Model } from '../../../model/model.ts'
import type { AnyKysely } from '../database.ts'

/**
 * The types of columns that matter to a statement, as far as PostgreSQL was asked. A `timestamp` loses the offset of a text in silence, a
 * `numeric(p, s)` digits, `money` reads a text as `lc_monetary` says, an array is no JSON, and JSON that is not null takes the null of JSON
 * only. To an `inet`, two spellings of an address are equal, and no text is equal to a domain over an enum. A `tsrange` loses offsets, too. Moments in columns of their own are compared as they are, so that an index of the column serves, and so are arrays. To show a column,
 * its type need not be known.
 */
export type LearnedType =
  | 'timestamp'
  | 'timestamptz'
  | 'money'
  | 'json not null'
  | 'inet'
  | 'enum domain'
  | 'range'
  | Digits
  | { readonly array: string }

/** How many digits a decimal has before and behind the point, at most. */
export interface Digits {
  readonly before: number
  readonly behind: number
}

/** What the modifier of a `numeric(p, s)` says. It counts a header of 4 bytes. */
export function digitsOf(modifier: number): Digits {
  const [precision, scale] = [(modifier - 4) >> 16, (modifier - 4) & 0x7ff]
  // Of 11 bits, the first is the sign.
  const behind = scale < 1_024 ? scale : scale - 2_048
  return { before: Math.max(precision - behind, 0), behind: Math.max(behind, 0) }
}

/** Of the largest numbers, `money` has some with 15 digits. Currencies without hundredths are rare. */
const OF_MONEY: Digits = { before: 14, behind: 2 }

export interface LearnedTypes {
  /** Undefined for any other type. */
  typeOf(field: Field): LearnedType | undefined
  /** Undefined: any number of them. */
  digitsOf(field: Field): Digits | undefined
  /** The default of a `timestamp` that gives the time of the session's zone, as the catalog has it; undefined for any other default. */
  localDefaultOf(field: Field): string | undefined
  /** Whether the database was asked about the fields of a model. */
  knows(model: Model): boolean
  learn(model: Model, found: readonly LearnedColumn[]): void
}

/** What was learned of a field's column. */
export interface LearnedColumn {
  readonly field: Field
  readonly type: LearnedType
  readonly localDefault: string | undefined
}

/** By the adapter, which an instance shares with its transactions and copies. */
const known = new WeakMap<DialectAdapter, LearnedTypes>()

export function learnedTypesOf(db: AnyKysely): LearnedTypes {
  const { adapter } = db.getExecutor()
  let types = known.get(adapter)
  if (types === undefined) {
    const models = new WeakSet<Model>()
    const ofFields = new WeakMap<Field, LearnedColumn>()
    types = {
      typeOf: (field) => ofFields.get(field)?.type,
      localDefaultOf: (field) => ofFields.get(field)?.localDefault,
      digitsOf(field) {
        const type = ofFields.get(field)?.type
        if (type === 'money') return OF_MONEY
        return typeof type === 'object' && 'behind' in type ? type : undefined
      },
      knows: (model) => models.has(model),
      learn(model, found) {
        for (const one of found) ofFields.set(one.field, one)
        models.add(model)
      },
    }
    known.set(adapter, types)
  }
  return types
}
