import type { ServiceModel } from '../service-model.ts'
import type { QueryClientOf } from './query-types.ts'
import { type AskedQuery, shownBy } from './reach.ts'

/** What a query is for; undefined: it is none of these. */
export function askedBy({ meta }: { readonly meta: unknown }, name: string): AskedQuery | undefined {
  return (meta as Readonly<Record<string, AskedQuery | undefined>> | undefined)?.[name]
}

/** Makes all queries stale that may show a record of these resources; undefined: of any. */
export async function invalidateShown(
  queryClient: QueryClientOf,
  name: string,
  model: ServiceModel,
  changed: ReadonlySet<string> | undefined,
): Promise<void> {
  await queryClient.invalidateQueries({
    predicate(query) {
      const of = askedBy(query, name)
      if (of === undefined) return false
      const shown = shownBy(model, of)
      return changed === undefined || shown === undefined || [...shown].some((one) => changed.has(one))
    },
  })
}
