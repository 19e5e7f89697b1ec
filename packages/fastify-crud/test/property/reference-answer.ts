import type { Json, JsonObject } from './json.ts'
import type { Pointers } from './reference-check.ts'
import type { RefResource } from './reference-model.ts'
import type { Address } from './reference-path.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Request {
  readonly method: Method
  readonly address: Address
  readonly query: Readonly<Record<string, string>>
  readonly body: Json | undefined
}

/** What the documentation says must be answered. */
export type Answer =
  | { readonly status: 200 | 201; readonly resource: RefResource; readonly isList: boolean; readonly body: JsonObject }
  | { readonly status: 204 }
  /** `pointers` are the places in the body that must be named; `undefined` where the documentation does not say. */
  | {
      readonly status: number
      readonly code: string
      readonly pointers: ReadonlySet<string> | undefined
      /** Places that may be named as well. */
      readonly others?: ReadonlySet<string>
    }

export const INVALID = (pointers?: Pointers): Answer => ({ status: 400, code: 'CRUD_ERR_INVALID', pointers })
export const NOT_FOUND: Answer = { status: 404, code: 'CRUD_ERR_NOT_FOUND', pointers: undefined }
export const EXISTS: Answer = { status: 409, code: 'CRUD_ERR_EXISTS', pointers: undefined }
export const STILL_NEEDED: Answer = { status: 409, code: 'CRUD_ERR_STILL_NEEDED', pointers: undefined }
