import type { TSchema } from '@sinclair/typebox'
import {
  type Aggregate,
  type ComputedDeclaration,
  type ComputedOptions,
  countOf,
  type Descriptors,
  maxOf,
  minOf,
  type ResourceDescriptor,
  sumOf,
  visible,
} from 'fastify-crud'
import type { Tape } from '../property/tape.ts'
import { randomExpression } from './random-expression.ts'
import { typeOf } from './value-types.ts'

const NAMES = ['total', 'from', 'Most of', 'valueOf']

const OPTIONS: readonly ComputedOptions[] = [
  {},
  {},
  {},
  {},
  { summary: false },
  { access: { View: ['staff'] } },
  { access: { View: ['member'] } },
]

/** The model with computed fields of all kinds. */
export function withComputed(descriptors: Descriptors, tape: Tape): Descriptors {
  const whole = Object.entries(descriptors).map(([key, descriptor]): [string, ResourceDescriptor] => {
    const computed: Record<string, ComputedDeclaration> = {}
    for (const name of NAMES.slice(0, tape.of([0, 2, 1, NAMES.length]) ?? 0)) {
      const one = tape.once(4)
        ? randomExpression(descriptors, descriptor, tape)
        : randomAggregate(descriptors, descriptor, tape)
      if (one !== undefined) computed[name] = one
    }
    return [key, Object.keys(computed).length === 0 ? descriptor : { ...descriptor, computed }]
  })
  return Object.fromEntries(whole)
}

/** Undefined if the resource has no relation to several. */
function randomAggregate(
  descriptors: Descriptors,
  { relations = {} }: ResourceDescriptor,
  tape: Tape,
): Aggregate | undefined {
  const many = Object.entries(relations).filter(([, { relation }]) => relation.endsWith('.many'))
  const [name, { target }] = tape.of(many) ?? ['', { target: '' }]
  if (name === '') return undefined
  const records = tape.once(2) ? visible(name) : name
  const options = tape.of(OPTIONS) ?? {}
  const fields = Object.entries((descriptors[target]?.fields ?? {}) as Record<string, TSchema>).filter(
    ([, schema]) => schema.writeOnly !== true,
  )
  const fieldOf = (isGood: (schema: TSchema) => boolean): string | undefined =>
    tape.of(fields.filter(([, schema]) => isGood(schema)))?.[0]
  const kind = tape.of(['sum', 'min', 'max', 'count'] as const)
  const field = kind === 'count' ? undefined : fieldOf(kind === 'sum' ? hasExactSums : isSingleValue)
  if (field === undefined) return countOf(records, options)
  return { sum: sumOf, min: minOf, max: maxOf, count: sumOf }[kind ?? 'sum'](records, field, options)
}

function isSingleValue(schema: TSchema): boolean {
  return typeOf(schema) !== 'json'
}

/** Of other numbers, a database's sum depends on the order in which it adds them. */
function hasExactSums(schema: TSchema): boolean {
  const type = typeOf(schema)
  return type === 'decimal' || ((type === 'integer' || type === 'number') && schema.minimum !== undefined)
}

/** Whether there is something computed from decimals: for this, SQLite has to be opened by `openSqlite`. */
export function computesDecimals(descriptors: Descriptors): boolean {
  return Object.values(descriptors).some(({ computed = {}, relations }) =>
    Object.values(computed).some((one) => {
      if (!('aggregate' in one) || one.field === undefined) return false
      const schema = descriptors[relations?.[one.relation]?.target ?? '']?.fields?.[one.field]
      return schema !== undefined && typeOf(schema as TSchema) === 'decimal'
    }),
  )
}
