import { useMutation, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useContext, useState } from 'react'
import { messageOf, q } from './api.ts'
import type { Values } from './draft.ts'
import { sayWith } from './said.tsx'

interface TagFieldProps {
  readonly tags: Values['tags']
  readonly change: (tags: Values['tags']) => void
}

/** The tags of a note. A name that is new becomes a tag: `upsert` finds or makes it, whoever is faster. */
export function TagField({ tags, change }: TagFieldProps) {
  const say = useContext(sayWith)
  const known = useQuery(q.tag.list({ sort: ['name'], limit: 100 })).data?.rows ?? []
  const find = useMutation(q.tag.upsert())
  const [name, setName] = useState('')
  const add = async () => {
    const asked = name.trim().toLowerCase()
    if (asked === '') return
    try {
      const { record } = await find.mutateAsync({ body: { name: asked }, by: ['name'] })
      setName('')
      if (!tags.some(({ id }) => id === record.id)) change([...tags, { id: record.id, name: record.name }])
    } catch (error) {
      say(messageOf(error))
    }
  }
  const addByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ',') return
    event.preventDefault()
    void add()
  }
  return (
    <div className="tag-field">
      {tags.map(({ id, name: label }) => (
        <button
          key={id}
          type="button"
          className="tag"
          aria-label={`Remove the tag ${label}`}
          onClick={() => change(tags.filter((one) => one.id !== id))}
        >
          # {label} <span aria-hidden="true">✕</span>
        </button>
      ))}
      <input
        aria-label="Add a tag"
        placeholder="Add a tag"
        list="known-tags"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={addByKey}
        onBlur={() => void add()}
      />
      <datalist id="known-tags">
        {known.map((tag) => (
          <option key={tag.id} value={tag.name} />
        ))}
      </datalist>
    </div>
  )
}
