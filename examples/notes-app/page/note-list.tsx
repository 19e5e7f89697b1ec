import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react'
import { type Address, go, hrefOf } from './address.ts'
import { messageOf, q } from './api.ts'
import { sayWith } from './said.tsx'

const AT_ONCE = 40

/** The notes of a notebook, of a tag, or of a search: page after page, as one scrolls. */
export function NoteList({ address }: { readonly address: Address }) {
  const say = useContext(sayWith)
  const { notebook, tag, search } = address
  const notes = useInfiniteQuery(
    q.note.pages({
      filter: { ...(notebook !== undefined && { notebookId: notebook }), ...(tag !== undefined && { 'tags.id': tag }) },
      ...(search !== undefined && { search }),
      sort: ['-pinned', '-updatedAt'],
      limit: AT_ONCE,
    }),
  )
  const pin = useMutation(q.note.patch({ optimistic: true }))
  const togglePin = (id: number, pinned: boolean) =>
    pin.mutateAsync({ target: id, body: { pinned } }).catch((error) => say(messageOf(error)))
  const rows = notes.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <section className="list" aria-label="Notes">
      <header>
        <SearchField address={address} />
        <NewNote address={address} />
      </header>
      {notes.error !== null && <p role="alert">{messageOf(notes.error)}</p>}
      {notes.isSuccess && rows.length === 0 && (
        <p className="empty">{search === undefined ? 'No notes yet.' : 'No note has these words.'}</p>
      )}
      <ol onKeyDown={moveByArrows}>
        {rows.map(({ id, title, text, pinned, tags }) => (
          <li key={id}>
            <a href={hrefOf({ ...address, note: id })} aria-current={address.note === id ? 'true' : undefined}>
              <strong>{title}</strong>
              {text !== '' && <span className="excerpt">{text.slice(0, 120)}</span>}
              {tags.length > 0 && <span className="of-tags">{tags.map(({ name }) => `# ${name}`).join('  ')}</span>}
            </a>
            <button
              type="button"
              className="pin"
              aria-pressed={pinned}
              aria-label={`Pin ${title}`}
              onClick={() => void togglePin(id, !pinned)}
            >
              {pinned ? '★' : '☆'}
            </button>
          </li>
        ))}
      </ol>
      {notes.hasNextPage && <ReadOn isReading={notes.isFetching} readOn={() => void notes.fetchNextPage()} />}
    </section>
  )
}

/** Reads the next page as soon as it comes near. A button, as not everybody scrolls. */
function ReadOn({ isReading, readOn }: { readonly isReading: boolean; readonly readOn: () => void }) {
  const end = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isReading) return undefined
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && readOn(), { rootMargin: '600px' })
    if (end.current !== null) seen.observe(end.current)
    return () => seen.disconnect()
  }, [isReading, readOn])
  return (
    <button type="button" className="quiet read-on" ref={end} onClick={readOn} disabled={isReading}>
      {isReading ? 'Reading…' : 'More notes'}
    </button>
  )
}

function moveByArrows(event: KeyboardEvent<HTMLOListElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const links = [...event.currentTarget.querySelectorAll('a')]
  const from = links.findIndex((link) => link.parentElement?.contains(document.activeElement))
  links[from + step]?.focus()
  event.preventDefault()
}

const TYPED_IN = 200

function SearchField({ address }: { readonly address: Address }) {
  const [text, setText] = useState(address.search ?? '')
  const { search: said = '' } = address
  useEffect(() => setText(said), [said])
  useEffect(() => {
    if (text === said) return undefined
    const timer = setTimeout(() => go({ ...address, search: text }, { replaces: true }), TYPED_IN)
    return () => clearTimeout(timer)
  }, [text, said, address])
  return (
    <input
      type="search"
      aria-label="Search"
      placeholder="Search"
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}

/** A new note is in the notebook that is shown, or in the first one. */
function NewNote({ address }: { readonly address: Address }) {
  const say = useContext(sayWith)
  const create = useMutation(q.note.create())
  const first = useQuery(q.notebook.list({ fields: ['name', 'count(notes)'], sort: ['name'], limit: 100 })).data
    ?.rows[0]?.id
  const notebookId = address.notebook ?? first
  const { tag } = address
  const add = async () => {
    if (notebookId === undefined) return say('Add a notebook first: each note is in one.')
    try {
      const tags = tag === undefined ? [] : [{ id: tag }]
      const { id } = await create.mutateAsync({ body: { title: 'Untitled', notebookId, tags } })
      go({ notebook: address.notebook, tag, note: id })
    } catch (error) {
      say(messageOf(error))
    }
  }
  return (
    <button type="button" className="primary" disabled={create.isPending} onClick={() => void add()}>
      New note
    </button>
  )
}
