import type { CrudErrorCode } from '@fastify-crud/core'
import { errorKinds, type JsonSchema } from '@fastify-crud/core/internal'
import type { OpenApiResponse } from '../components/openapi-document.ts'
import { PROBLEM_MEDIA_TYPE, problemType } from '../schemas/problem-schema.ts'

/** One way in which an operation can fail. */
interface Failure {
  readonly status: number
  readonly description: string
  readonly code: CrudErrorCode
  readonly detail: string
  readonly pointer?: string
}

/** By the name of the component. */
const FAILURES = {
  Invalid: {
    status: 400,
    description:
      'The query, a header or an id in the path is not valid (`CRUD_ERR_INVALID`), or the answer would be too large, or more records would be removed than `max-affected` allows (`CRUD_ERR_TOO_LARGE`).',
    code: 'CRUD_ERR_INVALID',
    detail: 'the request is not valid',
  },
  InvalidBody: {
    status: 400,
    description:
      'The body, the query, a header or an id in the path is not valid (`CRUD_ERR_INVALID`), the body names a record that does not exist or has another owner (`CRUD_ERR_UNKNOWN_REFERENCE`), or more records would be written than `max-affected` allows (`CRUD_ERR_TOO_LARGE`). `errors` lists every problem.',
    code: 'CRUD_ERR_INVALID',
    detail: '/name: is required',
    pointer: '/name',
  },
  NotFound: {
    status: 404,
    description: 'An id in the path names no record, or a record of another owner (`CRUD_ERR_NOT_FOUND`).',
    code: 'CRUD_ERR_NOT_FOUND',
    detail: 'there is no record 7',
  },
  Conflict: {
    status: 409,
    description:
      'A unique value is taken (`CRUD_ERR_NOT_UNIQUE`), a record that would be removed is still needed (`CRUD_ERR_STILL_NEEDED`), or a rule or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_NOT_UNIQUE',
    detail: 'the value is taken',
  },
  Taken: {
    status: 409,
    description:
      'The id is taken, or the owner has its only record (`CRUD_ERR_EXISTS`), a unique value is taken (`CRUD_ERR_NOT_UNIQUE`), or a rule or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_EXISTS',
    detail: 'the record exists already',
  },
  PreconditionRequired: {
    status: 428,
    description: 'The request needs `If-Match` (`CRUD_ERR_PRECONDITION`).',
    code: 'CRUD_ERR_PRECONDITION',
    detail: 'send If-Match, with the ETag of the record as you have read it',
  },
  StillNeeded: {
    status: 409,
    description:
      'The record, or one that would be deleted with it, is still needed (`CRUD_ERR_STILL_NEEDED`), or a rule or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_STILL_NEEDED',
    detail: 'the record is still needed by 2 others',
  },
} as const satisfies Readonly<Record<string, Failure>>

/** Of statuses that are not the one of their code. */
const STATUS_TITLES: Readonly<Record<number, string>> = { 428: 'Precondition Required' }

export type FailureName = keyof typeof FAILURES

export function statusOf(name: FailureName): number {
  return FAILURES[name].status
}

/** What is answered to a request that fails so. */
export function failureResponse(name: FailureName, problem: JsonSchema): OpenApiResponse {
  const failure: Failure = FAILURES[name]
  return {
    description: failure.description,
    content: { [PROBLEM_MEDIA_TYPE]: { schema: problem, example: exampleOf(failure) } },
  }
}

function missing(pointer: string): JsonSchema {
  const params = { missingProperty: pointer.slice(1) }
  return { pointer, message: 'is required', keyword: 'required', params }
}

function exampleOf({ status, code, detail, pointer }: Failure): JsonSchema {
  return {
    type: problemType(code),
    title: STATUS_TITLES[status] ?? errorKinds[code].title,
    status,
    code,
    detail,
    errors: pointer === undefined ? [] : [missing(pointer)],
  }
}
