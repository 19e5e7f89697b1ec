import type { Id } from './ids/id-kind.ts'

/** The tenant in the context of a request; null where the calling code names none: then no row is its own. */
export function tenantIn(requestContext: unknown): Id | null {
  return (requestContext as { readonly tenant?: Id } | null | undefined)?.tenant ?? null
}
