import { useEffect, useState } from 'react'
import { Glyph } from '../parts/glyph.tsx'

/** So long after the last letter, the list is asked for. */
const PAUSE = 250

interface SearchBoxProps {
  readonly query: URLSearchParams
  readonly onChange: (query: URLSearchParams) => void
}

export function SearchBox({ query, onChange }: SearchBoxProps) {
  const asked = query.get('search') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => {
      const next = new URLSearchParams(query)
      if (text.trim() === '') next.delete('search')
      else next.set('search', text)
      onChange(next)
    }, PAUSE)
    return () => clearTimeout(timer)
  })
  return (
    <label className="search">
      <Glyph name="search" />
      <input
        className="input"
        type="search"
        placeholder="Search"
        aria-label="Search"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  )
}
