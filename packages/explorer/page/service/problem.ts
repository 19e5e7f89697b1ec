import type { Change } from '../effects/effects.ts'
import { shortText } from '../model/value-text.ts'

/** A problem of a value, as the service says it. */
export interface Problem {
  readonly pointer?: string
  readonly parameter?: string
  readonly message: string
  readonly keyword?: string
}

export interface Blocker {
  readonly resource: string
  readonly relation: string
  readonly count: number
}

/** An answer that is no success. Its message is the service's own words. */
export class ServiceError extends Error {
  readonly status: number
  readonly code: string | undefined
  readonly errors: readonly Problem[]
  readonly blockers: readonly Blocker[]
  /** What later writes have changed of that which an undo would set back. */
  readonly changes: readonly Change[]

  constructor(status: number, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>
    const { detail, title, message } = problem
    const words = [detail, title, message].find((text) => typeof text === 'string' && text !== '')
    super(shortText(String(words ?? `status ${status}`)))
    this.name = 'ServiceError'
    this.status = status
    this.code = typeof problem.code === 'string' ? problem.code : undefined
    this.errors = objectsIn<Problem>(problem.errors).map((one) => ({ ...one, message: shortText(String(one.message)) }))
    this.blockers = objectsIn(problem.blockers)
    this.changes = objectsIn(problem.changes)
  }
}

const objectsIn = <T extends object>(value: unknown): T[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ServiceError ? error.status : undefined
