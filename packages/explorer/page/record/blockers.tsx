import { hrefOf } from '../address.ts'
import { incomingOf } from '../model/names.ts'
import type { Blocker } from '../service/problem.ts'
import { useModel } from '../service/use-model.tsx'

interface BlockersProps {
  readonly blockers: readonly Blocker[]
  readonly resource: string
  /** The records that they keep from being deleted. */
  readonly ids: readonly unknown[]
}

/** Which records need one that is to be deleted, with their lists. */
export function Blockers({ blockers, resource, ids }: BlockersProps) {
  const incoming = incomingOf(useModel(), resource)
  return (
    <ul>
      {blockers.map((blocker) => {
        const found = incoming.find((one) => one.resource === blocker.resource && one.relation === blocker.relation)
        const words = `${blocker.count} ${blocker.resource} by ${blocker.relation}`
        if (found?.list === undefined) return <li key={words}>{words}</li>
        const { path, filter } = found.list
        const name = ids.length === 1 ? `filter[${filter}]` : `filter[${filter}][in]`
        const query = new URLSearchParams(ids.map((id) => [name, String(id)])).toString()
        return (
          <li key={words}>
            <a href={hrefOf(path, query)}>{words}</a>
          </li>
        )
      })}
    </ul>
  )
}
