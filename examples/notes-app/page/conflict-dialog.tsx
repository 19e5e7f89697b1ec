import { useState } from 'react'
import type { Note } from './api.ts'
import { Dialog } from './dialog.tsx'
import { type Draft, type Field, type Values, valuesOf } from './draft.ts'

interface ConflictDialogProps {
  readonly draft: Draft
  readonly theirs: Note
  /** The fields that both have changed. */
  readonly fields: readonly Field[]
  readonly nameOfNotebook: (id: number) => string
  /** Is given the fields of which mine is to be saved. */
  readonly resolve: (mine: readonly Field[]) => void
  readonly close: () => void
}

const NAMES: Readonly<Record<Field, string>> = { title: 'Title', text: 'Text', notebookId: 'Notebook', tags: 'Tags' }

/** Somebody else has changed what was edited here: which of the two stays is asked for each field. */
export function ConflictDialog({ draft, theirs, fields, nameOfNotebook, resolve, close }: ConflictDialogProps) {
  const [mine, setMine] = useState<readonly Field[]>(fields)
  const shown = (field: Field, values: Values): string => {
    if (field === 'tags') return values.tags.map(({ name }) => `# ${name}`).join('  ') || 'none'
    return field === 'notebookId' ? nameOfNotebook(values.notebookId) : values[field] || 'empty'
  }
  return (
    <Dialog title="Somebody else has changed this note" close={close}>
      <p>Both of you have changed the same. Which one stays?</p>
      {fields.map((field) => (
        <fieldset key={field}>
          <legend>{NAMES[field]}</legend>
          <p className="before">
            It was: <span>{shown(field, valuesOf(draft.base))}</span>
          </p>
          <div className="versions">
            <label>
              <input
                type="radio"
                name={field}
                checked={mine.includes(field)}
                onChange={() => setMine([...mine, field])}
              />
              Mine
              <span className="version">{shown(field, draft.values)}</span>
            </label>
            <label>
              <input
                type="radio"
                name={field}
                checked={!mine.includes(field)}
                onChange={() => setMine(mine.filter((one) => one !== field))}
              />
              Theirs
              <span className="version">{shown(field, valuesOf(theirs))}</span>
            </label>
          </div>
        </fieldset>
      ))}
      <footer>
        <button type="button" onClick={close}>
          Keep editing
        </button>
        <button type="button" className="primary" onClick={() => resolve(mine)}>
          Save this
        </button>
      </footer>
    </Dialog>
  )
}
