import type { Field, Model } from '../../../model/model.ts'
import { storedFields } from '../../../model/resource-tree.ts'
import type { Digits } from '../../../model/values/decimals.ts'
import type { AnyKysely } from '../database.ts'
import { keptForDatabase } from '../kept-for-database.ts'

/**
 * The types of columns that matter to a statement, as far as PostgreSQL was asked. A `timestamp` loses the offset of a
 * text in silence, as a `time` does, a `numeric(p, s)` digits, `money` reads a text as `lc_monetary` says, an array is
 * no JSON, and JSON that is not null takes the null of JSON only. To an `inet`, two spellings of an address are equal,
 * and no text is equal to a domain over an enum. A `timetz` prints offsets in a way of its own. A `tsrange` loses
 * offsets, too. Moments in columns of their own are compared as they are, so that an index of the column serves, and so
 * are arrays. To show a column, its type need not be known.
 */
export type LearnedType =
  | 'timestamp'
  | 'timestamptz'
  | 'time'
  | 'timetz'
  | 'money'
  | 'json not null'
  | 'inet'
  | 'enum domain'
  | 'range'
  | Digits
  | { readonly array: string }

/** What the modifier of a `numeric(p, s)` says. It counts a header of 4 bytes. */
export function digitsOf(modifier: number): Digits {
  const [precision, scale] = [(modifier - 4) >> 16, (modifier - 4) & 0x7ff]
  // Of 11 bits, the first is the sign.
  const behind = scale < 1_024 ? scale : scale - 2_048
  return { before: Math.max(precision - behind, 0), behind: Math.max(behind, 0) }
}

/** The modifier of a `numeric(precision, scale)`. */
export function modifierOf(precision: number, scale: number): number {
  return (precision << 16) + scale + 4
}

/** Of the largest numbers, `money` has some with 15 digits. Currencies without hundredths are rare. */
const OF_MONEY: Digits = { before: 14, behind: 2 }

/** The types of one model's columns, as far as a database was asked. */
export interface LearnedTypes {
  /** Undefined for any other type. */
  typeOf(field: Field): LearnedType | undefined
  /** Undefined: any number of them. */
  digitsOf(field: Field): Digits | undefined
  /** The default of a `timestamp` that gives the time of the session's zone, as the catalog has it; undefined for any
   * other default. */
  localDefaultOf(field: Field): string | undefined
  /** What is known at this moment, which never changes: the same object until something else is learned. */
  readonly now: KnownTypes
}

/** What is known at one moment. */
export interface KnownTypes extends LearnedTypes {
  /** Equal where all types are, in whichever database. */
  readonly key: string
}

/** What was learned of a field's column. */
export interface LearnedColumn {
  readonly field: Field
  readonly type: LearnedType
  readonly localDefault: string | undefined
}

/** What a database has said of its columns, for each model. */
export interface TypesOfDatabase {
  /** What is known now: the same object until something else is learned. Nothing, if the database was never asked. */
  of(model: Model | undefined): KnownTypes
  /** Whether the database was asked about the fields of a model, and nothing has been {@link forget forgotten}
   * since. */
  knows(model: Model): boolean
  learn(model: Model, found: readonly LearnedColumn[]): void
  /** The tables may have changed: each model is asked about again. Until then, its types are what they were. */
  forget(): void
}

export const typesOfDatabase: (db: AnyKysely) => TypesOfDatabase = keptForDatabase(() => {
  let asked = new WeakSet<Model>()
  const known = new WeakMap<Model, KnownTypes>()
  return {
    of: (model) => (model && known.get(model)) ?? NO_TYPES,
    knows: (model) => asked.has(model),
    learn(model, found) {
      asked.add(model)
      const learned = knownTypes(model, found)
      if (learned.key !== (known.get(model) ?? NO_TYPES).key) known.set(model, learned)
    },
    forget() {
      asked = new WeakSet()
    },
  }
})

function knownTypes({ resources }: Model, found: readonly LearnedColumn[]): KnownTypes {
  const ofFields = new Map(found.map((one) => [one.field, one]))
  const columns = [...resources.values()].flatMap((resource) =>
    storedFields(resource).flatMap((field) => {
      const column = ofFields.get(field)
      return column === undefined ? [] : [[resource.key, field.name, column.type, column.localDefault]]
    }),
  )
  return {
    get now() {
      return this
    },
    key: columns.length === 0 ? '' : JSON.stringify(columns),
    typeOf: (field) => ofFields.get(field)?.type,
    localDefaultOf: (field) => ofFields.get(field)?.localDefault,
    digitsOf(field) {
      const type = ofFields.get(field)?.type
      if (type === 'money') return OF_MONEY
      return typeof type === 'object' && 'behind' in type ? type : undefined
    },
  }
}

/** What is known of a database that was not asked. */
export const NO_TYPES: KnownTypes = {
  get now() {
    return this
  },
  key: '',
  typeOf: () => undefined,
  digitsOf: () => undefined,
  localDefaultOf: () => undefined,
}

/** What is known whenever it is asked for. */
export function typesNow(types: TypesOfDatabase, model: Model | undefined): LearnedTypes {
  return {
    get now() {
      return types.of(model)
    },
    typeOf: (field) => types.of(model).typeOf(field),
    digitsOf: (field) => types.of(model).digitsOf(field),
    localDefaultOf: (field) => types.of(model).localDefaultOf(field),
  }
}
