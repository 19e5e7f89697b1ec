import type { OperationNode } from 'kysely'
import { CALLERS_TYPES, type CallersTypeName } from '../../model/callers.ts'
import type { IdKind } from '../../model/ids/id-kind.ts'
import { isObject } from '../../model/is-object.ts'
import type { Field, Relation, Resource } from '../../model/model.ts'
import { fieldCheck } from '../../model/values/field-check.ts'
import type { StorageKind } from '../../model/values/field-problems.ts'
import type { JsonSchema } from '../../model/values/schema-facts.ts'
import { scalarTypeOf } from '../scalar-type.ts'

/** What a value of the caller has to be, so that it can be compared with what is beside it. */
export type CallersType = TypeOfValue | TypeOfId

interface TypeOfValue {
  readonly name: CallersTypeName
  /** Whether a column is beside the value: it has the same type in the database. */
  readonly isOfColumn: boolean
  readonly inWords: string
  fits(value: unknown): boolean
}

interface TypeOfId {
  readonly name: 'id'
  readonly kind: IdKind
  readonly inWords: string
  fits(value: unknown): boolean
}

/** The type that `my(name, type)` gives. Throws a TypeError for any other word. */
export function declaredType(name: unknown): CallersType {
  const declared = DECLARED.get(name as CallersTypeName)
  if (declared !== undefined) return declared
  throw new TypeError(`my(name, type): the type is one of ${CALLERS_TYPES.join(', ')}`)
}

/** The type of the ids of a resource, and so of the foreign keys that name its records. */
export function typeOfIds(kind: IdKind): CallersType {
  return { name: 'id', kind, inWords: `an id: ${kind.inWords}`, fits: (value) => kind.fromCaller(value) !== undefined }
}

/** The type of a field; undefined for JSON, which no single value is compared with. */
export function typeOfField(field: Field): CallersType | undefined {
  const name = scalarTypeOf(field)
  if (name === undefined || name === 'id') return undefined
  const declared = DECLARED.has(name as CallersTypeName) ? (name as CallersTypeName) : 'string'
  return typeOf(declared, typeInSchema(field.schema), field.storage, true)
}

const IN_WORDS: Readonly<Record<CallersTypeName, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  decimal: "a decimal number as a string, such as '12.50'",
  date: "a date as a string, such as '2026-01-31'",
  'date-time': "a point in time as a string, such as '2026-01-31T12:00:00Z'",
}

const DECLARED = new Map(
  CALLERS_TYPES.map((name): [CallersTypeName, CallersType] => {
    const isText = name === 'decimal' || name === 'date' || name === 'date-time'
    const schema = isText ? { type: 'string', format: name } : { type: name }
    return [name, typeOf(name, schema, name === 'decimal' || name === 'date-time' ? 'string' : name, false)]
  }),
)

function typeOf(name: CallersTypeName, schema: JsonSchema, storage: StorageKind, isOfColumn: boolean): CallersType {
  const check = fieldCheck(schema, storage)
  const format = name === 'string' && typeof schema.format === 'string' ? ` of the format ${schema.format}` : ''
  return { name, isOfColumn, inWords: IN_WORDS[name] + format, fits: (value) => check(value).length === 0 }
}

/** Only these say which type a value has: a column with an enum or a format may have a type of the database's own. */
const OF_TYPES = ['type', 'format', 'enum', 'const'] as const

/** A schema without what merely limits values: a caller may well have a greater number than any row. */
function typeInSchema(schema: JsonSchema): JsonSchema {
  const type: Record<string, unknown> = {}
  for (const keyword of OF_TYPES) if (keyword in schema) type[keyword] = schema[keyword]
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schema[keyword]
    if (Array.isArray(branches)) type.anyOf = branches.map((one) => (isObject(one) ? typeInSchema(one) : one))
  }
  return type
}

/** Stands in an expression for a value of the caller, which each request brings: `my('org')`. */
export class CallerValue {
  readonly name: string
  /** Undefined while the expression is built, where nobody has said it: then that of the column beside it. */
  readonly type: CallersType | undefined

  constructor(name: string, type: CallersType | undefined) {
    this.name = name
    this.type = type
  }
}

/** A value of the caller whose type is known. */
export interface TypedCallerValue {
  readonly name: string
  readonly type: CallersType
}

/** Stands in an expression for the id of the tenant who asks: `my.tenant`. */
export class TenantValue {}

/** Stands in an expression for another resource's policy: `can('View', 'project', eb.ref('projectId'))`. */
export class OtherPolicy {
  readonly action: OtherAction
  readonly resource: Resource
  /** The id of the record. */
  readonly id: OperationNode
  readonly idType: CallersType

  constructor(action: OtherAction, resource: Resource, id: OperationNode, idType: CallersType) {
    this.action = action
    this.resource = resource
    this.id = id
    this.idType = idType
  }
}

/** Stands in an expression for the records at the other end of a relation: `related('lines')`, `visible('lines')`. */
export class RelatedRecords {
  readonly relation: Relation
  /** Leaves out records that the caller may not see. */
  readonly isVisible: boolean

  constructor(relation: Relation, isVisible: boolean) {
    this.relation = relation
    this.isVisible = isVisible
  }
}

export const OTHER_ACTIONS = ['View', 'Edit', 'Delete'] as const
export type OtherAction = (typeof OTHER_ACTIONS)[number]
