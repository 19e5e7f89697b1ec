import { type ErrorCode, errorKinds } from '../errors.ts'
import { problemId } from './component-id.ts'
import type { ComponentSchema } from './json-schema.ts'

/** The media type of every error. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** The `type` of a problem, e.g. `urn:fastify-crud:still-needed`. */
export function problemType(code: ErrorCode): string {
  return `urn:fastify-crud:${code.slice('CRUD_ERR_'.length).toLowerCase().replaceAll('_', '-')}`
}

const CODES = Object.keys(errorKinds) as ErrorCode[]

/** The schema of every error (RFC 9457); further members are allowed, as the RFC asks of clients. */
export function problemSchema(idPrefix = ''): ComponentSchema {
  return {
    $id: problemId(idPrefix),
    title: 'Problem',
    description: 'What is wrong with a request (RFC 9457).',
    type: 'object',
    properties: {
      type: { type: 'string', format: 'uri', description: 'Says the same as `code`.', enum: CODES.map(problemType) },
      title: { type: 'string', description: 'The HTTP status in words.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      code: { type: 'string', enum: CODES, description: 'What happened; stable, for programs to look at.' },
      detail: { type: 'string', description: 'What happened, in words.' },
      errors: {
        type: 'array',
        description: 'Every problem of the request, not only the first.',
        items: {
          type: 'object',
          properties: {
            pointer: {
              type: 'string',
              format: 'json-pointer',
              description: "Where in the request's body (RFC 6901); empty for the body itself.",
              examples: ['/chapters/2/title'],
            },
            message: { type: 'string' },
          },
          required: ['pointer', 'message'],
        },
      },
    },
    required: ['type', 'title', 'status', 'code', 'detail'],
  }
}
