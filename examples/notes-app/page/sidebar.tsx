import { useMutation, useQuery } from '@tanstack/react-query'
import { useContext, useState } from 'react'
import { type Address, go, hrefOf } from './address.ts'
import { api, messageOf, q } from './api.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { sayWith } from './said.tsx'

/** The notebooks and the tags: what the list shows notes of. */
export function Sidebar({ address }: { readonly address: Address }) {
  const notebooks = useQuery(q.notebook.list({ fields: ['name', 'count(notes)'], sort: ['name'], limit: 100 }))
  const tags = useQuery(q.tag.list({ sort: ['name'], limit: 100 }))
  const { rows = [] } = notebooks.data ?? {}
  const isCurrent = (isIt: boolean) => (isIt ? 'page' : undefined)
  return (
    <nav className="sidebar" aria-label="Notebooks and tags">
      <h1>Notes</h1>
      <ul>
        <li>
          <a href={hrefOf({})} aria-current={isCurrent(address.notebook === undefined && address.tag === undefined)}>
            All notes
          </a>
        </li>
        {rows.map((notebook) => (
          <li key={notebook.id}>
            <a href={hrefOf({ notebook: notebook.id })} aria-current={isCurrent(address.notebook === notebook.id)}>
              <span>{notebook.name}</span>
              <span className="count">{notebook['count(notes)']}</span>
            </a>
            {address.notebook === notebook.id && <DeleteNotebook id={notebook.id} name={notebook.name} />}
          </li>
        ))}
      </ul>
      <NewNotebook />
      {(tags.data?.rows.length ?? 0) > 0 && <h2>Tags</h2>}
      <ul className="tags">
        {tags.data?.rows.map(({ id, name }) => (
          <li key={id}>
            <a href={hrefOf({ tag: id })} aria-current={isCurrent(address.tag === id)}>
              # {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function NewNotebook() {
  const say = useContext(sayWith)
  const create = useMutation(q.notebook.create())
  const [name, setName] = useState('')
  const submit = async () => {
    try {
      const { id } = await create.mutateAsync({ body: { name } })
      setName('')
      go({ notebook: id })
    } catch (error) {
      say(messageOf(error))
    }
  }
  return (
    <form className="new-notebook" action={submit}>
      <input
        aria-label="Name of a new notebook"
        placeholder="New notebook"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" disabled={name.trim() === ''} aria-label="Add the notebook">
        +
      </button>
    </form>
  )
}

function DeleteNotebook({ id, name }: { readonly id: number; readonly name: string }) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label={`Delete the notebook ${name}`}
        onClick={() => setIsAsking(true)}
      >
        ✕
      </button>
      {isAsking && (
        <DeleteDialog
          title={`Delete the notebook “${name}”?`}
          preview={() => api.notebook.preview.delete(id)}
          close={(isDone) => {
            setIsAsking(false)
            if (isDone) go({})
          }}
        />
      )}
    </>
  )
}
