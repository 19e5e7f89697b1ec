import { type ErrorCode, errorKinds } from '../errors.ts'
import type { JsonSchema } from './json-schema.ts'

/** The media type of every error. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json'

/** The `type` of a problem, e.g. `urn:fastify-crud:still-needed`. */
export function problemType(code: ErrorCode): string {
  return `urn:fastify-crud:${code.slice('CRUD_ERR_'.length).toLowerCase().replaceAll('_', '-')}`
}

const CODES = Object.keys(errorKinds) as ErrorCode[]

/**
 * The schema of every error (RFC 9457). Applications and their hooks may answer codes and members of their own, so
 * neither is a closed set.
 */
export const problemSchema: JsonSchema = {
  title: 'Problem',
  description: 'Why a request failed (RFC 9457).',
  type: 'object',
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'Says the same as `code`, as a URI.',
      examples: CODES.map(problemType),
    },
    title: { type: 'string', description: 'The HTTP status in words.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    code: { type: 'string', description: 'What happened, for programs. It never changes.', examples: CODES },
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
            description: "The place in the request's body (RFC 6901). Empty for the body itself.",
            examples: ['/chapters/2/title'],
          },
          message: { type: 'string', description: 'What is wrong there.' },
        },
        required: ['pointer', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'code', 'detail'],
}
