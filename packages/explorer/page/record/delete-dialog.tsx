import { hrefOf } from '../address.ts'
import { EffectsDialog } from '../effects/effects-dialog.tsx'
import type { Id, Row } from '../model/model.ts'
import { incomingOf, titleOf } from '../model/names.ts'
import type { ServiceError } from '../service/problem.ts'
import { useModel } from '../service/use-model.tsx'

interface DeleteDialogProps {
  readonly path: string
  readonly resource: string
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Says what goes along before it is done, and where something is in the way, what it is. */
export function DeleteDialog({ path, resource, row, onClose, onDone }: DeleteDialogProps) {
  const model = useModel()
  const described = model.resources[resource]
  // That the record is as one has seen it is said by its effects, with all that goes along.
  const headers: Readonly<Record<string, string>> = described?.ifMatch === 'required' ? { 'if-match': '*' } : {}
  return (
    <EffectsDialog
      title={`Delete ${titleOf(resource, described, row)}?`}
      verb="Delete"
      isDanger
      request={{ path, method: 'DELETE', headers }}
      onClose={onClose}
      onDone={onDone}
      refusal={(error) => <Blockers error={error} resource={resource} id={row.id as Id} />}
    />
  )
}

interface BlockersProps {
  readonly error: ServiceError
  readonly resource: string
  readonly id: Id
}

function Blockers({ error, resource, id }: BlockersProps) {
  const incoming = incomingOf(useModel(), resource)
  return (
    <ul>
      {error.blockers.map((blocker) => {
        const found = incoming.find((one) => one.resource === blocker.resource && one.relation === blocker.relation)
        const words = `${blocker.count} ${blocker.resource} by ${blocker.relation}`
        if (found?.list === undefined) return <li key={words}>{words}</li>
        const query = new URLSearchParams({ [`filter[${found.list.filter}]`]: String(id) }).toString()
        return (
          <li key={words}>
            <a href={hrefOf(found.list.path, query)}>{words}</a>
          </li>
        )
      })}
    </ul>
  )
}
