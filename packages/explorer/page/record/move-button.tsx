import { useState } from 'react'
import type { Draft } from '../draft/draft.ts'
import type { Id, Relation, Row } from '../model/model.ts'
import { titleOf } from '../model/names.ts'
import { focusPage } from '../parts/focus.ts'
import { Dialog } from '../parts/popover.tsx'
import { ReferenceInput } from '../parts/reference-input.tsx'
import { say } from '../parts/toast.tsx'
import { ask } from '../service/ask.ts'
import { useForget, useModel } from '../service/use-model.tsx'

interface MoveButtonProps {
  readonly child: Draft
  /** The child's relation to its owner, which says `moves`. */
  readonly relation: Relation
  readonly path: string
}

/** Takes an owned record to another owner at once: it is no part of this one's form any more. */
export function MoveButton({ child, relation, path }: MoveButtonProps) {
  const model = useModel()
  const forget = useForget()
  const [isOpen, setOpen] = useState(false)
  const [target, setTarget] = useState<{ readonly id: Id | null; readonly row: Row | null }>({ id: null, row: null })
  const [problem, setProblem] = useState<string>()
  const title = titleOf(child.resource, model.resources[child.resource], child.base)
  const close = () => {
    setOpen(false)
    setProblem(undefined)
    setTarget({ id: null, row: null })
  }
  const move = async () => {
    const { foreignKey } = relation
    if (foreignKey === undefined || target.id === null) return
    try {
      const { body } = await ask<Row>(path, { method: 'PATCH', body: { [foreignKey]: target.id } })
      close()
      say({
        text: `${titleOf(child.resource, model.resources[child.resource], body)} is in ${titleOf(relation.target, model.resources[relation.target], target.row ?? undefined)} now.`,
      })
      await forget()
      focusPage()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <>
      <button
        type="button"
        className="button plain little"
        aria-label={`Move ${title} to another ${relation.target}`}
        onClick={() => setOpen(true)}
      >
        Move
      </button>
      {isOpen && (
        <Dialog title={`Move ${title} to another ${relation.target}`} onClose={close}>
          <ReferenceInput
            target={relation.target}
            value={target.id}
            shown={target.row}
            label={relation.target}
            required
            onChange={(id, row) => setTarget({ id, row })}
          />
          {problem !== undefined && (
            <div className="problem" role="alert">
              {problem}
            </div>
          )}
          <div className="foot">
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
            <button type="button" className="button main" disabled={target.id === null} onClick={() => void move()}>
              Move
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
