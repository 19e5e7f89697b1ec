import { useState } from 'react'
import { isSettable } from '../draft/draft.ts'
import { EffectsDialog, type WriteRequest } from '../effects/effects-dialog.tsx'
import { undoOf } from '../history/undo-write.ts'
import { isEditable } from '../model/field-kinds.ts'
import type { Id, Resource, Row } from '../model/model.ts'
import type { Spot } from '../model/names.ts'
import { BrokenJson, FieldInput } from '../parts/field-input.tsx'
import { Glyph } from '../parts/glyph.tsx'
import { Dialog } from '../parts/popover.tsx'
import { ReferenceInput } from '../parts/reference-input.tsx'
import { say } from '../parts/toast.tsx'
import { Blockers } from '../record/blockers.tsx'
import { useForget, useModel } from '../service/use-model.tsx'
import { type Matching, MOST_SELECTED, queryOfRows } from './selection.ts'

interface SelectionBarProps {
  readonly spot: Spot
  readonly rows: readonly Row[]
  /** All that match, where all rows that are shown are chosen and there are more; undefined: there is nothing to offer. */
  readonly matching: Matching | undefined
  /** Whether these are chosen, and not only the rows. */
  readonly isAll: boolean
  readonly onAll: () => void
  readonly onClear: () => void
}

interface Asking {
  readonly title: string
  readonly verb: string
  readonly done: string
  readonly request: WriteRequest
}

/** What one does with the rows that are chosen: one request for all of them, after one has seen what it does. */
export function SelectionBar({ spot, rows, matching, isAll, onAll, onClear }: SelectionBarProps) {
  const model = useModel()
  const forget = useForget()
  const [isSetting, setSetting] = useState(false)
  const [asking, setAsking] = useState<Asking>()
  const resource = model.resources[spot.resource] as Resource
  const { operations } = resource
  const match: Readonly<Record<string, string>> = resource.ifMatch === 'required' ? { 'if-match': '*' } : {}
  const all = isAll ? matching : undefined
  const count = all?.count ?? String(rows.length)
  const words = `${all ? 'all ' : ''}${count} ${spot.resource} ${count === '1' ? 'record' : 'records'}`
  const isTooMuch = all === undefined && rows.length > MOST_SELECTED
  const most = { prefer: `max-affected=${model.limits.maxItems ?? rows.length}`, ...match }
  const remove = (): Asking => ({
    title: `Delete ${words}?`,
    verb: 'Delete',
    done: `${words} deleted.`,
    request: {
      path: spot.collection,
      method: 'DELETE',
      query: all?.query ?? queryOfRows(rows),
      headers: most,
    },
  })
  const set = (name: string, value: unknown): Asking => ({
    title: `Set ${name} of ${words}?`,
    verb: 'Set',
    done: `${name} of ${words} is set.`,
    request: {
      path: spot.collection,
      method: 'PATCH',
      ...(all
        ? { query: all.query, headers: most, body: { [name]: value } }
        : { headers: match, body: rows.map(({ id }) => ({ id, [name]: value })) }),
    },
  })
  return (
    <section className="save-bar" aria-label="Selected rows">
      <span aria-live="polite">{all ? `All ${count} that match are selected` : `${count} selected`}</span>
      {matching !== undefined && !isAll && (
        <button type="button" className="button plain little" onClick={onAll}>
          Select all {matching.count} that match
        </button>
      )}
      {isTooMuch && <span className="soft small">at most {MOST_SELECTED} at once</span>}
      <span className="grow" />
      <button type="button" className="button plain" onClick={onClear}>
        Clear
      </button>
      {operations.patch && (
        <button type="button" className="button" disabled={isTooMuch} onClick={() => setSetting(true)}>
          Set a field…
        </button>
      )}
      {operations.delete && (
        <button type="button" className="button danger" disabled={isTooMuch} onClick={() => setAsking(remove())}>
          <Glyph name="trash" />
          Delete…
        </button>
      )}
      {isSetting && (
        <SetDialog
          title={`Set a field of ${words}`}
          resource={resource}
          onClose={() => setSetting(false)}
          onSet={(name, value) => {
            setSetting(false)
            setAsking(set(name, value))
          }}
        />
      )}
      {asking && (
        <EffectsDialog
          {...asking}
          isDanger={asking.request.method === 'DELETE'}
          onClose={() => setAsking(undefined)}
          onDone={(effects) => {
            setAsking(undefined)
            onClear()
            void forget()
            const act = undoOf(model, effects)
            say({
              text: asking.done,
              ...(act && { action: { label: 'Undo', act: () => act().then(forget) } }),
            })
          }}
          refusal={({ blockers, code }) => (
            <>
              <Blockers blockers={blockers} resource={spot.resource} ids={rows.map(({ id }) => id)} />
              {code === 'CRUD_ERR_TOO_LARGE' && (
                <p>Nothing was done. Choose fewer records, such as with one more filter.</p>
              )}
            </>
          )}
        />
      )}
    </section>
  )
}

interface SetDialogProps {
  readonly title: string
  readonly resource: Resource
  readonly onClose: () => void
  readonly onSet: (name: string, value: unknown) => void
}

/** Which field, and the value that all of them get. */
function SetDialog({ title, resource, onClose, onSet }: SetDialogProps) {
  const fields = Object.entries(resource.fields).filter(([, field]) => isEditable(field))
  const references = Object.entries(resource.relations).filter(
    ([, relation]) => isSettable(relation) && relation.foreignKey !== undefined,
  )
  const [name, setName] = useState('')
  const [value, setValue] = useState<unknown>()
  const [shown, setShown] = useState<Row | null>(null)
  const field = resource.fields[name]
  const reference = references.find(([one]) => one === name)?.[1]
  const isGiven = value !== undefined && !(value instanceof BrokenJson)
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="fields">
        <label className="field">
          <span className="label">Field</span>
          <select
            className="input"
            aria-label="Field"
            value={name}
            onChange={({ target }) => {
              setName(target.value)
              // A switch that is off has the value that it shows.
              setValue(resource.fields[target.value]?.schema.type === 'boolean' ? false : undefined)
            }}
          >
            <option value="">Choose…</option>
            {[...fields, ...references].map(([one]) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {field !== undefined && <FieldInput key={name} name={name} field={field} value={value} onChange={setValue} />}
        {reference !== undefined && (
          <div className="field">
            <span className="label">{name}</span>
            <ReferenceInput
              target={reference.target}
              value={value as Id | null | undefined}
              shown={shown}
              label={name}
              required={reference.required === true}
              onChange={(id, row) => {
                setShown(row)
                setValue(id)
              }}
            />
          </div>
        )}
      </div>
      <div className="foot">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button main"
          disabled={!isGiven}
          onClick={() => onSet(reference?.foreignKey ?? name, value)}
        >
          See what it does
        </button>
      </div>
    </Dialog>
  )
}
