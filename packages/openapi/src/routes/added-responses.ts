import type { JsonSchema } from '@fastify-crud/core/internal'
import type { Method, OpenApiResponse } from '../components/openapi-document.ts'
import type { AddedResponse, OpenApiOptions } from '../openapi-options.ts'
import { PROBLEM_MEDIA_TYPE } from '../schemas/problem-schema.ts'
import { isOther } from './other-response.ts'

/** A status that the application adds to those of this library. */
export interface Added {
  readonly status: number
  readonly response: OpenApiResponse
  /** The schema of problems with the status, those of this library too. */
  readonly problem: () => JsonSchema
  isOf(method: Method): boolean
}

/** Without `content`, an added status is answered as a problem. */
export function addedResponses({ responses = {} }: OpenApiOptions, problem: () => JsonSchema): Added[] {
  return Object.entries(responses).map(([status, given]) => {
    const { methods, ...response }: AddedResponse = typeof given === 'string' ? { description: given } : given
    return {
      status: Number(status),
      problem,
      response: response.content ? response : { ...response, content: { [PROBLEM_MEDIA_TYPE]: { schema: problem() } } },
      isOf: (method) => methods === undefined || methods.some((one) => one.toLowerCase() === method),
    }
  })
}

/** An added status for an operation that does not list it. This library may answer it all the same, as a problem. */
export function orOther({ status, response, problem }: Added): OpenApiResponse {
  if (!isOther(status)) return response
  return { ...response, content: { ...response.content, [PROBLEM_MEDIA_TYPE]: { schema: problem() } } }
}

/** A response of this library, where the application has declared the same status. */
export function withAdded(ours: OpenApiResponse, { response }: Added): OpenApiResponse {
  return {
    ...response,
    ...ours,
    description: `${ours.description} Or: ${response.description}`,
    ...(ours.headers || response.headers ? { headers: { ...response.headers, ...ours.headers } } : {}),
    content: { ...response.content, ...ours.content },
  }
}
