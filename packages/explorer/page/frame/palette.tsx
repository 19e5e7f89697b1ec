import { type KeyboardEvent, useState } from 'react'
import { go } from '../address.ts'
import { topPath } from '../model/names.ts'
import { Dialog } from '../parts/popover.tsx'
import { useModel } from '../service/use-model.tsx'

interface Target {
  readonly title: string
  readonly hint: string
  readonly path: string
  readonly query?: string
}

/** Leads anywhere by a few letters: to a list, to a record by its id (`book 7`), to a search (`book lamp`). */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [marked, setMarked] = useState(0)
  const targets = useTargets(text)
  const open = (target: Target | undefined) => {
    if (target === undefined) return
    go(target.path, target.query)
    onClose()
  }
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setMarked(Math.max(0, Math.min(targets.length - 1, marked + step)))
    }
    if (event.key === 'Enter') open(targets[marked])
  }
  return (
    <Dialog title="Find" className="dialog palette" hideTitle onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={targets.length > 0 ? `palette-${marked}` : undefined}
        aria-label="Find a resource or a record"
        placeholder="A resource, and an id or words: book 7"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setMarked(0)
        }}
        onKeyDown={press}
      />
      <div className="popup-list" id="palette-list" role="listbox" aria-label="Found">
        {targets.map((target, index) => (
          <div
            key={`${target.path}?${target.query}`}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === marked}
            className="choice"
            data-highlighted={index === marked || undefined}
            onClick={() => open(target)}
            onKeyDown={press}
            onMouseMove={() => setMarked(index)}
          >
            <span className="grow">{target.title}</span>
            <span className="soft small">{target.hint}</span>
          </div>
        ))}
        {targets.length === 0 && <div className="title">Nothing has this name</div>}
      </div>
    </Dialog>
  )
}

function useTargets(text: string): Target[] {
  const model = useModel()
  const [first = '', ...rest] = text.trim().split(/\s+/)
  const words = rest.join(' ')
  const found = Object.entries(model.resources).flatMap(([key, resource]) => {
    const path = topPath(resource)
    return path !== undefined && key.toLowerCase().includes(first.toLowerCase()) ? [{ key, resource, path }] : []
  })
  found.sort(
    (one, other) =>
      Number(other.key.startsWith(first)) - Number(one.key.startsWith(first)) || one.key.localeCompare(other.key),
  )
  const map: Target[] =
    words === '' && 'map'.includes(first.toLowerCase())
      ? [{ title: 'Map', hint: 'the model as a diagram', path: '/$map' }]
      : []
  const targets = found.slice(0, words === '' ? 12 : 3).flatMap(({ key, resource, path }): Target[] => {
    if (words === '') return [{ title: key, hint: 'list', path }]
    const search = resource.search
      ? [{ title: `${key}: ${words}`, hint: 'search', path, query: new URLSearchParams({ search: words }).toString() }]
      : []
    return [{ title: `${key} ${words}`, hint: 'record', path: `${path}/${encodeURIComponent(words)}` }, ...search]
  })
  return [...targets, ...map]
}
