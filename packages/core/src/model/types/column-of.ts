import type { ColumnType, Generated } from 'kysely'
import type { DatabaseName } from '../database-name.ts'
import type { HasDbDefault, IsOptional, IsStandard, ValueOf } from './value-type.ts'

/** What Kysely reads from and writes to the column of a field with this schema. */
export type ColumnOf<S, Database extends DatabaseName> =
  HasDbDefault<S> extends true ? MayBeLeftOut<ValueColumn<S, Database>> : ValueColumn<S, Database>

/** A column that an INSERT may leave out. */
type MayBeLeftOut<Column> =
  Column extends ColumnType<infer Read, infer Added, infer Changed>
    ? ColumnType<Read, Added | undefined, Changed>
    : Generated<Column>

type ValueColumn<S, Database extends DatabaseName> = Values<
  Exclude<ValueOf<S>, null>,
  NullIn<S, ValueOf<S>>
>[Database][KindOf<S>]

/** `Empty` is null where the column may be null, else `never`. */
interface Values<Value, Empty> {
  sqlite: {
    text: Value | Empty
    bytes: Bytes | Empty
    number: Value | Empty
    boolean: 0 | 1 | Empty
    json: string | Empty
    any: unknown
  }
  postgres: {
    text: Value | Empty
    bytes: Bytes | Empty
    number: Value | Empty
    boolean: Value | Empty
    // `pg` parses JSON, and writes an array as one of PostgreSQL's own: a value to write is given as text.
    json: ColumnType<Value | Empty, string | Empty, string | Empty>
    any: unknown
  }
}

/** A `Buffer`, which is one. */
type Bytes = Uint8Array

type NullIn<S, Value> =
  IsOptional<S> extends true ? null : unknown extends Value ? never : null extends Value ? null : never

/** The same as `storageOf` finds at run time; `any` where the schema's type does not tell. */
type KindOf<S> =
  IsStandard<S> extends true
    ? KindOfValue<ValueOf<S>>
    : S extends { type: infer Type; contentEncoding: 'base64' }
      ? KindOfType<Type extends readonly (infer One)[] ? One : Type, 'bytes'>
      : S extends { type: infer Type }
        ? KindOfType<Type extends readonly (infer One)[] ? One : Type>
        : S extends { anyOf: infer Branches extends List } | { oneOf: infer Branches extends List }
          ? { [I in keyof Branches]: KindOf<Branches[I]> }[number]
          : S extends { enum: readonly (infer Value)[] } | { const: infer Value }
            ? KindOfValue<Value>
            : S extends { allOf: unknown } | { $ref: unknown } | { not: unknown }
              ? 'json'
              : KindOfValue<ValueOf<S>>

type List = readonly unknown[]

/** `Text`: what a string is. */
type KindOfType<Type, Text = 'text'> = string extends Type
  ? 'any'
  : Type extends 'string'
    ? Text
    : Type extends 'integer' | 'number'
      ? 'number'
      : Type extends 'boolean'
        ? 'boolean'
        : Type extends 'null'
          ? never
          : 'json'

type KindOfValue<Value> = unknown extends Value
  ? 'json'
  : Value extends string
    ? 'text'
    : Value extends number
      ? 'number'
      : Value extends boolean
        ? 'boolean'
        : Value extends null
          ? never
          : 'json'
