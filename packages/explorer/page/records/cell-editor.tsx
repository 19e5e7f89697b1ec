import { type KeyboardEvent, useState } from 'react'
import { isEqual } from '../draft/draft.ts'
import { choicesOf, isEditable, isNullable, kindOf } from '../model/field-kinds.ts'
import type { Row } from '../model/model.ts'
import { pathOfRecord, type Spot } from '../model/names.ts'
import { focusOnce } from '../parts/focus.ts'
import { ask } from '../service/ask.ts'
import { ServiceError } from '../service/problem.ts'
import { readRecord, useForget, useResource } from '../service/use-model.tsx'

/** Editing of one cell at a time. */
export interface CellEdit {
  isAt(row: Row, column: string): boolean
  begin(row: Row, column: string): void
  end(): void
  save(row: Row, column: string, value: unknown): Promise<string | undefined>
  readonly spot: Spot
}

/** Plain values can be edited in their cell. JSON and long texts have the record's page. */
export function useCellEdit(spot: Spot): CellEdit {
  const resource = useResource(spot.resource)
  const forget = useForget()
  const [at, setAt] = useState<{ readonly id: unknown; readonly column: string }>()
  return {
    spot,
    isAt: (row, column) => at !== undefined && at.id === row.id && at.column === column,
    begin(row, column) {
      const field = resource?.fields[column]
      if (field === undefined || !isEditable(field) || resource?.operations.patch !== true) return
      if (['json', 'bytes', 'long', 'date-time'].includes(kindOf(field.schema))) return
      setAt({ id: row.id, column })
    },
    end: () => setAt(undefined),
    async save(row, column, value) {
      const path = pathOfRecord(spot.collection, row.id)
      try {
        // The row of a list has no ETag. If the value is still the one that is shown, nothing of anybody is lost.
        const { row: stored, etag } = await readRecord(path)
        if (!isEqual(stored[column], row[column])) {
          await forget()
          return `is ${JSON.stringify(stored[column])} by now`
        }
        await ask(path, {
          method: 'PATCH',
          body: { [column]: value },
          headers: etag === undefined ? {} : { 'if-match': etag },
        })
        await forget()
        return undefined
      } catch (error) {
        if (error instanceof ServiceError) return error.errors[0]?.message ?? error.message
        return 'The service did not answer'
      }
    },
  }
}

interface CellEditorProps {
  readonly edit: CellEdit
  readonly row: Row
  readonly column: string
}

/** Enter saves, Escape leaves the value as it is. */
export function CellEditor({ edit, row, column }: CellEditorProps) {
  const schema = useResource(edit.spot.resource)?.fields[column]?.schema ?? {}
  const kind = kindOf(schema)
  const before = row[column]
  const [text, setText] = useState(before === null || before === undefined ? '' : String(before))
  const [problem, setProblem] = useState<string>()
  const [isSaving, setSaving] = useState(false)
  const save = async (next: string) => {
    if (isSaving) return
    const value = parsed(next, kind, isNullable(schema))
    if (isEqual(value, before)) return edit.end()
    setSaving(true)
    const wrong = await edit.save(row, column, value)
    setSaving(false)
    setProblem(wrong)
    if (wrong === undefined) edit.end()
  }
  const press = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter') void save(text)
    if (event.key === 'Escape') edit.end()
  }
  const choices = kind === 'boolean' ? ['true', 'false'] : choicesOf(schema)?.map(String)
  const shared = {
    className: 'input',
    'aria-label': column,
    'aria-invalid': problem !== undefined,
    title: problem,
    disabled: isSaving,
    onKeyDown: press,
  }
  if (choices !== undefined) {
    return (
      <select
        {...shared}
        ref={focusOnce}
        value={text}
        onChange={({ target }) => void save(target.value)}
        onBlur={edit.end}
      >
        {isNullable(schema) && <option value="">—</option>}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {kind === 'boolean' ? (choice === 'true' ? 'yes' : 'no') : choice}
          </option>
        ))}
      </select>
    )
  }
  return (
    <div className="cell-editor">
      <input
        {...shared}
        ref={focusOnce}
        type={kind === 'date' ? 'date' : 'text'}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => problem === undefined && void save(text)}
      />
      {problem !== undefined && (
        <span className="cell-problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}

function parsed(text: string, kind: string, isNull: boolean): unknown {
  if (text === '' && isNull) return null
  if (kind === 'boolean') return text === 'true'
  if (kind === 'integer' || kind === 'number')
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  return text
}
