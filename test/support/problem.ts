import { expect } from 'vitest'
import type { Answer } from './app.ts'

/** Every code that has one status, with that status. */
const statuses = {
  CRUD_ERR_INVALID: 400,
  CRUD_ERR_TOO_LARGE: 400,
  CRUD_ERR_UNKNOWN_REFERENCE: 400,
  CRUD_ERR_FORBIDDEN: 403,
  CRUD_ERR_NOT_FOUND: 404,
  CRUD_ERR_METHOD: 405,
  CRUD_ERR_STILL_NEEDED: 409,
  CRUD_ERR_NOT_UNIQUE: 409,
  CRUD_ERR_EXISTS: 409,
  CRUD_ERR_REFUSED: 409,
  CRUD_ERR_REPEAT: 422,
  CRUD_ERR_OUTCOME_UNKNOWN: 500,
  CRUD_ERR_INTERNAL: 500,
  CRUD_ERR_BUSY: 503,
} as const

/** A code with several statuses: a test says which one it expects. */
interface BodyProblem {
  readonly code: 'CRUD_ERR_BODY'
  readonly status: 413 | 415
}

interface PreconditionProblem {
  readonly code: 'CRUD_ERR_PRECONDITION'
  readonly status: 412 | 428
}

interface OtherProblem {
  readonly code: keyof typeof statuses
}

interface Places {
  /** Exactly these places of the body are named, in any order. */
  readonly pointers?: readonly string[]
  /** Exactly these parameters are named, in any order. */
  readonly parameters?: readonly string[]
  /** The words that `detail` has. */
  readonly detail?: RegExp
}

/** What a refusal must look like. */
export type ExpectedProblem = (BodyProblem | PreconditionProblem | OtherProblem) & Places

/** Fails unless the answer is a problem+json in the one shape, with what was expected of it. */
export function expectProblem(answer: Answer, expected: ExpectedProblem): void {
  const { body, status } = answer
  expect(body?.code, JSON.stringify(body)).toBe(expected.code)
  expect(status).toBe('status' in expected ? expected.status : statuses[expected.code])
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json\b/)
  expect(body).toMatchObject({
    type: expect.stringMatching(/^urn:fastify-crud:[a-z-]+$/),
    title: expect.stringMatching(/\w/),
    status,
    detail: expect.stringMatching(/\w/),
    errors: expect.any(Array),
  })
  for (const error of body.errors) {
    expect(error).toMatchObject({ message: expect.stringMatching(/\w/) })
    if ('parameter' in error) expect(error).toMatchObject({ parameter: expect.any(String) })
    else expect(error).toMatchObject({ pointer: expect.stringMatching(/^(\/.*)?$/s) })
    expect('parameter' in error && 'pointer' in error, 'has one place').toBe(false)
  }
  if (expected.pointers !== undefined) expect(placesIn(body, 'pointer')).toEqual([...expected.pointers].sort())
  if (expected.parameters !== undefined) expect(placesIn(body, 'parameter')).toEqual([...expected.parameters].sort())
  if (expected.detail !== undefined) expect(body.detail).toMatch(expected.detail)
}

function placesIn({ errors }: Answer['body'], kind: 'pointer' | 'parameter'): string[] {
  const places: string[] = errors.flatMap((error: Record<string, string>) => error[kind] ?? [])
  return [...new Set(places)].sort()
}
