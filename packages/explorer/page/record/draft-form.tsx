import { useId, useState } from 'react'
import { hrefOf } from '../address.ts'
import { addLink, type Draft, isChanged, isSettable, moveLink, removeLink, setValue } from '../draft/draft.ts'
import { isEditable, kindOf } from '../model/field-kinds.ts'
import { type Id, isLinks, isOwning, type Relation, type Row, sameRow } from '../model/model.ts'
import { pathOf, titleOf } from '../model/names.ts'
import { FieldInput } from '../parts/field-input.tsx'
import { keepFocus } from '../parts/focus.ts'
import { Glyph } from '../parts/glyph.tsx'
import { AddReference, ReferenceInput, toId } from '../parts/reference-input.tsx'
import { Value } from '../parts/value.tsx'
import { useModel } from '../service/use-model.tsx'
import { useDraftEditing } from './draft-context.tsx'
import { OwnedPart } from './owned-part.tsx'
import { useDragOrder } from './use-drag-order.ts'

interface DraftFormProps {
  readonly draft: Draft
  readonly level?: number
  /** Where the record is; undefined for a new one. */
  readonly path: string | undefined
}

/** A record with all that belongs to it: fields, references, links, and the records that it owns, each a form again. */
export function DraftForm({ draft, level = 0, path }: DraftFormProps) {
  const model = useModel()
  const relations = Object.entries(model.resources[draft.resource]?.relations ?? {})
  return (
    <>
      <DraftFields draft={draft} level={level} />
      {relations
        .filter(([name, relation]) => isLinks(relation) && draft.links[name] !== undefined)
        .map(([name, relation]) => (
          <LinksPart key={name} draft={draft} name={name} relation={relation} level={level} />
        ))}
      {relations
        .filter(([name, relation]) => isOwning(relation) && draft.owned[name] !== undefined)
        .map(([name, relation]) => (
          <OwnedPart
            key={name}
            draft={draft}
            name={name}
            relation={relation}
            level={level}
            path={path}
            Form={DraftForm}
          />
        ))}
    </>
  )
}

function DraftFields({ draft, level }: { readonly draft: Draft; readonly level: number }) {
  const model = useModel()
  const { change, problems, isReadOnly } = useDraftEditing()
  const resource = model.resources[draft.resource]
  const isNew = draft.base === undefined
  const ofDraft = problems.get(draft.key)
  const references = Object.entries(resource?.relations ?? {}).filter(
    ([, relation]) =>
      isSettable(relation) &&
      relation.foreignKey !== undefined &&
      (isNew || relation.foreignKey in draft.values) &&
      // In its owner's array a record stays where it is.
      (relation.kind !== 'ownedBy' || (!isNew && level === 0)),
  )
  const fields = Object.entries(resource?.fields ?? {})
  const editable = fields.filter(
    ([name, field]) => isEditable(field) && !isReadOnly && (isNew || field.writeOnly || name in draft.values),
  )
  const shown = fields.filter(
    ([name, field]) =>
      !editable.some(([one]) => one === name) &&
      !isNew &&
      !field.writeOnly &&
      draft.base !== undefined &&
      name in draft.base,
  )
  const own = ofDraft?.get('') ?? []
  const isLong = ([, { schema }]: (typeof editable)[number]) => ['long', 'json'].includes(kindOf(schema))
  const inputOf = ([name, field]: (typeof editable)[number]) => (
    <FieldInput
      key={name}
      name={name}
      field={field}
      isNew={isNew || field.writeOnly === true}
      isChanged={!isNew && name in draft.values && isChanged(draft, name)}
      value={draft.values[name]}
      problems={ofDraft?.get(name)}
      onChange={(value) => change(draft.key, (one) => setValue(one, name, value))}
    />
  )
  const values = shown.map(([name, { schema }]) => (
    <div key={name} className="field">
      <span className="label">{name}</span>
      <div className="value">
        <Value value={draft.base?.[name]} schema={schema} />
      </div>
    </div>
  ))
  return (
    <>
      {own.map((problem) => (
        <div key={problem} className="note bad record-problem" role="alert">
          {problem}
        </div>
      ))}
      <div className="fields">
        {isNew && resource?.id?.assignedBy === 'client' && (
          <FieldInput
            name="id"
            isNew
            field={{ schema: resource.id.schema, required: true }}
            value={draft.values.id}
            problems={ofDraft?.get('id')}
            onChange={(value) =>
              change(draft.key, (one) =>
                setValue(one, 'id', typeof value === 'string' ? toId(value, resource.id?.kind) : value),
              )
            }
          />
        )}
        {editable.filter((one) => !isLong(one)).map(inputOf)}
        {isReadOnly && values}
        {references.map(([name, relation]) => (
          <ReferenceField
            key={name}
            draft={draft}
            name={name}
            relation={relation}
            problems={[...(ofDraft?.get(relation.foreignKey ?? '') ?? []), ...(ofDraft?.get(name) ?? [])]}
          />
        ))}
        {!isReadOnly && values}
        {editable.filter(isLong).map(inputOf)}
      </div>
    </>
  )
}

interface ReferenceFieldProps {
  readonly draft: Draft
  readonly name: string
  readonly relation: Relation
  readonly problems: readonly string[]
}

function ReferenceField({ draft, name, relation, problems }: ReferenceFieldProps) {
  const model = useModel()
  const { change, isReadOnly } = useDraftEditing()
  const says = useId()
  const [chosen, setChosen] = useState<Row | null>()
  const foreignKey = relation.foreignKey as string
  const value = draft.values[foreignKey] as Id | null | undefined
  const shown = [chosen, draft.base?.[name] as Row | null | undefined].find((row) => sameRow(row, value))
  const path = value === null || value === undefined ? undefined : pathOf(model.resources[relation.target], value)
  const isDifferent = draft.base !== undefined && isChanged(draft, foreignKey)
  return (
    <div className={`field reference${isDifferent ? ' changed' : ''}`}>
      <span className="label">
        {name}
        {relation.required && draft.base === undefined && <span className="required">*</span>}
        {path !== undefined && (
          <a className="goto" href={hrefOf(path)}>
            open
          </a>
        )}
      </span>
      {isReadOnly ? (
        <div className="value">
          {value === null || value === undefined ? (
            <span className="none">—</span>
          ) : (
            titleOf(relation.target, model.resources[relation.target], shown ?? { id: value })
          )}
        </div>
      ) : (
        <ReferenceInput
          target={relation.target}
          value={value}
          shown={shown}
          label={name}
          required={relation.required}
          invalid={problems.length > 0}
          describedBy={says}
          onChange={(id, row) => {
            setChosen(row)
            change(draft.key, (one) => setValue(one, foreignKey, id))
          }}
        />
      )}
      <div id={says}>
        {problems.map((problem) => (
          <div className="problem" key={problem}>
            {problem}
          </div>
        ))}
      </div>
    </div>
  )
}

interface LinksPartProps {
  readonly draft: Draft
  readonly name: string
  readonly relation: Relation
  readonly level: number
}

function LinksPart({ draft, name, relation, level }: LinksPartProps) {
  const model = useModel()
  const { change, problems, isReadOnly } = useDraftEditing()
  const links = draft.links[name] ?? []
  const kept = links.filter(({ state }) => state !== 'removed')
  const wrong = problems.get(draft.key)?.get(name) ?? []
  const Heading = level === 0 ? 'h2' : 'h3'
  const target = model.resources[relation.target]
  const isOrdered = relation.ordered === true && !isReadOnly
  const move = (from: number, to: number) => {
    if (to < 0 || to >= links.length) return
    change(draft.key, (one) => moveLink(one, name, from, to))
    keepFocus()
  }
  const drag = useDragOrder(move)
  return (
    <section className="part">
      <header>
        <Heading>
          {name} <span className="count">{kept.length}</span>
        </Heading>
      </header>
      <div className="chips">
        {links.map(({ id, row, state }, index) => {
          const path = pathOf(target, id)
          const title = titleOf(relation.target, target, row)
          return (
            <span
              key={String(id)}
              className={`chip${state === 'added' ? ' new' : state === 'removed' ? ' gone' : ''}${drag.classOf(index)}`}
              {...(isOrdered && drag.grip(index))}
              {...drag.target(index)}
            >
              {isOrdered && (
                <PlaceButton glyph="left" label={`Earlier: ${title}`} onClick={() => move(index, index - 1)} />
              )}
              {isOrdered && (
                <PlaceButton glyph="right" label={`Later: ${title}`} onClick={() => move(index, index + 1)} />
              )}
              {path === undefined ? <span>{title}</span> : <a href={hrefOf(path)}>{title}</a>}
              {!isReadOnly && (
                <button
                  type="button"
                  aria-label={state === 'removed' ? `Keep ${title}` : `Remove ${title}`}
                  onClick={() =>
                    change(draft.key, (one) =>
                      state === 'removed' ? addLink(one, name, row) : removeLink(one, name, id),
                    )
                  }
                >
                  <Glyph name={state === 'removed' ? 'undo' : 'cross'} />
                </button>
              )}
            </span>
          )
        })}
        {!isReadOnly && (
          <AddReference
            target={relation.target}
            label={`Add to ${name}`}
            without={kept.map(({ id }) => id)}
            onAdd={(row) => change(draft.key, (one) => addLink(one, name, row))}
          />
        )}
      </div>
      {wrong.map((problem) => (
        <div className="problem" key={problem}>
          {problem}
        </div>
      ))}
    </section>
  )
}

interface PlaceButtonProps {
  readonly glyph: 'left' | 'right'
  readonly label: string
  readonly onClick: () => void
}

const PlaceButton = ({ glyph, label, onClick }: PlaceButtonProps) => (
  <button type="button" className="place" aria-label={label} onClick={onClick}>
    <Glyph name={glyph} />
  </button>
)
