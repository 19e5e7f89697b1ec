import { type ErrorCode, errorKinds } from '../errors.ts'
import { problemId } from './component-id.ts'
import type { JsonSchema } from './json-schema.ts'
import { PROBLEM_MEDIA_TYPE, problemType } from './problem-schema.ts'

/** What an operation can answer, by status. */
export type Responses = Readonly<Record<number, JsonSchema>>

/** An answer with a JSON body. */
export function jsonResponse(description: string, schema: JsonSchema, headers?: JsonSchema): JsonSchema {
  return { description, ...(headers && { headers }), content: { 'application/json': { schema } } }
}

/** An answer without a body. */
export function emptyResponse(description: string): JsonSchema {
  // How a response without content is written for Fastify.
  return { type: 'null', description }
}

/** One way in which an operation can fail. */
interface ErrorResponse {
  readonly status: number
  readonly description: string
  readonly code: ErrorCode
  readonly detail: string
  /** Where it is not the title that belongs to the code. */
  readonly title?: string
  readonly pointer?: string
  readonly headers?: JsonSchema
}

const ERRORS = {
  badRequest: {
    status: 400,
    description:
      'The query or an id in the path does not fit (`CRUD_ERR_INVALID`), or the answer would be too large (`CRUD_ERR_TOO_LARGE`).',
    code: 'CRUD_ERR_INVALID',
    detail: 'the request is not valid',
  },
  badBody: {
    status: 400,
    description:
      "The body or an id in the path does not fit (`CRUD_ERR_INVALID`), or the body names a record that does not exist or is not this owner's (`CRUD_ERR_UNKNOWN_REFERENCE`). `errors` lists every problem.",
    code: 'CRUD_ERR_INVALID',
    detail: '/name: is required',
    pointer: '/name',
  },
  forbidden: {
    status: 403,
    description: 'Access is denied.',
    code: 'CRUD_ERR_FORBIDDEN',
    detail: 'access is denied',
  },
  notFound: {
    status: 404,
    description: 'An id names no record, or not one of this owner.',
    code: 'CRUD_ERR_NOT_FOUND',
    detail: 'there is no record 7',
  },
  conflict: {
    status: 409,
    description:
      'A unique value is taken (`CRUD_ERR_NOT_UNIQUE`), a record that would be removed is still needed (`CRUD_ERR_STILL_NEEDED`), or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_NOT_UNIQUE',
    detail: 'the value is taken',
  },
  taken: {
    status: 409,
    description:
      'The place is taken (`CRUD_ERR_EXISTS`), or a unique value is (`CRUD_ERR_NOT_UNIQUE`), or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_EXISTS',
    detail: 'the record is there already',
  },
  stillNeeded: {
    status: 409,
    description:
      'The record, or one that would go with it, is still needed (`CRUD_ERR_STILL_NEEDED`), or the database refused the change (`CRUD_ERR_REFUSED`).',
    code: 'CRUD_ERR_STILL_NEEDED',
    detail: 'the record is still needed by 2 others',
  },
  tooLarge: {
    status: 413,
    description: 'The body is too large.',
    code: 'CRUD_ERR_BODY',
    detail: 'the body is too large',
  },
  wrongMediaType: {
    status: 415,
    description: 'The body is not JSON.',
    code: 'CRUD_ERR_BODY',
    title: 'Unsupported Media Type',
    detail: 'the body must be application/json',
  },
  internal: {
    status: 500,
    description:
      'The connection to the database was lost during the write, so that nobody knows whether it was done (`CRUD_ERR_OUTCOME_UNKNOWN`); or anything else went wrong.',
    code: 'CRUD_ERR_INTERNAL',
    detail: 'internal error',
  },
  busy: {
    status: 503,
    description: 'The database is busy with other writes; try again.',
    code: 'CRUD_ERR_BUSY',
    detail: 'the database is busy with other writes; try again',
    headers: { 'Retry-After': { type: 'integer', minimum: 0, description: 'After how many seconds to try again.' } },
  },
} as const satisfies Readonly<Record<string, ErrorResponse>>

export type ErrorName = keyof typeof ERRORS

// Made once: a large model has thousands of routes.
const EXAMPLES: ReadonlyMap<string, JsonSchema> = new Map(
  Object.entries<ErrorResponse>(ERRORS).map(([name, error]) => [name, exampleOf(error)]),
)

/** All that an operation can answer: its success and its errors. */
export function responsesOf(
  [status, success]: readonly [status: number, success: JsonSchema],
  errors: readonly ErrorName[],
  idPrefix: string,
): Responses {
  const schema = { $ref: `${problemId(idPrefix)}#` }
  const responses: Record<number, JsonSchema> = {}
  for (const name of errors) {
    const { status, description, headers }: ErrorResponse = ERRORS[name]
    const content = { [PROBLEM_MEDIA_TYPE]: { schema, example: EXAMPLES.get(name) } }
    responses[status] = headers === undefined ? { description, content } : { description, headers, content }
  }
  // Last, because an object whose first index is as low as 200 is laid out as an array with 200 holes.
  responses[status] = success
  return responses
}

function exampleOf({ status, code, detail, title, pointer }: ErrorResponse): JsonSchema {
  return {
    type: problemType(code),
    title: title ?? errorKinds[code].title,
    status,
    code,
    detail,
    ...(pointer !== undefined && { errors: [{ pointer, message: 'is required' }] }),
  }
}
