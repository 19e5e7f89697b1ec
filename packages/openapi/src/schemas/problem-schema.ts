import type { CrudErrorCode } from '@fastify-crud/core'
import { errorKinds, type JsonSchema } from '@fastify-crud/core/internal'

/** The media type of every error. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** The `type` of a problem, e.g. `urn:fastify-crud:still-needed`. */
export function problemType(code: CrudErrorCode): string {
  return `urn:fastify-crud:${code.slice('CRUD_ERR_'.length).toLowerCase().replaceAll('_', '-')}`
}

const CODES = Object.keys(errorKinds) as CrudErrorCode[]

const CODE = 'What happened, for programs. It never changes.'

const MEMBERS: Readonly<Record<string, JsonSchema>> = {
  type: {
    type: 'string',
    format: 'uri-reference',
    description: 'Says the same as `code`, as a URI.',
    examples: CODES.map(problemType),
  },
  title: { type: 'string', description: 'The HTTP status in words.' },
  status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
  code: {},
  detail: { type: 'string', description: 'What happened, for people.' },
  errors: {
    type: 'array',
    description: 'Every problem of the request, not only the first.',
    items: {
      type: 'object',
      properties: {
        pointer: {
          type: 'string',
          format: 'json-pointer',
          description: "A pointer into the request's body (RFC 6901). Empty for the body itself.",
          examples: ['/chapters/2/title'],
        },
        parameter: {
          type: 'string',
          description: 'Instead of `pointer`: the parameter of the query or the path, or the header, that is wrong.',
          examples: ['sort', 'filter[price][gte]'],
        },
        message: { type: 'string', description: 'What is wrong there, for people.' },
        keyword: {
          type: 'string',
          description: 'What is wrong there, for programs: a keyword of JSON Schema, or one of the service.',
          examples: ['minLength', 'required', 'reference'],
        },
        params: {
          type: 'object',
          description: 'Details, such as the limit.',
          additionalProperties: true,
          examples: [{ limit: 1 }],
        },
      },
      required: ['message'],
    },
  },
  blockers: {
    type: 'array',
    description: 'Of `CRUD_ERR_STILL_NEEDED`: the records in the way, as far as the caller may see them.',
    items: {
      type: 'object',
      properties: {
        resource: { type: 'string', description: 'The resource of these records.' },
        relation: { type: 'string', description: 'The relation through which they need the other record.' },
        count: { type: 'integer', minimum: 1 },
      },
      required: ['resource', 'relation', 'count'],
    },
  },
  request: { type: 'integer', minimum: 0, description: 'Of a batch: the index of the request that is refused.' },
  effects: {
    type: 'object',
    description: 'Of `CRUD_ERR_PRECONDITION`, where `Effects-Match` is not met: what the write would do now.',
    additionalProperties: true,
  },
}

/** With errors of the application that have a status and no code. */
const WITHOUT_CODE = 'ERR_HTTP'

/** The schema of every error of this library (RFC 9457). There may be more members. */
export const problemSchema: JsonSchema = {
  title: 'Problem',
  ...problemWith({ enum: [...CODES, WITHOUT_CODE] }),
}

/** The schema of an error with a status that the application adds: its hooks have codes of their own. */
export const applicationProblemSchema: JsonSchema = {
  title: 'ApplicationProblem',
  ...problemWith({ examples: [WITHOUT_CODE, 'OUT_OF_STOCK'] }),
}

function problemWith(codes: JsonSchema): JsonSchema {
  return {
    description: 'Why a request failed (RFC 9457).',
    type: 'object',
    properties: { ...MEMBERS, code: { type: 'string', description: CODE, ...codes } },
    required: ['type', 'title', 'status', 'code', 'detail'],
  }
}
