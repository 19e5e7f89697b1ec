// biome-ignore lint/suspicious/noExplicitAny: a caller of which nothing is known
export type AnyCaller = Readonly<Record<string, any>>

/** The caller of a request that the application has not named. */
export const NO_CALLER: AnyCaller = Object.freeze({})

/** The caller in the context of a request; undefined where the calling code does not name one. */
export function callerIn(requestContext: unknown): AnyCaller | undefined {
  return (requestContext as { readonly caller?: AnyCaller } | null | undefined)?.caller
}
