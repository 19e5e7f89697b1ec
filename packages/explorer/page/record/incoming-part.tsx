import { hrefOf } from '../address.ts'
import type { Id } from '../model/model.ts'
import { type Incoming, incomingOf } from '../model/names.ts'
import { useList, useModel } from '../service/use-model.tsx'

/** Which other records refer to this one, with their lists. */
export function IncomingPart({ resource, id }: { readonly resource: string; readonly id: Id }) {
  const model = useModel()
  const incoming = incomingOf(model, resource).filter(({ list }) => list !== undefined)
  if (incoming.length === 0) return null
  return (
    <section>
      <h2>Used by</h2>
      <ul className="used">
        {incoming.map((one) => (
          <IncomingLine key={`${one.resource}.${one.relation}`} incoming={one} id={id} />
        ))}
      </ul>
    </section>
  )
}

function IncomingLine({ incoming, id }: { readonly incoming: Incoming; readonly id: Id }) {
  const { list, resource, relation } = incoming
  const query = new URLSearchParams({ [`filter[${list?.filter}]`]: String(id) }).toString()
  const { data, isError } = useList(list?.path, `${query}&limit=1&count=1000`)
  const name = list?.resource === resource ? resource : `${list?.resource} with such a ${resource}`
  const count =
    data?.count === undefined ? (isError ? '?' : '') : `${data.count}${data.countIs === 'atLeast' ? '+' : ''}`
  return (
    <li>
      <a href={hrefOf(String(list?.path), query)} title={`by ${relation}`}>
        {name}
      </a>
      <span className="soft">{count}</span>
    </li>
  )
}
