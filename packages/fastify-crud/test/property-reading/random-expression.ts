import { OptionalKind, type TSchema, Type } from '@sinclair/typebox'
import type { ComputedExpression, Descriptors, ResourceDescriptor } from 'fastify-crud'
import type { Json } from '../property/json.ts'
import { type FieldKind, fieldSchema } from '../property/random-fields.ts'
import type { Row } from '../property/reference-store.ts'
import type { Tape } from '../property/tape.ts'
import type { OrderedIds } from './ordered-ids.ts'
import { typeOf } from './value-types.ts'

/** What the reference computes in the place of an expression of Kysely's. */
export interface Meaning {
  /** The expression as one writes it. */
  readonly source: string
  readonly of: (row: Row, related: Related) => Json
  /** The expression over records with other ids; undefined if it has none. */
  readonly withIds?: WithIds
}

type WithIds = (kindOf: (resource: string) => OrderedIds) => ComputedExpression

/** The records of a relation of the row: all, or only those that the caller may see. */
export type Related = (name: string, isVisible: boolean) => readonly Row[]

const meanings = new WeakMap<object, Meaning>()

export function meaningOf(expression: ComputedExpression): Meaning {
  const found = meanings.get(expression)
  if (found === undefined) throw new Error('not an expression of a random model')
  return found
}

/** A text made of one of the record's, or a number of related records. Undefined if there is neither. */
export function randomExpression(
  descriptors: Descriptors,
  descriptor: ResourceDescriptor,
  tape: Tape,
): ComputedExpression | undefined {
  const fields = Object.entries((descriptor.fields ?? {}) as Record<string, TSchema>)
  const text = tape.once(2) ? tape.of(fields.filter(([, schema]) => typeOf(schema) === 'string')) : undefined
  const relation = tape.of(Object.entries(descriptor.relations ?? {}))
  if (text !== undefined) return labelOf(text[0], descriptor.columns?.[text[0]] ?? text[0], OptionalKind in text[1])
  if (relation === undefined) return undefined
  const [name, { target }] = relation
  const id = 1 + tape.upTo(20)
  const column = descriptors[target]?.columns?.id ?? 'id'
  const records = tape.once(2) ? 'visible' : 'related'
  const withIds: WithIds = (kindOf) => {
    const { part, stored } = kindOf(target)
    return laterThan(name, part ?? column, id, stored(id), records, withIds)
  }
  return laterThan(name, column, id, id, records, withIds)
}

const label: FieldKind = {
  source: 'Type.String(…)',
  schema: (options) => Type.String(options),
  values: ['No. a', 'No. ', 'no. A', 'No. 😀', 'No. \uffff'],
  wrong: [],
  numbered: undefined,
}

function labelOf(name: string, column: string, isOptional: boolean): ComputedExpression {
  return meaning(
    {
      schema: fieldSchema(label, isOptional ? 'optional' : 'required', {}),
      value: ({ eb }) => eb(eb.val('No. '), '||', eb.ref(column)),
    },
    {
      source: `({ eb }) => eb(eb.val('No. '), '||', eb.ref('${column}'))`,
      of: ({ values }) => (typeof values[name] === 'string' ? `No. ${values[name]}` : null),
    },
  )
}

/** Numbers of records. */
export const numberKind: FieldKind = {
  source: 'Type.Integer(…)',
  schema: (options) => Type.Integer(options),
  values: [1, 0, 2, 3, 10],
  wrong: [],
  numbered: undefined,
}

/** The number of related records whose ids are greater than one that stands in the column as `stored`. */
function laterThan(
  relation: string,
  column: string,
  id: number,
  stored: ReturnType<OrderedIds['stored']>,
  records: 'visible' | 'related',
  withIds: WithIds,
): ComputedExpression {
  return meaning(
    {
      schema: fieldSchema(numberKind, 'required', {}),
      value: ({ eb, ...on }) =>
        eb
          .selectFrom(on[records](relation).as('other'))
          .select(({ fn }) => fn.countAll().as('count'))
          .where(`other.${column}`, '>', stored),
    },
    {
      source: `({ eb, ${records} }) => eb.selectFrom(${records}('${relation}').as('other')).select(({ fn }) => fn.countAll().as('count')).where('other.${column}', '>', ${typeof stored === 'string' ? JSON.stringify(stored) : stored})`,
      of: (_, related) => related(relation, records === 'visible').filter((one) => one.id > id).length,
      withIds,
    },
  )
}

function meaning(expression: ComputedExpression, its: Meaning): ComputedExpression {
  meanings.set(expression, its)
  return expression
}
