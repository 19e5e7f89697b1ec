import { useState } from 'react'
import { hrefOf } from '../address.ts'
import type { Id, Row } from '../model/model.ts'
import { incomingOf, titleOf } from '../model/names.ts'
import { Dialog } from '../parts/popover.tsx'
import { ask } from '../service/ask.ts'
import { ServiceError } from '../service/problem.ts'
import { useModel } from '../service/use-model.tsx'

interface DeleteDialogProps {
  readonly path: string
  readonly resource: string
  readonly row: Row
  readonly etag: string | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Asks once more, says what goes along, and where something is in the way, what it is. */
export function DeleteDialog({ path, resource, row, etag, onClose, onDone }: DeleteDialogProps) {
  const model = useModel()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const parts = partsOf(model, resource, row)
  const title = titleOf(resource, model.resources[resource], row)
  const remove = async () => {
    setBusy(true)
    try {
      await ask(path, { method: 'DELETE', headers: etag === undefined ? {} : { 'if-match': etag } })
      onDone()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Delete ${title}?`} onClose={onClose}>
      {parts.length > 0 && (
        <p>What it owns goes with it: {parts.map(({ name, count }) => `${count} ${name}`).join(', ')}.</p>
      )}
      {parts.length === 0 && <p className="soft">It owns no other records.</p>}
      {error !== undefined && (
        <div className="note bad" role="alert">
          {error instanceof ServiceError
            ? error.status === 412
              ? 'Somebody has changed it meanwhile. Close this, and look again.'
              : error.message
            : 'The service did not answer. Whether it was done is not known.'}
          {error instanceof ServiceError && <Blockers error={error} resource={resource} id={row.id as Id} />}
        </div>
      )}
      <div className="foot">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="button danger main" disabled={isBusy} onClick={() => void remove()}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}

function Blockers({
  error,
  resource,
  id,
}: {
  readonly error: ServiceError
  readonly resource: string
  readonly id: Id
}) {
  const incoming = incomingOf(useModel(), resource)
  return (
    <ul>
      {error.blockers.map((blocker) => {
        const list = incoming.find(
          (one) => one.resource === blocker.resource && one.relation === blocker.relation,
        )?.list
        const words = `${blocker.count} ${blocker.resource} by ${blocker.relation}`
        return (
          <li key={words}>
            {list === undefined ? (
              words
            ) : (
              <a href={hrefOf(list.path, new URLSearchParams({ [`filter[${list.filter}]`]: String(id) }).toString())}>
                {words}
              </a>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function partsOf(model: ReturnType<typeof useModel>, resource: string, row: Row): { name: string; count: number }[] {
  const owning = Object.entries(model.resources[resource]?.relations ?? {}).filter(([, { kind }]) =>
    kind.startsWith('owns'),
  )
  return owning.flatMap(([name, { target }]) => {
    const rows = [row[name] ?? []].flat() as Row[]
    if (rows.length === 0) return []
    const below = new Map<string, number>([[name, rows.length]])
    for (const child of rows)
      for (const part of partsOf(model, target, child)) below.set(part.name, (below.get(part.name) ?? 0) + part.count)
    return [...below].map(([one, count]) => ({ name: one, count }))
  })
}
