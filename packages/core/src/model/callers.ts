import type { Id } from './ids/id-kind.ts'

// biome-ignore lint/suspicious/noExplicitAny: a caller of which nothing is known
export type AnyCaller = Readonly<Record<string, any>>

/** The caller of a request that the application has not named. */
export const NO_CALLER: AnyCaller = Object.freeze({})

/** The caller in the context of a request; undefined where the calling code does not name one. */
export function callerIn(requestContext: unknown): AnyCaller | undefined {
  return (requestContext as { readonly caller?: AnyCaller } | null | undefined)?.caller
}

/** The tenant in the context of a request; null where the calling code names none: then no row is its own. */
export function tenantIn(requestContext: unknown): Id | null {
  return (requestContext as { readonly tenant?: Id } | null | undefined)?.tenant ?? null
}

/** Who asks. It is passed on as it is: only what is about callers or tenants takes it apart. */
export interface Asker<C = AnyCaller> {
  /** The caller; an empty object where the application has not said who asks. */
  readonly caller: unknown extends C ? AnyCaller : C
  /** The id of the tenant whose records it is about; null in a model without tenants, and for what all of them
   * share. */
  readonly tenant: Id | null
}

export function askerIn(requestContext: unknown): Asker {
  return { caller: callerIn(requestContext) ?? NO_CALLER, tenant: tenantIn(requestContext) }
}

/** What `my('x', type)` may say of a value of the caller that no column is beside. */
export const CALLERS_TYPES = ['string', 'integer', 'number', 'boolean', 'decimal', 'date', 'date-time'] as const

export type CallersTypeName = (typeof CALLERS_TYPES)[number]
