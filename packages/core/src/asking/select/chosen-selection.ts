import { withArticle } from '../../errors.ts'
import { didYouMean } from '../../model/check/names.ts'
import type { CollectionPath, KeptRecords } from '../../model/collection-path.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import {
  type ForeignKey,
  isToMany,
  type Owns,
  type Relation,
  type Resource,
  type SingleValue,
} from '../../model/model.ts'
import { EVERYTHING } from '../condition.ts'
import type { RecordQuery } from '../record-query.ts'
import { type Contents, type Extent, emptyContents, extentBehind, isCarried, pathTo } from './contents.ts'
import type { SelectedProperty, Selection } from './selection.ts'
import { selection, summaryOf, wholeRecord, wholeRecordAt } from './selections.ts'

/** What holds everywhere in an answer. */
interface AnswerContext extends Pick<RecordQuery, 'hidden'> {
  readonly fieldRights: FieldRights
  /** The field that records have besides those of their resource; those inside of others show it if it is asked for. */
  readonly kept: KeptRecords['shows'] | undefined
}

/** What a query selects of the records of a path. */
export function selectionFor(
  path: CollectionPath,
  { contents, hidden }: Pick<RecordQuery, 'contents' | 'hidden'>,
  fieldRights: FieldRights,
): Selection {
  if (contents === undefined) return wholeRecordAt(path, fieldRights)
  const { resource, isTopLevel, kept } = path
  const part = { resource, contents, extent: 'whole', path: '', isTopLevel } as const
  return selectionAt(part, { hidden, fieldRights, kept: kept?.shows })
}

/** The records at one path of an answer. */
interface AnswerPart {
  readonly resource: Resource
  /** What the query says of them. */
  readonly contents: Contents
  readonly extent: Extent
  /** From the records that are asked for. */
  readonly path: string
  /** Whether the records show the foreign keys of their owners by default. */
  readonly isTopLevel: boolean
}

const EMPTY_CONTENTS: Contents = Object.freeze(emptyContents())

/** Records inside of others. */
const INSIDE = { isTopLevel: false } as const

function selectionAt(part: AnswerPart, context: AnswerContext): Selection {
  const { resource, contents, extent } = part
  if (contents === EMPTY_CONTENTS && context.hidden.size === 0) {
    return (extent === 'whole' ? wholeRecord : summaryOf)(resource, context.fieldRights)
  }
  return select(part, context, treeOf(part, context))
}

/** `tree`: what the relations of a tree select. */
function select(part: AnswerPart, context: AnswerContext, tree: ReadonlyMap<Relation, SelectedProperty>): Selection {
  const { resource, contents } = part
  const { hidden, fieldRights } = context
  const owners = resource.ownedBy.filter((one) => part.isTopLevel || showsValue(one, part, fieldRights))
  const relations = [...resource.ownedBy, ...resource.neededBy].filter((one) => contents.related.has(one))
  // The owners' keys come in front of all others.
  const own = resource.properties.filter(({ kind }) => kind !== 'ownedBy')
  const properties = [...own, ...relations].flatMap((property): SelectedProperty[] => {
    if (property.kind === 'field')
      return showsValue(property, part, fieldRights) ? [{ kind: 'field', field: property }] : []
    if (property.kind === 'computed') {
      return showsValue(property, part, fieldRights) ? [{ kind: 'computed', computed: property }] : []
    }
    const showsKey = property.kind === 'reference' && showsValue(property, part, fieldRights)
    const key = showsKey ? [keyOf(property)] : []
    if (hidden.has(property.target) || !showsRelation(property, part)) return key
    return [...key, tree.get(property) ?? selectRelated(property, part, context)]
  })
  const counts = [...contents.counts].map(([name, counted]) => ({ kind: 'count', name, counted }) as const)
  const field = context.kept?.(resource)
  const isShown = field !== undefined && (contents.values?.has(field) ?? part.path === '')
  const besides = isShown ? [{ kind: 'field', field } as const] : []
  return selection({
    resource,
    ignoresPolicies: false,
    properties: [...owners.map(keyOf), ...properties, ...counts, ...besides],
    isPartial: lacksSomething(part, context),
  })
}

function keyOf(reference: ForeignKey): SelectedProperty {
  return { kind: 'foreignKey', reference }
}

function selectRelated(relation: Relation, part: AnswerPart, context: AnswerContext): SelectedProperty {
  const contents = part.contents.related.get(relation) ?? EMPTY_CONTENTS
  const { rows } = contents
  const path = pathTo(part.path, relation)
  const record = selectionAt(
    { resource: relation.target, contents, extent: extentBehind(relation), path, ...INSIDE },
    context,
  )
  if (relation.kind === 'reference') return { kind: 'reference', reference: relation, record }
  if (relation.kind === 'ownedBy') return { kind: 'single', relation, record }
  const isChosen = rows.limit !== undefined || rows.sort.length > 0 || rows.condition !== EVERYTHING
  if (isChosen) return { kind: 'chosen', relation, records: record, rows, path }
  if (relation.kind === 'neededBy') return { kind: 'single', relation, record }
  if (relation.kind === 'link') return { kind: 'link', link: relation, records: record }
  return { kind: 'owned', owns: relation, records: record }
}

/** All records below, in one list: of each, all that it carries. Nothing where the query says something else of
 * them. */
function treeOf(part: AnswerPart, context: AnswerContext): ReadonlyMap<Relation, SelectedProperty> {
  const { resource, path } = part
  const through = resource.recursive.filter(({ carried }) => carried)
  const [carrier] = through
  if (carrier === undefined || !resource.recursive.every((owns) => isUntouched(owns, part))) return new Map()
  const children = new Map(through.map((owns) => [owns, { kind: 'children', owns } as const]))
  const records = select({ resource, contents: EMPTY_CONTENTS, extent: 'whole', path, ...INSIDE }, context, children)
  return new Map<Relation, SelectedProperty>([
    ...children,
    [carrier, { kind: 'descendants', owns: carrier, through, records }],
  ])
}

/** Whether the record shows the relation if it carries it, and the query says nothing of it. */
function isUntouched(relation: Owns, part: AnswerPart): boolean {
  return showsRelation(relation, part) === relation.carried && !part.contents.related.has(relation)
}

function showsRelation(relation: Relation, { contents: { values, related, leftOut }, extent }: AnswerPart): boolean {
  if (related.has(relation)) return true
  return values === undefined && isCarried(relation, extent) && !leftOut.has(relation)
}

function showsValue(member: SingleValue, part: AnswerPart, fieldRights: FieldRights): boolean {
  return part.contents.values?.has(member) ?? showsValueByDefault(member, part, fieldRights)
}

/** Whether such a record shows the value where a query does not say. */
function showsValueByDefault(member: SingleValue, { extent, isTopLevel }: AnswerPart, { sees }: FieldRights): boolean {
  if (member.kind === 'reference') return extent === 'whole'
  if (member.kind === 'ownedBy') return isTopLevel || (extent === 'whole' && member.position !== undefined)
  return sees(member) && (extent === 'whole' || member.inSummary)
}

/** Whether the query takes values from such a record, or something else that a body could set. */
function lacksSomething(part: AnswerPart, { hidden, fieldRights }: AnswerContext): boolean {
  const { resource, contents, extent } = part
  const values = [...resource.members, ...resource.movedBy, ...resource.computed]
  const lacksValue = values.some(
    (one) => showsValueByDefault(one, part, fieldRights) && !showsValue(one, part, fieldRights),
  )
  const relations = [...resource.references, ...resource.links, ...resource.owns]
  const lacksRelation = relations.some((relation) => {
    if (hidden.has(relation.target)) return false
    if (isCarried(relation, extent) && !showsRelation(relation, part)) return true
    return isToMany(relation) && (contents.related.get(relation)?.rows.condition ?? EVERYTHING) !== EVERYTHING
  })
  return lacksValue || lacksRelation
}

/** What the names in `reads` select of a record: `amount`, `lines.amount`. Adds to the problems what no record has. */
export function readSelection(
  resource: Resource,
  reads: readonly unknown[],
  place: string,
  problems: string[],
): Selection {
  const names = new Map<string, string[]>()
  for (const path of reads) {
    const text = String(path)
    const dot = text.indexOf('.')
    const name = dot < 0 ? text : text.slice(0, dot)
    const below = names.get(name) ?? []
    names.set(name, dot < 0 ? below : [...below, text.slice(dot + 1)])
  }
  const properties = [...names].flatMap(([name, below]) => selectNamed(resource, name, below, place, problems))
  return selection({ resource, ignoresPolicies: true, properties })
}

function selectNamed(
  resource: Resource,
  name: string,
  below: readonly string[],
  place: string,
  problems: string[],
): readonly SelectedProperty[] {
  if (name === 'id' && below.length === 0) return []
  const owns = resource.owns.find((one) => one.name === name)
  if (owns !== undefined) return [{ kind: 'owned', owns, records: readSelection(owns.target, below, place, problems) }]
  if (below.length > 0) {
    const hint = didYouMean(name, resource.owns)
    problems.push(`${place}: ${withArticle(resource.key)} owns nothing through '${name}'${hint}`)
    return []
  }
  const field = resource.fields.find((one) => one.name === name)
  if (field !== undefined) return [{ kind: 'field', field }]
  const computed = resource.computed.find((one) => one.name === name)
  if (computed !== undefined) return [{ kind: 'computed', computed }]
  const reference = resource.references.find(({ foreignKey }) => foreignKey === name)
  if (reference !== undefined) return [{ kind: 'foreignKey', reference }]
  const link = resource.links.find((one) => one.name === name)
  if (link !== undefined) return [{ kind: 'link', link, records: undefined }]
  const known = [...resource.fields, ...resource.computed, ...resource.owns, ...resource.links]
  const keys = resource.references.map(({ foreignKey }) => foreignKey)
  problems.push(`${place}: ${resource.key} has no '${name}' to read${didYouMean(name, [...known, ...keys])}`)
  return []
}
