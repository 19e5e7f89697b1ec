import type { JsonSchema } from '@fastify-crud/core/internal'
import type { Components } from '../components/components.ts'
import type { OpenApiResponse } from '../components/openapi-document.ts'
import { PROBLEM_MEDIA_TYPE } from '../schemas/problem-schema.ts'

/** What every operation can answer, by status. It is not listed for each of them. */
const OTHERS: Readonly<Record<number, string>> = {
  403: 'access is denied (`CRUD_ERR_FORBIDDEN`).',
  412: 'the condition of `If-Match` or `If-None-Match` is not met (`CRUD_ERR_PRECONDITION`).',
  413: 'the body is too large (`CRUD_ERR_BODY`).',
  415: 'the body is not JSON (`CRUD_ERR_BODY`).',
  422: 'the `Idempotency-Key` was already used with another body (`CRUD_ERR_REPEAT`).',
  500: 'the connection to the database was lost during the write, so it may or may not be done (`CRUD_ERR_OUTCOME_UNKNOWN`), or something else went wrong (`CRUD_ERR_INTERNAL`).',
  503: 'the database is busy or not available (`CRUD_ERR_BUSY`); try again.',
}

export function isOther(status: number): boolean {
  return Object.hasOwn(OTHERS, status)
}

/** The `default` answer: what every operation can answer, and what hooks of the application answer. */
export function otherResponse(
  problem: JsonSchema,
  headers: Components<JsonSchema>,
  canBeDenied: boolean,
): OpenApiResponse {
  const statuses = Object.entries(OTHERS).filter(([status]) => canBeDenied || status !== '403')
  return {
    description: ['Any other error.', ...statuses.map(([status, what]) => `${status}: ${what}`)].join(' '),
    headers: { 'Retry-After': headers.ref('RetryAfter', () => RETRY_AFTER) },
    content: { [PROBLEM_MEDIA_TYPE]: { schema: problem } },
  }
}

const RETRY_AFTER: JsonSchema = {
  description: 'With 503: after how many seconds to try again.',
  schema: { type: 'integer', minimum: 0 },
}
