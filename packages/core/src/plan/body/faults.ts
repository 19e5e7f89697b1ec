import type { BodyProblem, Fault } from '../../errors.ts'
import type { Id, IdKind } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
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
