import { type BodyProblem, type Fault, type Problem, withArticle } from '../../errors.ts'
import type { Id, IdKind } from '../../model/ids/id-kind.ts'
import type { Link, Owns, Resource } from '../../model/model.ts'
import { pointerTo } from './pointer.ts'

/** For programs: what is there is no object. */
export const AN_OBJECT = { keyword: 'type', params: { type: 'object' } } as const

/** For programs: null is there, where a value has to be. JSON Schema has no keyword for it: `type` says what may be there. */
export const NOT_NULL = { keyword: 'notNull' } as const

/** The problem of an object that lacks a property. */
export function lacks(parent: string, name: string): BodyProblem {
  const params = { missingProperty: name }
  return { pointer: pointerTo(parent, name), message: 'is required', keyword: 'required', params }
}

/** A value that should be an id, and is none. */
export function notAnId({ problem, name }: IdKind): Fault {
  return { message: problem, keyword: 'id', params: { type: name } }
}

/** An id that names no record which the client may know of. */
export function noSuchRecord({ key }: Resource, id: Id): Fault {
  return unknownRecord(`there is no ${key} ${id}`, key)
}

/** An id that names no record which may be there. `resource`: the key of the record's resource. */
export function unknownRecord(message: string, resource: string): Fault {
  return { message, keyword: 'reference', params: { resource } }
}

/** A body takes away the one record that its owner must have. */
export function missesOne({ source }: Owns, pointer: string): Problem {
  return { pointer, message: `must not be null: ${withArticle(source.key)} must have one`, ...NOT_NULL }
}

/** A body leaves none of the records that are needed. */
export function missesAny({ source, target }: Link, pointer: string): Problem {
  const message = `must not be empty: ${withArticle(source.key)} needs at least one ${target.key}`
  return { pointer, message, keyword: 'minItems', params: { limit: 1 } }
}
