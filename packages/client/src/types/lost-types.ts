import type { Model, ResourceKey } from '@fastify-crud/core/types'

/**
 * `T`, unless the compiler has lost types of the model: it does so without a word where a library of schemas is not
 * installed, and `skipLibCheck` hides that.
 */
export type IfKnown<M extends Model, T> = [LostTypes<M>] extends [never] ? T : TypesAreLost<LostTypes<M>>

/** Install what the model's fields are written with, such as `typebox`, as a development dependency. */
export interface TypesAreLost<Where> {
  readonly 'the types of these fields are any: is their schema library installed?': Where
}

type LostTypes<M extends Model> =
  IsAny<M> extends true ? 'all' : { [K in ResourceKey<M>]: LostFields<M['descriptors'][K], K> }[ResourceKey<M>]

type LostFields<R, K extends string> =
  IsAny<R> extends true
    ? K
    : R extends { readonly fields: infer F }
      ? IsAny<F> extends true
        ? K
        : { [N in keyof F & string]: IsAny<F[N]> extends true ? `${K}.${N}` : never }[keyof F & string]
      : never

type IsAny<T> = 0 extends 1 & T ? true : false
