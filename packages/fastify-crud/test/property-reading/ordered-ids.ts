import type { Descriptors, IdDeclaration, ResourceDescriptor } from 'fastify-crud'
import { INTEGER, isNamed, onlyOwner, type SideIds } from '../property/id-kinds.ts'
import type { SideId } from '../property/id-map.ts'
import { fieldSchema } from '../property/random-fields.ts'
import { meaningOf, numberKind } from './random-expression.ts'

/** The ids of a resource. The reference has integers in their place, in the same order. */
export interface OrderedIds {
  readonly id: IdDeclaration
  /** The only way to write the id that stands for the reference's. */
  spell(id: number): SideId
  /** What stands in the column, for SQL that a model has. */
  stored(id: number): number | string | bigint
  /** The field that is a part of the id, beside the owner; it has the reference's id. */
  readonly part: string | undefined
  /** A number in a body is such an id. */
  readonly isNumber: boolean
  /** Nearly any text is such an id. */
  readonly isAnyText: boolean
}

const ONE_VALUE = { part: undefined, isNumber: false, isAnyText: false } as const

const integers: OrderedIds = {
  ...ONE_VALUE,
  id: 'integer',
  spell: (id) => id,
  stored: (id) => id,
  isNumber: true,
}

/** Above what a number of JavaScript can be. */
const large = (id: number): bigint => 2n ** 53n + BigInt(id)

const bigints: OrderedIds = { ...ONE_VALUE, id: 'bigint', spell: (id) => String(large(id)), stored: large }

function uuids(id: IdDeclaration, stored: (uuid: string) => string = (uuid) => uuid): OrderedIds {
  const spell = (number: number): string => {
    const hex = BigInt.asUintN(64, BigInt(number)).toString(16).padStart(16, '0')
    return `0123456b-89ab-7def-${hex.slice(0, 4)}-${hex.slice(4)}`
  }
  return { ...ONE_VALUE, id, spell, stored: (number) => stored(spell(number)) }
}

/** With characters that mean something in a path, in a filter or in an id of several parts. */
const textOf = (id: number): string => `é-a,~1'% ${String(id).padStart(16, '0')}`

const texts: OrderedIds = { ...ONE_VALUE, id: 'text', spell: textOf, stored: textOf, isAnyText: true }

const KINDS: readonly OrderedIds[] = [
  uuids('uuid'),
  texts,
  bigints,
  uuids({ kind: 'uuid', stored: 'hex' }, (uuid) => uuid.replaceAll('-', '')),
  integers,
  uuids({ kind: 'uuid', stored: 'upper' }, (uuid) => uuid.toUpperCase()),
]

const PART = 'partNumber'

/** The kind of each resource's ids. 0: integers for all; any other number mixes the kinds. */
export function orderedIdsOf(descriptors: Descriptors, ids: number): (resource: string) => OrderedIds {
  const keys = Object.keys(descriptors)
  return (resource) => {
    if (ids === 0) return integers
    const owner = onlyOwner(descriptors, resource)
    if (owner !== undefined && !isNamed(descriptors, resource) && ids % 2 === 0) {
      return { ...integers, id: [PART, owner.name], part: PART }
    }
    return KINDS[(ids + keys.indexOf(resource)) % KINDS.length] ?? integers
  }
}

/** The same for tenants, who can choose no ids that the database counts: clients give them. */
export function choosable(kindOf: (resource: string) => OrderedIds): (resource: string) => OrderedIds {
  return (resource) => {
    const kind = kindOf(resource)
    const { id } = kind
    return id === 'integer' || id === 'bigint' ? { ...kind, id: { kind: id, assign: 'client' } } : kind
  }
}

/** The same for those who send requests with the reference's ids. */
export function sideIdsOf(kindOf: (resource: string) => OrderedIds): (resource: string) => SideIds {
  return (resource) => {
    const { id, spell, isAnyText } = kindOf(resource)
    return { ...INTEGER, id, unknown: spell, malformed: (text) => (isAnyText ? `\u0000${text}` : text) }
  }
}

/** The part of an id as a field of its own. */
export function partSchema() {
  return fieldSchema(numberKind, 'required', {})
}

/** The model with these ids. */
export function withOrderedIds(descriptors: Descriptors, kindOf: (resource: string) => OrderedIds): Descriptors {
  return Object.fromEntries(
    Object.entries(descriptors).map(([key, one]): [string, ResourceDescriptor] => {
      const { id, part } = kindOf(key)
      const computed =
        one.computed &&
        Object.entries(one.computed).map(([name, declaration]) => {
          const again = 'aggregate' in declaration ? undefined : meaningOf(declaration).withIds?.(kindOf)
          return [name, again ?? declaration]
        })
      const whole = { ...one, id, ...(computed && { computed: Object.fromEntries(computed) }) }
      if (part === undefined) return [key, whole]
      const { id: _, ...columns } = one.columns ?? {}
      return [key, { ...whole, fields: { ...one.fields, [part]: partSchema() }, columns }]
    }),
  )
}
