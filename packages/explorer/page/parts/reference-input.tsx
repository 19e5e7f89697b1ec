import { Combobox } from '@base-ui/react/combobox'
import { useState } from 'react'
import type { Id, ModelDocument, Row } from '../model/model.ts'
import { labelOf, ownsItself, sameId, titleOf, topPath } from '../model/names.ts'
import { useList, useModel } from '../service/use-model.tsx'
import { Glyph } from './glyph.tsx'

/** As many choices are asked for at once. */
const CHOICES = 30

interface ChoiceRow {
  readonly id: Id
  readonly title: string
  readonly row: Row
}

/** The list of choices for a text, and the query that asks for it. */
function choicesQuery(model: ModelDocument, target: string, text: string): string {
  const resource = model.resources[target]
  const label = resource && labelOf(resource)
  const query = new URLSearchParams({ limit: String(Math.min(CHOICES, model.limits.maxPage)), count: 'none' })
  const isText = label !== undefined && /string/.test(JSON.stringify(resource?.fields[label]?.schema.type))
  if (label !== undefined) query.set('sort', label)
  if (label !== undefined && !ownsItself(resource, target)) query.set('fields', label)
  if (text.trim() === '') return query.toString()
  if (isText) query.set(`filter[${label}][icontains]`, text.trim())
  else query.set('filter[id]', text.trim())
  return query.toString()
}

/** A tree's list has its roots, with what they own: all of them are choices. */
function flatten(target: string, model: ModelDocument, rows: readonly Row[], start = ''): ChoiceRow[] {
  const resource = model.resources[target]
  const own = Object.entries(resource?.relations ?? {}).find(
    ([, one]) => one.kind === 'owns.many' && one.target === target,
  )
  return rows.flatMap((row) => {
    const title = start + titleOf(target, resource, row)
    const below = own === undefined ? [] : ((row[own[0]] ?? []) as readonly Row[])
    return [{ id: row.id as Id, title, row }, ...flatten(target, model, below, `${title} / `)]
  })
}

/** The records that a text finds, while somebody types. */
function useChoices(
  target: string,
  text: string,
  enabled: boolean,
): { choices: ChoiceRow[]; isPending: boolean; isError: boolean } {
  const model = useModel()
  const isTree = ownsItself(model.resources[target], target)
  const path = topPath(model.resources[target])
  const { data, isPending, isError } = useList(path, choicesQuery(model, target, isTree ? '' : text), enabled)
  const all = flatten(target, model, data?.rows ?? [])
  const words = text.trim().toLowerCase()
  return { choices: isTree ? all.filter(({ title }) => title.toLowerCase().includes(words)) : all, isPending, isError }
}

interface ReferenceInputProps {
  readonly target: string
  readonly value: Id | null | undefined
  /** The record that it is, as far as somebody has read it. */
  readonly shown: Row | null | undefined
  readonly onChange: (id: Id | null, row: Row | null) => void
  readonly label: string
  readonly required?: boolean
  readonly invalid?: boolean
  readonly describedBy?: string
}

/** Finds a record by its name, and becomes its id. */
export function ReferenceInput(props: ReferenceInputProps) {
  const { target, value, shown, onChange, label, required, invalid, describedBy } = props
  const model = useModel()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { choices, isPending, isError } = useChoices(target, text, isOpen)
  const resource = model.resources[target]
  const known = shown && sameId(shown.id, value) ? shown : undefined
  const current: ChoiceRow | null =
    value === null || value === undefined
      ? null
      : { id: value, title: titleOf(target, resource, known ?? { id: value }), row: known ?? { id: value } }

  if (topPath(resource) === undefined) {
    return (
      <input
        className="input"
        aria-label={label}
        aria-invalid={invalid}
        aria-describedby={describedBy}
        placeholder={`id of ${target}`}
        value={value ?? ''}
        onChange={(event) => onChange(toId(event.target.value, resource?.id?.kind), null)}
      />
    )
  }
  return (
    <Combobox.Root
      items={choices}
      filter={null}
      value={current}
      open={isOpen}
      onOpenChange={setOpen}
      itemToStringLabel={(one: ChoiceRow) => one.title}
      isItemEqualToValue={(one: ChoiceRow, other: ChoiceRow) => sameId(one.id, other.id)}
      onInputValueChange={(next, { reason }) => setText(reason === 'input-change' ? next : '')}
      onValueChange={(next: ChoiceRow | null) => onChange(next?.id ?? null, next?.row ?? null)}
    >
      <div className="with-end">
        <Combobox.Input
          className="input"
          placeholder={`Find ${target}`}
          aria-label={label}
          aria-invalid={invalid}
          aria-describedby={describedBy}
        />
        <div className="end">
          {!required && current !== null && (
            <Combobox.Clear className="button plain icon little" aria-label={`No ${label}`}>
              <Glyph name="cross" />
            </Combobox.Clear>
          )}
          <Combobox.Trigger className="button plain icon little" aria-label={`Show ${target} records`}>
            <Glyph name="down" />
          </Combobox.Trigger>
        </div>
      </div>
      <ChoiceList target={target} isPending={isPending} isError={isError} isEmpty={choices.length === 0} />
    </Combobox.Root>
  )
}

interface ChoiceListProps {
  readonly target: string
  readonly isPending: boolean
  readonly isError: boolean
  readonly isEmpty: boolean
}

const ChoiceList = ({ target, isPending, isError, isEmpty }: ChoiceListProps) => (
  <Combobox.Portal>
    <Combobox.Positioner className="layer" sideOffset={4} collisionPadding={10}>
      <Combobox.Popup className="popup">
        {isEmpty && (
          <div className="title" role="status">
            {isPending ? 'Looking…' : isError ? `The service gives no ${target} records` : `No ${target} has this name`}
          </div>
        )}
        <Combobox.List>
          {(one: ChoiceRow) => (
            <Combobox.Item key={String(one.id)} value={one} className="choice">
              <span className="grow">{one.title}</span>
              <span className="soft small">{String(one.id)}</span>
            </Combobox.Item>
          )}
        </Combobox.List>
      </Combobox.Popup>
    </Combobox.Positioner>
  </Combobox.Portal>
)

interface AddReferenceProps {
  readonly target: string
  readonly label: string
  readonly onAdd: (row: Row) => void
  readonly without: readonly Id[]
}

/** Finds records to link, one after the other. */
export function AddReference({ target, label, onAdd, without }: AddReferenceProps) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { choices, isPending, isError } = useChoices(target, text, isOpen)
  const others = choices.filter(({ id }) => !without.some((one) => sameId(one, id)))
  return (
    <Combobox.Root
      items={others}
      filter={null}
      value={null}
      open={isOpen}
      onOpenChange={setOpen}
      inputValue={text}
      itemToStringLabel={(one: ChoiceRow) => one.title}
      onInputValueChange={(next, { reason }) => setText(reason === 'input-change' ? next : '')}
      onValueChange={(next: ChoiceRow | null) => {
        if (next !== null) onAdd(next.row)
        setText('')
      }}
    >
      <Combobox.Input className="input add" placeholder={`Add ${target}`} aria-label={label} />
      <ChoiceList target={target} isPending={isPending} isError={isError} isEmpty={others.length === 0} />
    </Combobox.Root>
  )
}

/** What somebody typed, as an id of that kind. */
export function toId(text: string, kind: string | undefined): Id | null {
  if (text === '') return null
  return kind === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
