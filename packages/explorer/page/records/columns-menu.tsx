import { useState } from 'react'
import { columnNames } from '../model/filters.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Popover } from '../parts/popover.tsx'
import { useModel } from '../service/use-model.tsx'

interface ColumnsMenuProps {
  readonly resource: string
  readonly columns: readonly string[]
  readonly query: URLSearchParams
  readonly onChange: (query: URLSearchParams) => void
}

/** Which columns the list has. They are in the address as `fields`, as the service takes them. */
export function ColumnsMenu({ resource, columns, query, onChange }: ColumnsMenuProps) {
  const model = useModel()
  const [text, setText] = useState('')
  const names = [...new Set([...columns, ...columnNames(model, resource)])]
  const shown = names.filter((name) => name.toLowerCase().includes(text.toLowerCase()))
  const set = (next: readonly string[] | undefined) => {
    const changed = new URLSearchParams(query)
    if (next === undefined) changed.delete('fields')
    else changed.set('fields', next.join(','))
    onChange(changed)
  }
  const toggle = (name: string) => {
    const next = columns.includes(name) ? columns.filter((one) => one !== name) : [...columns, name]
    if (next.length > 0) set(next)
  }
  return (
    <Popover
      label="Columns"
      trigger={
        <button type="button" className="button plain" aria-label="Columns">
          <Glyph name="columns" />
          <span className="wide-only">Columns</span>
        </button>
      }
    >
      <input
        className="input"
        placeholder="Find a column"
        aria-label="Find a column"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="checks">
        {shown.map((name) => (
          <label key={name} className="choice">
            <input type="checkbox" checked={columns.includes(name)} onChange={() => toggle(name)} />
            {name}
          </label>
        ))}
      </div>
      {query.has('fields') && (
        <button type="button" className="button plain little" onClick={() => set(undefined)}>
          As at the start
        </button>
      )}
    </Popover>
  )
}
