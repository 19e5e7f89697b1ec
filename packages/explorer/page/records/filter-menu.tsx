import { type FormEvent, useState } from 'react'
import {
  type FilterCondition,
  type FilterOperator,
  filterPathAt,
  filterPaths,
  OPERATOR_WORDS,
  operatorsOf,
  valuesOf,
  wordsOf,
} from '../model/filters.ts'
import { focusOnce } from '../parts/focus.ts'
import { Glyph } from '../parts/glyph.tsx'
import { Popover } from '../parts/popover.tsx'
import { useModel } from '../service/use-model.tsx'

interface FilterMenuProps {
  readonly resource: string
  readonly onAdd: (condition: FilterCondition) => void
}

/** Adds a condition: first what it is about, then what has to hold. */
export function FilterMenu({ resource, onAdd }: FilterMenuProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      label="Add a filter"
      open={isOpen}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className="button plain">
          <Glyph name="filter" />
          Filter
        </button>
      }
    >
      <ConditionForm
        resource={resource}
        onDone={(condition) => {
          onAdd(condition)
          setOpen(false)
        }}
      />
    </Popover>
  )
}

interface FilterChipsProps {
  readonly conditions: readonly FilterCondition[]
  readonly resource: string
  readonly onChange: (conditions: readonly FilterCondition[]) => void
  readonly json: string | null
  readonly onDropJson: () => void
}

/** The conditions that hold. A click changes one. */
export function FilterChips({ conditions, resource, onChange, json, onDropJson }: FilterChipsProps) {
  const [open, setOpen] = useState<number>()
  return (
    <>
      {json !== null && (
        <span className="chip filter" title={json}>
          <span className="code">{json}</span>
          <button type="button" aria-label="Remove this filter" onClick={onDropJson}>
            <Glyph name="cross" />
          </button>
        </span>
      )}
      {conditions.map((condition, index) => (
        <span className="chip filter" key={`${condition.path}.${condition.operator}`}>
          <Popover
            label="Change this filter"
            open={open === index}
            onOpenChange={(isOpen) => setOpen(isOpen ? index : undefined)}
            trigger={
              <button type="button" className="open">
                {wordsOf(condition)}
              </button>
            }
          >
            <ConditionForm
              resource={resource}
              condition={condition}
              onDone={(next) => {
                onChange(conditions.map((one) => (one === condition ? next : one)))
                setOpen(undefined)
              }}
            />
          </Popover>
          <button
            type="button"
            aria-label={`Remove ${wordsOf(condition)}`}
            onClick={() => onChange(conditions.filter((one) => one !== condition))}
          >
            <Glyph name="cross" />
          </button>
        </span>
      ))}
    </>
  )
}

interface ConditionFormProps {
  readonly resource: string
  readonly condition?: FilterCondition
  readonly onDone: (condition: FilterCondition) => void
}

function ConditionForm({ resource, condition, onDone }: ConditionFormProps) {
  const model = useModel()
  const [path, setPath] = useState(condition?.path ?? '')
  const [text, setText] = useState('')
  const [operator, setOperator] = useState<FilterOperator | undefined>(condition?.operator)
  const [values, setValues] = useState<readonly string[]>(condition?.values ?? [''])
  const found = filterPathAt(model, resource, path)

  if (path === '' || found === undefined) {
    const words = text.toLowerCase()
    const paths = filterPaths(model, resource, words.split('.').length > 2 ? 3 : 2)
    const shown = paths.filter((one) => one.path.toLowerCase().includes(words)).slice(0, 60)
    const choose = (next: string | undefined) => next !== undefined && setPath(next)
    return (
      <div className="filter-form">
        <input
          className="input"
          placeholder="Filter by…"
          aria-label="Filter by"
          ref={focusOnce}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && choose(shown[0]?.path)}
        />
        <div className="checks">
          {shown.map((one) => (
            <button type="button" className="choice" key={one.path} onClick={() => choose(one.path)}>
              <span className="grow">{one.path}</span>
              <span className="soft small">{one.kind}</span>
            </button>
          ))}
        </div>
      </div>
    )
  }
  const operators = operatorsOf(found.kind, found.schema)
  const current = operator !== undefined && operators.includes(operator) ? operator : (operators[0] ?? 'eq')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDone({
      path,
      operator: current,
      values: current === 'null' ? [values[0] === 'false' ? 'false' : 'true'] : values,
    })
  }
  return (
    <form className="filter-form" onSubmit={submit}>
      <div className="row-of">
        <b className="grow">{path}</b>
        <button type="button" className="button plain little" onClick={() => setPath('')}>
          Another
        </button>
      </div>
      <select
        className="input"
        aria-label="How"
        ref={focusOnce}
        value={current}
        onChange={({ target }) => setOperator(target.value as FilterOperator)}
      >
        {operators.map((one) => (
          <option key={one} value={one}>
            {OPERATOR_WORDS[one]}
          </option>
        ))}
      </select>
      <ConditionValue found={found} operator={current} values={values} onChange={setValues} />
      <button type="submit" className="button main">
        Apply
      </button>
    </form>
  )
}

interface ConditionValueProps {
  readonly found: NonNullable<ReturnType<typeof filterPathAt>>
  readonly operator: FilterOperator
  readonly values: readonly string[]
  readonly onChange: (values: readonly string[]) => void
}

function ConditionValue({ found, operator, values, onChange }: ConditionValueProps) {
  const choices = operator === 'null' ? ['true', 'false'] : valuesOf(found)
  if (choices !== undefined && (operator === 'in' || operator === 'nin')) {
    return (
      <div className="checks">
        {choices.map((choice) => (
          <label className="choice" key={choice}>
            <input
              type="checkbox"
              checked={values.includes(choice)}
              onChange={() =>
                onChange(
                  values.includes(choice)
                    ? values.filter((one) => one !== choice)
                    : [...values.filter(Boolean), choice],
                )
              }
            />
            {choice}
          </label>
        ))}
      </div>
    )
  }
  if (choices !== undefined) {
    const [value = ''] = values
    if (!choices.includes(value)) queueMicrotask(() => onChange([choices[0] ?? '']))
    return (
      <select className="input" aria-label="Value" value={value} onChange={({ target }) => onChange([target.value])}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {operator === 'null' ? (choice === 'true' ? 'yes' : 'no, it has a value') : choice}
          </option>
        ))}
      </select>
    )
  }
  if (operator === 'in' || operator === 'nin') {
    return (
      <textarea
        className="input"
        aria-label="Values, one on each line"
        placeholder="One value on each line"
        value={values.join('\n')}
        onChange={({ target }) => onChange(target.value.split('\n'))}
      />
    )
  }
  return (
    <input
      className="input"
      aria-label="Value"
      type={found.kind === 'date' ? 'date' : 'text'}
      placeholder={found.kind === 'date-time' ? '2026-03-14T09:26:53Z' : undefined}
      value={values[0] ?? ''}
      onChange={({ target }) => onChange([target.value])}
    />
  )
}
