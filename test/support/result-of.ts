import type { Answer } from './app.ts'

/** The status of an answer and, if it is a refusal, its code: `200`, or `409 CRUD_ERR_EXISTS`. */
export function resultOf(answer: Answer | undefined): string {
  const { status, body } = answer ?? {}
  return status === undefined || status < 400 ? `${status}` : `${status} ${body?.code}`
}
