import type { ActName } from './actions.ts'
import type { Json, JsonObject } from './json.ts'
import type { Numbering } from './places.ts'
import type { Pointers } from './reference-check.ts'
import type { RefResource } from './reference-model.ts'
import type { Address } from './reference-path.ts'

/** `$deleted`: it is about the trash. `$restore`: it brings back one of its records. */
export type InTrash = '$deleted' | '$restore'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Request {
  readonly method: Method
  readonly address: Address
  readonly query: Readonly<Record<string, string>>
  readonly body: Json | undefined
  readonly trash?: InTrash
  /** It carries out an action. */
  readonly act?: ActName
  /** The request is about a link of the record: it adds it, or removes it. */
  readonly link?: { readonly name: string; readonly id: number }
  /** Which of the case's callers sends it; undefined for the system. */
  readonly caller?: number | undefined
  /** Before that, another program gives the elements of arrays that keep their order other numbers. */
  readonly renumbered?: Numbering | undefined
  /** The number of the tenant whose request it is. Default: the first, or none. */
  readonly tenant?: number
}

/** What the documentation says must be answered. */
export type Answer =
  | {
      readonly status: 200 | 201
      readonly resource: RefResource
      readonly isList: boolean
      /** The list has the order that an owner's array keeps. */
      readonly isInOrder?: boolean
      /** The records are deleted ones: of each in a list, the number of the write that has deleted it. */
      readonly moments?: readonly number[]
      readonly body: JsonObject
    }
  /** What an action returns. */
  | { readonly status: 200; readonly value: Json }
  /** Without a body: what was deleted, or a record that the caller does not see after its write. */
  | { readonly status: 200 | 201 | 204 }
  | Refusal

export interface Refusal {
  readonly status: number
  readonly code: string
  /** The places in the body that must be named; `undefined` where the documentation does not say. */
  readonly pointers: ReadonlySet<string> | undefined
  /** Places that may be named as well. */
  readonly others?: ReadonlySet<string>
  /** How often records that the caller sees need one that would be removed. */
  readonly needing?: number
}

export const INVALID = (pointers?: Pointers): Refusal => ({ status: 400, code: 'CRUD_ERR_INVALID', pointers })
export const UNKNOWN_REFERENCE = (pointers: Pointers): Refusal => ({
  status: 400,
  code: 'CRUD_ERR_UNKNOWN_REFERENCE',
  pointers,
})
export const NOT_FOUND: Refusal = { status: 404, code: 'CRUD_ERR_NOT_FOUND', pointers: undefined }
export const REFUSED: Refusal = { status: 409, code: 'CRUD_ERR_REFUSED', pointers: undefined }
export const EXISTS: Refusal = { status: 409, code: 'CRUD_ERR_EXISTS', pointers: undefined }
export const FORBIDDEN: Refusal = { status: 403, code: 'CRUD_ERR_FORBIDDEN', pointers: undefined }
export const STILL_NEEDED: Refusal = { status: 409, code: 'CRUD_ERR_STILL_NEEDED', pointers: undefined }
