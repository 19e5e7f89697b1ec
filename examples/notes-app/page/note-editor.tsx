import { ConflictError, ServiceError } from '@fastify-crud/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useContext, useEffect, useState } from 'react'
import { type Address, go, hrefOf } from './address.ts'
import { api, messageOf, type Note, q } from './api.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { bodyOf, changedFields, conflictingFields, type Draft, type Field, type Values, valuesOf } from './draft.ts'
import { sayWith } from './said.tsx'
import { TagField } from './tag-field.tsx'

interface EditorProps {
  readonly id: number
  readonly address: Address
}

export function NoteEditor({ id, address }: EditorProps) {
  const { data: note, error } = useQuery(q.note.find(id))
  const isGone = error instanceof ServiceError && error.status === 404
  if (error !== null)
    return (
      <p className="empty" role="alert">
        {isGone ? 'This note is not there any more.' : messageOf(error)}{' '}
        <a href={hrefOf({ ...address, note: undefined })}>Back to the list</a>
      </p>
    )
  return note === undefined ? null : <NoteForm note={note} address={address} />
}

interface Conflict {
  readonly draft: Draft
  readonly theirs: Note
  readonly fields: readonly Field[]
}

function NoteForm({ note, address }: { readonly note: Note; readonly address: Address }) {
  const say = useContext(sayWith)
  const patch = useMutation(q.note.patch({ optimistic: true }))
  const notebooks = useQuery(q.notebook.list({ fields: ['name', 'count(notes)'], sort: ['name'], limit: 100 }))
  /** Undefined: nothing was edited, and the page shows the note as it is by now. */
  const [draft, setDraft] = useState<Draft>()
  const [conflict, setConflict] = useState<Conflict>()
  const [refusal, setRefusal] = useState<ServiceError>()
  const [isDeleting, setIsDeleting] = useState(false)
  const values = draft?.values ?? valuesOf(note)
  const isChanged = draft !== undefined && changedFields(draft).length > 0
  const edit = (change: Partial<Values>) => setDraft({ base: draft?.base ?? note, values: { ...values, ...change } })

  useEffect(() => {
    if (!isChanged) return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isChanged])

  /** Writes these fields of a draft to the note as it was read. */
  const write = async (sent: Draft, target: Note, fields: readonly Field[]): Promise<void> => {
    setRefusal(undefined)
    setConflict(undefined)
    try {
      const saved = await patch.mutateAsync({ target, body: bodyOf(sent.values, fields) })
      // Somebody who types on meanwhile has a draft of what was saved.
      setDraft((now) =>
        now === undefined || now.values === sent.values ? undefined : { base: saved, values: now.values },
      )
    } catch (error) {
      if (error instanceof ConflictError) await settle(sent, () => error.theirs() as Promise<Note>)
      else if (error instanceof ServiceError && error.errors.length > 0) setRefusal(error)
      else say(messageOf(error))
    }
  }
  /** Somebody else was faster. Only where both have changed the same field is there something to ask. */
  const settle = async (sent: Draft, readTheirs: () => Promise<Note>): Promise<void> => {
    try {
      const theirs = await readTheirs()
      const fields = conflictingFields(sent, theirs)
      if (fields.length > 0) setConflict({ draft: sent, theirs, fields })
      else await write(sent, theirs, changedFields(sent))
    } catch (error) {
      say(error instanceof ServiceError && error.status === 404 ? 'Somebody has deleted this note.' : messageOf(error))
    }
  }
  const save = () => {
    if (isChanged && !patch.isPending) void write(draft, draft.base, changedFields(draft))
  }
  const saveByKey = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    save()
  }
  const problemOf = (field: Field) => refusal?.forField(field)?.message

  return (
    <form className="editor" aria-label="Note" action={save} onKeyDown={saveByKey}>
      <header>
        <a className="back" href={hrefOf({ ...address, note: undefined })}>
          ‹ Notes
        </a>
        <span className="state">
          {patch.isPending ? 'Saving…' : isChanged ? 'Not saved yet' : savedAt(note.updatedAt)}
        </span>
        <button type="button" className="quiet" onClick={() => setIsDeleting(true)}>
          Delete
        </button>
        {isChanged && (
          <button type="button" onClick={() => setDraft(undefined)} disabled={patch.isPending}>
            Discard
          </button>
        )}
        <button type="submit" className="primary" disabled={!isChanged || patch.isPending}>
          Save
        </button>
      </header>
      <input
        className="title"
        aria-label="Title"
        placeholder="Title"
        aria-invalid={problemOf('title') !== undefined}
        aria-describedby="title-problem"
        value={values.title}
        onChange={({ target }) => edit({ title: target.value })}
      />
      <p className="problem" id="title-problem" role="alert">
        {problemOf('title') && `The title ${problemOf('title')}.`}
      </p>
      <div className="places">
        <label>
          Notebook
          <select value={values.notebookId} onChange={({ target }) => edit({ notebookId: Number(target.value) })}>
            {notebooks.data?.rows.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <TagField tags={values.tags} change={(tags) => edit({ tags })} />
      </div>
      <textarea
        aria-label="Text"
        placeholder="Write…"
        value={values.text}
        onChange={({ target }) => edit({ text: target.value })}
      />
      <p className="problem" role="alert">
        {problemOf('text') && `The text ${problemOf('text')}.`}
      </p>
      {conflict !== undefined && (
        <ConflictDialog
          {...conflict}
          nameOfNotebook={(id) => notebooks.data?.rows.find((one) => one.id === id)?.name ?? ''}
          resolve={(mine) => {
            const fields = changedFields(conflict.draft).filter((field) => !conflict.fields.includes(field))
            void write(conflict.draft, conflict.theirs, [...fields, ...mine])
          }}
          close={() => setConflict(undefined)}
        />
      )}
      {isDeleting && (
        <DeleteDialog
          title={`Delete “${note.title}”?`}
          preview={() => api.note.preview.delete(note.id)}
          close={(isDone) => {
            setIsDeleting(false)
            if (isDone) go({ ...address, note: undefined })
          }}
        />
      )}
    </form>
  )
}

function savedAt(moment: string | null): string {
  if (moment === null) return ''
  const saved = new Date(moment)
  const isToday = saved.toDateString() === new Date().toDateString()
  return `Saved ${saved.toLocaleString(undefined, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium' })}`
}
