import type { ComponentType } from 'react'
import { type Draft, moveOwned, newDraft, setOwned } from '../draft/draft.ts'
import type { Relation } from '../model/model.ts'
import { pathOfRecord, titleOf } from '../model/names.ts'
import { focusNext, keepFocus } from '../parts/focus.ts'
import { Glyph } from '../parts/glyph.tsx'
import { say } from '../parts/toast.tsx'
import { useModel } from '../service/use-model.tsx'
import { useDraftEditing } from './draft-context.tsx'
import { MoveButton, useMove } from './move-button.tsx'
import { useDragOrder } from './use-drag-order.ts'

interface OwnedPartProps {
  readonly draft: Draft
  readonly name: string
  readonly relation: Relation
  readonly level: number
  readonly path: string | undefined
  /** The form of a record. It comes from outside, as it has parts like this one in turn. */
  readonly Form: ComponentType<{ readonly draft: Draft; readonly level: number; readonly path: string | undefined }>
}

/** An owned record that is dragged, with its path and its owner's draft. */
interface Held {
  readonly child: Draft
  readonly path: string | undefined
  readonly from: string
}

/** The records that a record owns by one relation. They are saved with it. */
export function OwnedPart({ draft, name, relation, level, path, Form }: OwnedPartProps) {
  const model = useModel()
  const { change, problems, isReadOnly } = useDraftEditing()
  const owned = draft.owned[name] ?? []
  const there = owned.filter(({ removed }) => !removed)
  const isOne = relation.kind === 'owns.one'
  const wrong = problems.get(draft.key)?.get(name) ?? []
  const Heading = level === 0 ? 'h2' : 'h3'
  const set = (next: readonly Draft[]) => change(draft.key, (one) => setOwned(one, name, next))
  const move = (from: number, to: number) => {
    if (to < 0 || to >= owned.length) return
    change(draft.key, (one) => moveOwned(one, name, from, to))
    keepFocus()
  }
  const toOwner = model.resources[relation.target]?.relations[relation.inverse ?? '']
  const moveTo = useMove()
  const drag = useDragOrder<Held>(move, {
    hold: (index) => ({ child: owned[index] as Draft, path: pathOfChild(owned[index] as Draft), from: draft.key }),
    accepts: ({ child, path: from, from: owner }) =>
      toOwner?.moves === true &&
      child.resource === relation.target &&
      owner !== draft.key &&
      from !== undefined &&
      draft.base !== undefined,
    take({ child, path: from }, index) {
      if (toOwner === undefined || from === undefined || draft.base === undefined) return
      const place = relation.ordered ? { $before: owned[index]?.id ?? null } : {}
      moveTo(child, toOwner, from, draft.base, place).catch((error: unknown) => say({ text: String(error) }))
    },
  })
  const remove = (child: Draft) => {
    if (child.base === undefined) {
      set(owned.filter((one) => one !== child))
      focusNext(`[data-add="${CSS.escape(name)}"]`)
    } else set(owned.map((one) => (one === child ? { ...one, removed: !one.removed } : one)))
  }
  const pathOfChild = ({ base, id }: Draft): string | undefined =>
    path === undefined || base === undefined || relation.path === undefined
      ? undefined
      : pathOfRecord(`${path}/${relation.path}`, id)
  const hasGrip = relation.ordered || (toOwner?.moves && level > 0)
  const canAdd = !isReadOnly && !(isOne && there.length > 0)
  return (
    <section className={`part${owned.length === 0 ? drag.classOf(0) : ''}`} {...drag.target(owned.length)}>
      <header>
        <Heading>
          {name} {!isOne && <span className="count">{there.length}</span>}
        </Heading>
        {canAdd && (
          <button
            type="button"
            className="button plain little"
            aria-label={`Add to ${name}`}
            data-add={name}
            onClick={() => {
              const fresh = newDraft(model, relation.target)
              set([...owned, fresh])
              focusNext(`[data-draft="${fresh.key}"]`)
            }}
          >
            <Glyph name="plus" />
            Add
          </button>
        )}
      </header>
      {wrong.map((problem) => (
        <div className="problem" key={problem}>
          {problem}
        </div>
      ))}
      {owned.length > 0 && (
        <ul className="owned">
          {owned.map((child, index) => {
            const title = titleOf(child.resource, model.resources[child.resource], child.base)
            const state = child.removed ? ' gone' : child.base === undefined ? ' fresh' : ''
            return (
              <li
                key={child.key}
                data-draft={child.key}
                className={`child${state}${drag.classOf(index)}`}
                {...drag.target(index)}
              >
                <fieldset className="child-form" disabled={child.removed} aria-label={title}>
                  <Form draft={child} level={level + 1} path={pathOfChild(child)} />
                </fieldset>
                {!isReadOnly && (
                  <div className="handles">
                    {hasGrip && (
                      <span className="grip" title="Drag to another place" {...drag.grip(index)}>
                        <Glyph name="drag" />
                      </span>
                    )}
                    {relation.ordered && (
                      <>
                        <button
                          type="button"
                          className="button plain icon little"
                          aria-label={`Up: ${title}`}
                          aria-disabled={index === 0}
                          onClick={() => move(index, index - 1)}
                        >
                          <Glyph name="up" />
                        </button>
                        <button
                          type="button"
                          className="button plain icon little"
                          aria-label={`Down: ${title}`}
                          aria-disabled={index === owned.length - 1}
                          onClick={() => move(index, index + 1)}
                        >
                          <Glyph name="down" />
                        </button>
                      </>
                    )}
                    {toOwner?.moves && pathOfChild(child) !== undefined && !child.removed && (
                      <MoveButton child={child} relation={toOwner} path={String(pathOfChild(child))} />
                    )}
                    <button
                      type="button"
                      className="button plain icon little"
                      aria-label={child.removed ? `Keep ${title}` : `Remove ${title}`}
                      onClick={() => remove(child)}
                    >
                      <Glyph name={child.removed ? 'undo' : 'cross'} />
                    </button>
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
