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
  /** Whether the database was asked about the fields of a model, and nothing has been {@link forget forgotten} since. */
  knows(model: Model): boolean
  learn(model: Model, found: readonly LearnedColumn[]): void
  /** The tables may have changed: each model is asked about again. Until then, its types are what they were. */
  forget(): void
  /** Grows when a type is not what it was. A statement of an earlier version is outdated. */
  readonly version: number
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
    let asked = new WeakSet<Model>()
    const askedEver = new WeakSet<Model>()
    const ofFields = new WeakMap<Field, LearnedColumn>()
    let version = 0
    types = {
      typeOf: (field) => ofFields.get(field)?.type,
      localDefaultOf: (field) => ofFields.get(field)?.localDefault,
      digitsOf(field) {
        const type = ofFields.get(field)?.type
        if (type === 'money') return OF_MONEY
        return typeof type === 'object' && 'behind' in type ? type : undefined
      },
      knows: (model) => asked.has(model),
      learn(model, found) {
        const isChanged = askedEver.has(model) && isOther(model, found, ofFields)
        for (const { fields } of model.resources.values()) for (const field of fields) ofFields.delete(field)
        for (const one of found) ofFields.set(one.field, one)
        asked.add(model)
        askedEver.add(model)
        if (isChanged) version += 1
      },
      forget() {
        asked = new WeakSet()
      },
      get version() {
        return version
      },
    }
    known.set(adapter, types)
  }
  return types
}

/** Whether something else was found than is known of a model. */
function isOther(model: Model, found: readonly LearnedColumn[], known: WeakMap<Field, LearnedColumn>): boolean {
  const foundOf = new Map(found.map((one) => [one.field, one]))
  const fields = [...model.resources.values()].flatMap((resource) => resource.fields)
  return fields.some((field) => shapeOf(foundOf.get(field)) !== shapeOf(known.get(field)))
}

function shapeOf(column: LearnedColumn | undefined): string | undefined {
  return column && JSON.stringify([column.type, column.localDefault])
}
