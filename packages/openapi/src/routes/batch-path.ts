import type { JsonSchema } from '@fastify-crud/core/internal'
import type { Components, OpenApiResponse, PathItem } from '../components/openapi-document.ts'
import type { OperationResponses } from './operation-responses.ts'
import { pathHeaders } from './path-parameters.ts'

/** What the path of batches is made of. */
export interface BatchPathContext {
  readonly idPrefix: string
  readonly schemas: Components<JsonSchema>
  readonly parameters: Components<JsonSchema>
  readonly responses: OperationResponses
  /** The most requests of a batch. */
  readonly most: number
}

/** The path by which several requests are one write. */
export function batchPath({ idPrefix, schemas, parameters, responses, most }: BatchPathContext): PathItem {
  const body = schemas.ref('batch', () => batchSchema(most))
  const success: OpenApiResponse = {
    description: 'The answers, in the order of the requests.',
    content: { 'application/json': { schema: { ...schemas.ref('batchAnswers', () => ANSWERS) } } },
  }
  const [, ...headers] = pathHeaders(false, parameters)
  return {
    parameters: headers,
    post: {
      operationId: `${idPrefix}batch`,
      summary: 'Carry out several requests as one write',
      description:
        'All of them are done, or none. Each sees what those before it have done. An error is that of the request which is refused, with its index as `request`, and pointers that begin with `/requests`.',
      tags: [],
      requestBody: { required: true, content: { 'application/json': { schema: { ...body } } } },
      responses: responses.ofBatch(success),
    },
  }
}

function batchSchema(most: number): JsonSchema {
  return {
    type: 'object',
    description: 'Several requests as one write.',
    properties: { requests: { type: 'array', maxItems: most, items: REQUEST } },
    required: ['requests'],
    additionalProperties: false,
  }
}

const REQUEST: JsonSchema = {
  type: 'object',
  properties: {
    method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    path: {
      type: 'string',
      pattern: '^/',
      description:
        'Behind the prefix of the service, with its query. `$new.a` stands for the id of the record that the request `a` creates.',
      examples: ['/author', '/author/$new.a'],
    },
    body: {
      description: 'That of the request. In place of an id or a foreign key, `{ "$new": "a" }` stands for the same.',
    },
    as: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,100}$',
      description: 'By what later requests name the record that this one creates.',
    },
    ifMatch: { type: 'string', description: 'As the header `If-Match` of a single request.' },
    maxAffected: {
      type: 'integer',
      minimum: 0,
      description: 'As the preference `max-affected` of a single request.',
    },
  },
  required: ['method', 'path'],
  additionalProperties: false,
}

const ANSWERS: JsonSchema = {
  type: 'object',
  description: 'What each request has answered.',
  properties: {
    answers: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          status: { type: 'integer', minimum: 200, maximum: 299 },
          location: {
            type: 'string',
            format: 'uri-reference',
            description: 'With 201: the path of the new record. Absent with `Prefer: tx=rollback`.',
          },
          etag: { type: 'string', description: 'Of a whole record.' },
          body: { description: 'As the request alone would have it. Absent where it would be empty.' },
        },
        required: ['status'],
        additionalProperties: false,
      },
    },
  },
  required: ['answers'],
  additionalProperties: false,
}
