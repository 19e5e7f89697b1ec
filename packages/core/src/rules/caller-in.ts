/** Who asks, of what the calling code has handed in for a request; an empty object where it does not say. */
export function callerIn(requestContext: unknown): Readonly<Record<string, unknown>> {
  const { caller } = (requestContext ?? NOTHING) as { readonly caller?: Readonly<Record<string, unknown>> }
  return caller ?? NOTHING
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({})
