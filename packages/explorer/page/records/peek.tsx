import { useState } from 'react'
import { hrefOf } from '../address.ts'
import { kindOf } from '../model/field-kinds.ts'
import type { Id, Schema } from '../model/model.ts'
import { titleOf } from '../model/names.ts'
import { shortText, textOf } from '../model/value-text.ts'
import { Popover } from '../parts/popover.tsx'
import { Value } from '../parts/value.tsx'
import { useModel, useRecord } from '../service/use-model.tsx'

interface PeekProps {
  readonly path: string
  readonly resource: string
  readonly id: Id
  readonly text: unknown
  readonly schema?: Schema | undefined
}

/** A link to a record that shows it in a few lines when one stays on it. */
export function Peek({ path, resource, id, text, schema }: PeekProps) {
  const [isOpen, setOpen] = useState(false)
  const shown = shortText(textOf(text, schema === undefined ? 'text' : kindOf(schema)) ?? `${resource} ${String(id)}`)
  return (
    <Popover
      label={`${resource} ${String(id)}`}
      open={isOpen}
      onHover
      onOpenChange={setOpen}
      trigger={
        <a href={hrefOf(path)} onClick={(event) => event.stopPropagation()}>
          {shown}
        </a>
      }
    >
      {isOpen && <PeekRecord path={path} resource={resource} />}
    </Popover>
  )
}

function PeekRecord({ path, resource }: { readonly path: string; readonly resource: string }) {
  const described = useModel().resources[resource]
  const { data, isError } = useRecord(path)
  const fields = Object.entries(described?.fields ?? {}).filter(
    ([name]) => data !== undefined && data.row[name] !== null && name in data.row,
  )
  return (
    <div className="peek">
      <div className="soft small">{resource}</div>
      <b>{isError ? 'is not here' : data === undefined ? '…' : titleOf(resource, described, data.row)}</b>
      <dl>
        {fields.slice(0, 8).map(([name, { schema }]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}=`}>
            <Value value={data?.row[name]} schema={schema} />
          </dd>,
        ])}
      </dl>
    </div>
  )
}
