import type { Descriptors } from '../descriptors/descriptors.ts'
import type { ManyKind, OwnedBy, Relations, ShownRelation } from '../descriptors/relations.ts'
import type { Id } from '../ids/id-kind.ts'
import type { Model } from '../model.ts'
import type { CarriedName, FieldName, IncludeName } from './contents-types.ts'
import type { IdEntry, IdOf, ShortIdOf } from './id-types.ts'
import type { Values } from './query-types.ts'
import type { ComputedValues, ForeignKeys, NullIfNone, PlainRecord, RecordIn } from './record-type.ts'
import type { FieldsOf, KeyOf, RelationsOf, ResourceKey } from './resource-keys.ts'
import type { Flat, ShownValues } from './value-type.ts'

/** A list of names that is not given. */
export type NotGiven = readonly never[]

type Names = readonly string[]

/**
 * A record as `fields` and `include` choose it: exactly what they name, and ids. `partial` is there where they leave
 * something out that such a record has otherwise.
 *
 * Names that are not known at compile time, such as those of a `string[]`, leave a record of which only the id is
 * known.
 *
 * @example
 * type BookOnShelf = ChosenRecord<typeof resources, 'book', ['title', 'publisher.name', 'count(chapters)']>
 */
export type ChosenRecord<
  M extends Model,
  K extends ResourceKey<M>,
  F extends readonly FieldName<M, K>[] = NotGiven,
  I extends readonly IncludeName<M, K>[] = NotGiven,
> = ChosenIn<M['descriptors'], K, F, I>

/** {@link ChosenRecord}, by the descriptors of a model. Names that such a record does not have add nothing. */
export type ChosenIn<D extends Descriptors, K extends KeyOf<D>, F extends Names, I extends Names> = F extends Names
  ? I extends Names
    ? [true] extends [IsWide<F> | IsWide<I>]
      ? UnknownOf<ShortIdOf<D, D[K]>>
      : RecordAt<D, K, 'whole', Given<F>, I[number]>
    : never
  : never

/** A record of which only the id is known. */
export interface UnknownRecord<I = Id> {
  id: I
  [name: string]: unknown
}

/** The same, or a record of which nothing is known, because it has no id. */
type UnknownOf<I> = [I] extends [never] ? { [name: string]: unknown } : UnknownRecord<I>

/** Whether a list may lack names that its type has. */
type IsWide<T extends Names> = number extends T['length'] ? ([T[number]] extends [never] ? false : true) : false

/** `never` if `fields` is not given. */
type Given<F extends Names> = number extends F['length'] ? never : F[number] | 'id'

/** How much of a record shows where a query does not say. */
interface Unchosen<D extends Descriptors, K extends KeyOf<D>> {
  whole: RecordIn<D, K>
  summary: PlainRecord<D, D[K]>
}

type Extent = keyof Unchosen<Descriptors, string>

/** `F` and `I`: what the query says of the record. Without `F` it has the fields that such a record has otherwise. */
type RecordAt<D extends Descriptors, K extends KeyOf<D>, E extends Extent, F extends string, I extends string> = [
  F | I,
] extends [never]
  ? Unchosen<D, K>[E]
  : string extends keyof D
    ? UnknownOf<ShortIdOf<D, D[K]>>
    : K extends KeyOf<D>
      ? Flat<
          IdEntry<IdAt<D, K>[E]> &
            ValuesAt<D, K, F>[[F] extends [never] ? E : 'chosen'] &
            RelatedAt<D, RelationsOf<D[K]>, ShownName<D, K, E, F, I>, F, I> & {
              [N in F & `count(${string})`]: number
            } & Mark<RelationsOf<D[K]>, F, I>
        >
      : never

interface ValuesAt<D extends Descriptors, K extends KeyOf<D>, F extends string> {
  whole: ShownValues<FieldsOf<D[K]>> & ForeignKeys<D, RelationsOf<D[K]>> & ComputedValues<D, D[K]>
  summary: PlainRecord<D, D[K]>
  chosen: Pick<Values<D, K>, Exclude<F, 'id'> & keyof Values<D, K>>
}

interface IdAt<D extends Descriptors, K extends KeyOf<D>> {
  whole: ShortIdOf<D, D[K]>
  summary: IdOf<D, D[K]>
}

/** The names of the relations that the record shows. */
type ShownName<D extends Descriptors, K extends KeyOf<D>, E extends Extent, F extends string, I extends string> =
  | Head<F>
  | Head<Added<I>>
  | ([F] extends [never] ? (E extends 'whole' ? Exclude<CarriedName<D, K>, LeftOut<I>> : never) : never)

type Head<P extends string> = P extends `${infer N}.${string}` ? N : P

/** What is shown because `include` names it, or something behind it. */
type Added<I extends string> = I extends `-${infer P}` ? (P extends `${string}.${string}` ? P : never) : I

type LeftOut<I extends string> = I extends `-${infer P}` ? (P extends `${string}.${string}` ? never : P) : never

/** What the paths say of the records behind a relation. */
type Behind<P extends string, N extends string> = P extends `${N}.${infer Rest}`
  ? Rest
  : P extends `-${N}.${infer Rest}`
    ? `-${Rest}`
    : never

type RelatedAt<D extends Descriptors, S extends Relations, Name extends string, F extends string, I extends string> = {
  -readonly [N in keyof S & Name]: AtOtherEnd<
    S,
    N,
    RecordAt<
      D,
      S[N]['target'] & KeyOf<D>,
      S[N]['relation'] extends OwnsKind ? 'whole' : 'summary',
      Behind<F, N>,
      Behind<I, N>
    >
  >[S[N]['relation']]
}

type OwnsKind = 'owns.one' | 'owns.many'

/** What a relation shows of the records at its other end, by its kind. */
interface AtOtherEnd<S extends Relations, N extends keyof S, R> {
  'owns.one': R | NullIfNone<S[N]>
  'owns.many': R[]
  ownedBy: R | (S[N] extends OwnedBy<string, false> ? ([NameOfOwner<S>] extends [N] ? never : null) : null)
  'needs.one': R | NullIfNone<S[N]>
  'needs.many': R[]
  'neededBy.one': R | null
  'neededBy.many': R[]
  'knows.one': R | NullIfNone<S[N]>
  'knows.many': R[]
}

type NameOfOwner<S extends Relations> = keyof { [N in keyof S as S[N] extends OwnedBy ? N : never]: never }

/** A record says so if it lacks something that a body could set. */
type Mark<S extends Relations, F extends string, I extends string> = [F | LeftOut<I> | SettableArray<S, I>] extends [
  never,
]
  ? unknown
  : { partial?: true }

/** Added arrays, which may lack some of their records. */
type SettableArray<S extends Relations, I extends string> = {
  [N in keyof S & Head<Added<I>>]: S[N]['relation'] extends ManyKind & ShownRelation ? N : never
}[keyof S & Head<Added<I>>]
