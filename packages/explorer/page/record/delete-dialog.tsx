import type { Effects } from '../effects/effects.ts'
import { EffectsDialog } from '../effects/effects-dialog.tsx'
import type { Row } from '../model/model.ts'
import { titleOf } from '../model/names.ts'
import { useResource } from '../service/use-model.tsx'
import { Blockers } from './blockers.tsx'

interface DeleteDialogProps {
  readonly path: string
  readonly resource: string
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: (effects: Effects | undefined) => void
}

/** Says what goes along before it is done, and where something is in the way, what it is. */
export function DeleteDialog({ path, resource, row, onClose, onDone }: DeleteDialogProps) {
  const described = useResource(resource)
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
      refusal={({ blockers }) => <Blockers blockers={blockers} resource={resource} ids={[row.id]} />}
    />
  )
}
