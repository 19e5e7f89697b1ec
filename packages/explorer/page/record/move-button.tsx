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

/** Takes an owned record to another owner at once, and says so. `more`: its place there. `onMoved` is called before the
 * page reads what that has changed. */
export function useMove() {
  const { resources } = useModel()
  const forget = useForget()
  return async (
    child: Draft,
    relation: Relation,
    path: string,
    owner: Row,
    more: Row = {},
    onMoved?: () => void,
  ): Promise<void> => {
    if (relation.foreignKey === undefined) return
    const { body } = await ask<Row>(path, { method: 'PATCH', body: { [relation.foreignKey]: owner.id, ...more } })
    onMoved?.()
    const title = titleOf(child.resource, resources[child.resource], body)
    say({ text: `${title} is in ${titleOf(relation.target, resources[relation.target], owner)} now.` })
    await forget()
  }
}

interface MoveButtonProps {
  readonly child: Draft
  /** The child's relation to its owner, which says `moves`. */
  readonly relation: Relation
  readonly path: string
}

/** It is no part of this one's form any more then. */
export function MoveButton({ child, relation, path }: MoveButtonProps) {
  const model = useModel()
  const moveTo = useMove()
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
    if (target.id === null) return
    try {
      await moveTo(child, relation, path, { ...target.row, id: target.id }, {}, close)
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
