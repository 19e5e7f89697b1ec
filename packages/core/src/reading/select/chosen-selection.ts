import type { FieldRights } from '../../model/field-rights.ts'
import { isToMany, type Owns, type Relation, type Resource, type ShownValue } from '../../model/model.ts'
import type { Comparing } from '../comparing.ts'
import { EVERYTHING } from '../condition.ts'
import type { RecordQuery } from '../record-query.ts'
import { type Contents, type Extent, extentBehind, isCarried, nothingSaid, pathTo } from './contents.ts'
import type { SelectedProperty, Selection } from './selection.ts'
import { selection, summaryOf, wholeRecord } from './selections.ts'

/** What holds everywhere in an answer. */
interface Choosing extends Pick<RecordQuery, 'hidden'> {
  readonly comparing: Comparing
  readonly fieldRights: FieldRights
}

/** What a query selects of the records that it asks for. */
export function selectionFor(
  resource: Resource,
  { contents, hidden }: Pick<RecordQuery, 'contents' | 'hidden'>,
  comparing: Comparing,
  fieldRights: FieldRights,
): Selection {
  if (contents === undefined) return wholeRecord(resource, fieldRights)
  return selectionAt({ resource, contents, extent: 'whole', path: '' }, { comparing, hidden, fieldRights })
}

/** The records at one place of an answer. */
interface Place {
  readonly resource: Resource
  /** What the query says of them. */
  readonly contents: Contents
  readonly extent: Extent
  /** From the records that are asked for. */
  readonly path: string
}

const NOTHING_SAID: Contents = Object.freeze(nothingSaid())

function selectionAt(place: Place, choosing: Choosing): Selection {
  const { resource, contents, extent } = place
  if (contents === NOTHING_SAID && choosing.hidden.size === 0) {
    return (extent === 'whole' ? wholeRecord : summaryOf)(resource, choosing.fieldRights)
  }
  return select(place, choosing, treeOf(place, choosing))
}

/** `tree`: what the relations of a tree select. */
function select(place: Place, choosing: Choosing, tree: ReadonlyMap<Relation, SelectedProperty>): Selection {
  const { resource, contents } = place
  const { hidden, comparing, fieldRights } = choosing
  const relations = [...resource.ownedBy, ...resource.neededBy].filter((one) => contents.related.has(one))
  const properties = [...resource.properties, ...relations].flatMap((property): SelectedProperty[] => {
    if (property.kind === 'field')
      return showsValue(property, place, fieldRights) ? [{ kind: 'field', field: property }] : []
    if (property.kind === 'computed') {
      return showsValue(property, place, fieldRights) ? [{ kind: 'computed', computed: property }] : []
    }
    const showsKey = property.kind === 'reference' && showsValue(property, place, fieldRights)
    const key: SelectedProperty[] = showsKey ? [{ kind: 'foreignKey', reference: property }] : []
    if (hidden.has(property.target) || !showsRelation(property, place)) return key
    return [...key, tree.get(property) ?? selectRelated(property, place, choosing)]
  })
  const counts = [...contents.counts].map(([name, counted]) => ({ kind: 'count', name, counted, comparing }) as const)
  return selection({
    resource,
    withHidden: false,
    properties: [...properties, ...counts],
    isPartial: lacksSomething(place, choosing),
  })
}

function selectRelated(relation: Relation, place: Place, choosing: Choosing): SelectedProperty {
  const contents = place.contents.related.get(relation) ?? NOTHING_SAID
  const { rows } = contents
  const path = pathTo(place.path, relation)
  const record = selectionAt({ resource: relation.target, contents, extent: extentBehind(relation), path }, choosing)
  if (relation.kind === 'reference') return { kind: 'reference', reference: relation, record }
  if (relation.kind === 'ownedBy') return { kind: 'single', relation, record }
  const isChosen = rows.limit !== undefined || rows.sort.length > 0 || rows.condition !== EVERYTHING
  if (isChosen) return { kind: 'chosen', relation, records: record, rows, path, comparing: choosing.comparing }
  if (relation.kind === 'neededBy') return { kind: 'single', relation, record }
  if (relation.kind === 'link') return { kind: 'link', link: relation, records: record }
  return { kind: 'owned', owns: relation, records: record }
}

/** All records below, in one list: of each, all that it carries. Nothing where the query says something else of them. */
function treeOf(place: Place, choosing: Choosing): ReadonlyMap<Relation, SelectedProperty> {
  const { resource, path } = place
  const through = resource.recursive.filter(({ carried }) => carried)
  const [carrier] = through
  if (carrier === undefined || !resource.recursive.every((owns) => isUntouched(owns, place))) return new Map()
  const children = new Map(through.map((owns) => [owns, { kind: 'children', owns } as const]))
  const records = select({ resource, contents: NOTHING_SAID, extent: 'whole', path }, choosing, children)
  return new Map<Relation, SelectedProperty>([
    ...children,
    [carrier, { kind: 'descendants', owns: carrier, through, records }],
  ])
}

/** Whether the record shows the relation if it carries it, and the query says nothing of it. */
function isUntouched(relation: Owns, place: Place): boolean {
  return showsRelation(relation, place) === relation.carried && !place.contents.related.has(relation)
}

function showsRelation(relation: Relation, { contents: { values, related, leftOut }, extent }: Place): boolean {
  if (related.has(relation)) return true
  return values === undefined && isCarried(relation, extent) && !leftOut.has(relation)
}

function showsValue(member: ShownValue, place: Place, fieldRights: FieldRights): boolean {
  return place.contents.values?.has(member) ?? showsValueOtherwise(member, place, fieldRights)
}

/** Whether such a record shows the value where a query does not say. */
function showsValueOtherwise(member: ShownValue, { extent }: Place, { sees }: FieldRights): boolean {
  if (member.kind === 'reference') return extent === 'whole'
  return sees(member) && (extent === 'whole' || member.inSummary)
}

/** Whether the query takes values from such a record, or something else that a body could set. */
function lacksSomething(place: Place, { hidden, fieldRights }: Choosing): boolean {
  const { resource, contents, extent } = place
  const values = [...resource.members, ...resource.computed]
  const lacksValue = values.some(
    (one) => showsValueOtherwise(one, place, fieldRights) && !showsValue(one, place, fieldRights),
  )
  const relations = [...resource.references, ...resource.links, ...resource.owns]
  const lacksRelation = relations.some((relation) => {
    if (hidden.has(relation.target)) return false
    if (isCarried(relation, extent) && !showsRelation(relation, place)) return true
    return isToMany(relation) && (contents.related.get(relation)?.rows.condition ?? EVERYTHING) !== EVERYTHING
  })
  return lacksValue || lacksRelation
}
