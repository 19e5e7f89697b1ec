import type { Change } from '../effects/effects.ts'

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
    super(
      typeof problem.detail === 'string'
        ? problem.detail
        : String(problem.title ?? problem.message ?? `status ${status}`),
    )
    this.name = 'ServiceError'
    this.status = status
    this.code = typeof problem.code === 'string' ? problem.code : undefined
    this.errors = Array.isArray(problem.errors) ? problem.errors : []
    this.blockers = Array.isArray(problem.blockers) ? problem.blockers : []
    this.changes = Array.isArray(problem.changes) ? problem.changes : []
  }
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ServiceError ? error.status : undefined
