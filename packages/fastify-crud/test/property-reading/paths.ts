import type { TSchema } from '@sinclair/typebox'
import { isObject, type Json, own } from '../property/json.ts'
import type { Row } from '../property/reference-store.ts'
import {
  type ReadingModel,
  type ReadingResource,
  type Relation,
  readingResourceOf,
  relationOf,
} from './reading-model.ts'
import { propertyOf, typeOf, type ValueType } from './value-types.ts'

/** What a path such as `publisher.name` leads to. */
export interface Path {
  readonly relations: readonly Relation[]
  /** The resource that the relations lead to. */
  readonly resource: ReadingResource
  /** The value at the end; undefined if the path ends with a relation. */
  readonly value: PathValue | undefined
  readonly isToMany: boolean
}

export interface PathValue {
  readonly type: ValueType
  /** The field's schema, or that of the property inside of it; undefined for ids. */
  readonly schema: TSchema | undefined
  readonly isInsideJson: boolean
  /** The resource whose id it is; undefined if it is none. */
  readonly idOf: string | undefined
  of(row: Row): Json
}

/** @throws Error if the model has no such path. */
export function readPath(model: ReadingModel, start: ReadingResource, text: string): Path {
  const relations: Relation[] = []
  let resource = start
  const rest = text.split('.')
  for (let relation = relationOf(resource, rest[0] ?? ''); relation !== undefined; ) {
    relations.push(relation)
    resource = readingResourceOf(model, relation.target)
    rest.shift()
    relation = relationOf(resource, rest[0] ?? '')
  }
  const value = rest.length === 0 ? undefined : valueAt(resource, rest)
  return { relations, resource, value, isToMany: relations.some(({ isMany }) => isMany) }
}

const ID = { type: 'id', schema: undefined, isInsideJson: false } as const

function valueAt(resource: ReadingResource, [name = '', ...inside]: readonly string[]): PathValue {
  if (inside.length === 0 && name === 'id') return { ...ID, idOf: resource.key, of: ({ id }) => id }
  const named = inside.length === 0 ? resource.relations.find(({ foreignKey }) => foreignKey === name) : undefined
  if (named !== undefined) {
    return { ...ID, idOf: named.target, of: ({ values }) => values[name] ?? null }
  }
  const field = resource.fields.find((one) => one.name === name)
  const schema = inside.reduce<TSchema | undefined>((one, property) => one && propertyOf(one, property), field?.schema)
  if (schema === undefined) throw new Error(`${resource.key} has no ${[name, ...inside].join('.')}`)
  const of = ({ values }: Row): Json => inside.reduce(insideOf, values[name] ?? null)
  return { type: typeOf(schema), schema, isInsideJson: inside.length > 0, idOf: undefined, of }
}

function insideOf(value: Json, name: string): Json {
  return isObject(value) ? (own(value, name) ?? null) : null
}
