import { useEffect, useState } from 'react'

interface DayInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A day in the reader's own time zone; empty: any. Years that somebody is still typing are of long ago: `0202`. */
export function DayInput({ label, value, onChange }: DayInputProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const change = (next: string) => {
    setText(next)
    if (next === '' || next > '1970') onChange(next)
  }
  return (
    <label className="day-input">
      <span className="soft">{label}</span>
      <input className="input" type="date" value={text} onChange={({ target }) => change(target.value)} />
    </label>
  )
}
