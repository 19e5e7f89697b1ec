import { useId, useState } from 'react'
import { choicesOf, isNullable, kindOf } from '../model/field-kinds.ts'
import type { Field, Schema } from '../model/model.ts'
import { shortText, textOf, UNSHOWABLE } from '../model/value-text.ts'

interface FieldInputProps {
  readonly name: string
  readonly field: Field
  readonly value: unknown
  /** Undefined: the record has its default. */
  readonly onChange: (value: unknown) => void
  readonly isNew?: boolean
  readonly isChanged?: boolean
  readonly problems?: readonly string[] | undefined
}

/** A field with its label, its input and what is wrong with it. */
export function FieldInput({
  name,
  field,
  value,
  onChange,
  isNew = false,
  isChanged = false,
  problems = [],
}: FieldInputProps) {
  const id = useId()
  const { schema, required = false } = field
  const kind = kindOf(schema)
  const isLong = kind === 'json' || kind === 'long'
  const hint = problems.length > 0 ? undefined : schema.description
  const props: InputProps = {
    id,
    schema,
    value,
    onChange,
    isNew,
    isInvalid: problems.length > 0,
    isRequired: required && isNew,
    byDefault: field.default,
  }
  return (
    <div className={`field${isLong ? ' long' : ''}${isChanged ? ' changed' : ''}`}>
      <label className="label" htmlFor={id}>
        {name}
        {required && isNew && (
          <span className="required" title="required" aria-hidden="true">
            *
          </span>
        )}
      </label>
      <Input {...props} kind={kind} />
      {(hint !== undefined || problems.length > 0) && (
        <div id={`${id}-says`}>
          {hint !== undefined && <div className="hint">{hint}</div>}
          {problems.map((problem) => (
            <div className="problem" key={problem}>
              {problem}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

interface InputProps {
  readonly id: string
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isNew: boolean
  readonly isInvalid: boolean
  readonly isRequired: boolean
  readonly byDefault: unknown
}

/** No browser edits longer texts well. */
const LONGEST_INPUT = 200_000

function Input({ kind, ...props }: InputProps & { readonly kind: ReturnType<typeof kindOf> }) {
  const text = props.value instanceof BrokenJson ? '' : (textOf(props.value, 'json') ?? '')
  if (text.length > LONGEST_INPUT || text === UNSHOWABLE) {
    return <p className="soft">{shortText(text)} It is too long to be edited here.</p>
  }
  switch (kind) {
    case 'boolean':
      return isNullable(props.schema) ? <EnumInput {...props} choices={[true, false]} /> : <BooleanInput {...props} />
    case 'enum':
      return <EnumInput {...props} choices={choicesOf(props.schema) ?? []} />
    case 'json':
      return <JsonInput {...props} />
    case 'date-time':
      return <MomentInput {...props} />
    case 'long':
      return <textarea {...textProps(props)} rows={3} />
    case 'date':
      return <input {...textProps(props)} type="date" />
    case 'integer':
    case 'number':
      return <NumberInput {...props} />
    default:
      return <input {...textProps(props)} inputMode={kind === 'decimal' ? 'decimal' : undefined} />
  }
}

const shared = ({ id, isInvalid, isRequired }: InputProps) => ({
  id,
  'aria-required': isRequired || undefined,
  'aria-invalid': isInvalid || undefined,
  'aria-describedby': `${id}-says`,
})

/** An empty box is null where there may be none, else the default of a new record, else an empty text. */
function emptyOf({ schema, isNew }: InputProps): unknown {
  if (isNew) return undefined
  return isNullable(schema) ? null : ''
}

const placeholderOf = ({ byDefault, isNew, schema }: InputProps): string | undefined => {
  if (isNew && byDefault !== undefined && byDefault !== null) return String(byDefault)
  const [example] = schema.examples ?? []
  return isNew && example !== undefined ? `e.g. ${String(example)}` : undefined
}

const textProps = (props: InputProps) => ({
  ...shared(props),
  className: 'input',
  placeholder: placeholderOf(props),
  value: typeof props.value === 'string' ? props.value : (textOf(props.value, 'json') ?? ''),
  onChange: ({ target }: { readonly target: { readonly value: string } }) =>
    props.onChange(target.value === '' ? emptyOf(props) : target.value),
})

/** What is no number stays a text: the service says what is wrong with it. */
function NumberInput(props: InputProps) {
  const [text, setText] = useState<string>()
  const { value, onChange } = props
  const shown =
    text !== undefined && isSameNumber(text, value) ? text : value === null || value === undefined ? '' : String(value)
  const change = (next: string) => {
    setText(next)
    const isNumber = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(next.trim())
    onChange(next === '' ? emptyOf(props) : isNumber && Number.isFinite(Number(next)) ? Number(next) : next)
  }
  return (
    <input
      {...shared(props)}
      className="input"
      inputMode="decimal"
      placeholder={placeholderOf(props)}
      value={shown}
      onChange={({ target }) => change(target.value)}
    />
  )
}

const isSameNumber = (text: string, value: unknown): boolean =>
  text === String(value) || (text !== '' && Number(text) === value)

function BooleanInput(props: InputProps) {
  const { value, byDefault, onChange } = props
  const isOn = value === undefined ? byDefault === true : value === true
  return (
    <div className="check">
      <input {...shared(props)} type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span className="soft">{isOn ? 'yes' : 'no'}</span>
    </div>
  )
}

function EnumInput({ choices, ...props }: InputProps & { readonly choices: readonly unknown[] }) {
  const { value, onChange, byDefault, isNew, schema } = props
  const index = choices.indexOf(value)
  const none = isNew ? (byDefault === undefined ? '' : `${String(byDefault)} (default)`) : '—'
  const wordOf = (choice: unknown) => (choice === true ? 'yes' : choice === false ? 'no' : String(choice))
  return (
    <select
      {...shared(props)}
      className="input"
      value={index}
      onChange={({ target }) => onChange(target.value === '-1' ? emptyOf(props) : choices[Number(target.value)])}
    >
      {(index < 0 || isNullable(schema) || isNew) && <option value={-1}>{none}</option>}
      {choices.map((choice, at) => (
        <option key={String(choice)} value={at}>
          {wordOf(choice)}
        </option>
      ))}
    </select>
  )
}

/** A moment in the browser's own time zone, to the second. A part of one stays as it is until it is changed. */
function MomentInput(props: InputProps) {
  const { value, onChange } = props
  const moment = typeof value === 'string' ? new Date(value) : undefined
  const isMoment = moment !== undefined && !Number.isNaN(moment.getTime())
  const change = (text: string) => onChange(text === '' ? emptyOf(props) : new Date(text).toISOString())
  return (
    <>
      <input
        {...shared(props)}
        className="input"
        type="datetime-local"
        step={1}
        value={isMoment ? localOf(moment) : ''}
        onChange={({ target }) => change(target.value)}
      />
      <div className="hint">{Intl.DateTimeFormat().resolvedOptions().timeZone}</div>
    </>
  )
}

function localOf(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 19)
}

/** JSON that is not finished yet. It keeps the record from being saved. */
export class BrokenJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function JsonInput(props: InputProps) {
  const { value, onChange, isNew } = props
  const [text, setText] = useState<string>()
  const isBroken = value instanceof BrokenJson
  const shown = isBroken
    ? value.text
    : text !== undefined && isTextOf(text, value)
      ? text
      : value === undefined
        ? ''
        : printed(value)
  const change = (next: string) => {
    setText(next)
    if (next.trim() === '') return onChange(isNew ? undefined : null)
    try {
      onChange(JSON.parse(next))
    } catch {
      onChange(new BrokenJson(next))
    }
  }
  return (
    <>
      <textarea
        {...shared(props)}
        aria-invalid={isBroken || props.isInvalid || undefined}
        className="input code"
        spellCheck={false}
        value={shown}
        placeholder={isNew && props.byDefault !== undefined ? JSON.stringify(props.byDefault) : 'JSON'}
        onChange={({ target }) => change(target.value)}
      />
      {isBroken && <div className="problem">is no JSON yet</div>}
    </>
  )
}

function isTextOf(text: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value)
  } catch {
    return false
  }
}

/** On one line if it is short. No text in JSON has a line break of its own. */
function printed(value: unknown): string {
  const short = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
  return short.length <= 80 ? short : JSON.stringify(value, null, 2)
}
