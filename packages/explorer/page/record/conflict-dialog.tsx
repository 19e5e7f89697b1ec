import { useState } from 'react'
import type { Draft } from '../draft/draft.ts'
import { type Choice, defaultChoice, differencesOf, lostIn, mergeDrafts } from '../draft/merge.ts'
import { Dialog } from '../parts/popover.tsx'

interface ConflictDialogProps {
  readonly mine: Draft
  readonly theirs: Draft
  readonly onMerge: (merged: Draft) => void
  readonly onTake: () => void
  readonly onClose: () => void
}

/** Somebody else saved first: the values side by side, and which of them stay. */
export function ConflictDialog({ mine, theirs, onMerge, onTake, onClose }: ConflictDialogProps) {
  const differences = differencesOf(mine, theirs)
  const lost = lostIn(mine, theirs)
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const choose = (id: string, choice: Choice) => setChoices(new Map([...choices, [id, choice]]))
  return (
    <Dialog title="Somebody else saved first" wide onClose={onClose}>
      <p className="soft">Choose for each value what stays. Nothing is saved yet.</p>
      <div className="compare">
        {['value', 'as you read it', 'theirs', 'yours'].map((heading) => (
          <span key={heading} className="heading">
            {heading}
          </span>
        ))}
        {differences.map((difference) => {
          const choice = choices.get(difference.id) ?? defaultChoice(difference)
          return [
            <span key={difference.id}>{difference.path}</span>,
            <span key={`${difference.id}-base`} className="soft">
              {said(difference.base)}
            </span>,
            ...(['theirs', 'mine'] as const).map((side) => (
              <label key={`${difference.id}-${side}`} className="pick">
                <input
                  type="radio"
                  name={difference.id}
                  aria-label={`${difference.path}, ${side === 'mine' ? 'yours' : 'theirs'}: ${said(difference[side])}`}
                  checked={choice === side}
                  onChange={() => choose(difference.id, side)}
                />
                {said(difference[side])}
              </label>
            )),
          ]
        })}
      </div>
      {differences.length === 0 && <p>Your values are the same. They have changed something beside them.</p>}
      {lost.length > 0 && (
        <div className="note warn">
          They have deleted {lost.map(({ resource, id }) => `${resource} ${String(id)}`).join(', ')}, so your changes of
          that are lost.
        </div>
      )}
      <div className="foot">
        <button type="button" className="button" onClick={onClose}>
          Keep editing
        </button>
        <button type="button" className="button" onClick={onTake}>
          Take theirs
        </button>
        <button type="button" className="button main" onClick={() => onMerge(mergeDrafts(mine, theirs, choices))}>
          Save this
        </button>
      </div>
    </Dialog>
  )
}

const said = (value: unknown): string =>
  value === null || value === undefined ? '—' : typeof value === 'object' ? JSON.stringify(value) : String(value)
