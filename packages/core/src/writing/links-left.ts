import type { BodyProblem } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Field, Link, Resource } from '../model/model.ts'
import { otherEnd } from '../model/resource-tree.ts'
import { momentInUtc } from '../model/values/long-number.ts'
import { textFormat } from '../model/values/schema-facts.ts'
import type { Draft } from '../planning/body/draft.ts'
import { pointerTo } from '../planning/body/faults.ts'
import { NumberChange } from '../planning/body/patch-marks.ts'
import { type Changes, isRemoved } from '../planning/diff/changes.ts'
import { isNew, type RecordData, type RowId } from '../planning/rows.ts'
import { type ReadRecord, treeOf } from '../rules/rows/tree.ts'
import type { QueryContext } from '../sql/context.ts'
import type { Digits, LearnedType, LearnedTypes } from '../sql/dialect/postgres/learned-types.ts'
import { linksShownIn } from '../sql/reads/read-queries.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { Current } from './write-call.ts'

/** The links that a write leaves. */
export interface LinksLeft {
  /** For the statement `answerWithLinks`. */
  readonly values: Readonly<Record<string, string>>
  /** What the write was planned from. */
  readonly basis: string
}

/** Which links of a row the write changes. */
interface ChangedLinks {
  readonly added: RowId[]
  readonly gone: Set<RowId>
}

type ChangedByRow = ReadonlyMap<Link, ReadonlyMap<RowId, ChangedLinks>>

/**
 * The links that a record and all that it owned before are left with. Others may make and remove links from the other
 * end, also while the record is locked. Undefined if the record shows none. Links of new rows are not among them: no
 * other writer knows such a row.
 */
export function linksLeft(
  context: QueryContext,
  resource: Resource,
  { read: records, basis, diff: { changes } }: Pick<Current, 'read' | 'basis' | 'diff'>,
): LinksLeft | undefined {
  const selections = linksShownIn(resource)
  if (selections.length === 0 || basis === undefined) return undefined
  const tree = treeOf(records)
  const changed = changedLinks(changes)
  const values: Record<string, string> = {}
  const all = selections.map(({ resource: of }, index) => {
    const ids: Id[] = []
    const rows: unknown[] = []
    const links = of.links.filter(({ carried, order }) => carried && order === undefined)
    const read = [...(tree.get(of.key)?.values() ?? [])].sort((one, other) =>
      of.id.compare(one.record.id, other.record.id),
    )
    for (const one of read) {
      const row = isRemoved(changes, of, one.record.id) ? undefined : rowLeft(one, links, changes, changed)
      if (row === undefined) continue
      ids.push(one.record.id)
      rows.push(row)
    }
    values[`rows${index}`] = idSqlOf(context, of).encodeList(ids)
    return rows
  })
  values.links = JSON.stringify(all)
  return { values, basis: basis.json }
}

/** The row with its links; undefined if they are not known: of what was not read, and where a new row is linked from
 * its own end. */
function rowLeft(
  { record }: ReadRecord,
  links: readonly Link[],
  changes: Changes,
  changed: ChangedByRow,
): Readonly<Record<string, unknown>> | undefined {
  const row: Record<string, unknown> = { id: record.id }
  for (const link of links) {
    const before = record[link.name] as readonly RecordData[] | undefined
    if (before === undefined) return undefined
    const { added, gone } = changed.get(link)?.get(record.id) ?? NONE
    if (added.some(isNew)) return undefined
    const all = new Set([...before.map(({ id }) => id), ...(added as readonly Id[])])
    const left = [...all].filter((id) => !gone.has(id) && !isRemoved(changes, link.target, id))
    row[link.name] = left.sort(link.target.id.compare).map((id) => ({ id }))
  }
  return row
}

const NONE: ChangedLinks = { added: [], gone: new Set() }

/** By links and rows, from either end. */
function changedLinks({ linked, unlinked }: Changes): ChangedByRow {
  const changed = new Map<Link, Map<RowId, ChangedLinks>>()
  const of = (link: Link, row: RowId): ChangedLinks => {
    const rows = changed.get(link) ?? new Map<RowId, ChangedLinks>()
    const known = rows.get(row) ?? { added: [], gone: new Set<RowId>() }
    changed.set(link, rows.set(row, known))
    return known
  }
  for (const { link, from, to } of linked) {
    of(link, from).added.push(to)
    const other = otherEnd(link)
    if (other !== undefined) of(other, to).added.push(from)
  }
  for (const { link, from, to } of unlinked) {
    of(link, from).gone.add(to)
    const other = otherEnd(link)
    if (other !== undefined) of(other, to).gone.add(from)
  }
  return changed
}

/**
 * The values of a body that their columns cannot give back, because of their types: no schema says what only the
 * database knows. PostgreSQL rounds what is behind the point, in silence, and has no `date-time` for a moment before
 * the year 1 or behind the year 9999.
 */
export function lostValues(types: LearnedTypes, draft: Draft, problems: BodyProblem[] = []): readonly BodyProblem[] {
  const { resource, values, owned, pointer } = draft
  for (const field of resource.fields) {
    const value = values[field.position]
    const problem =
      typeof value === 'string'
        ? problemOf(types, field, value)
        : value instanceof NumberChange
          ? problemOfChange(types, field, value)
          : undefined
    if (problem !== undefined) problems.push({ pointer: pointerTo(pointer, field.property), ...problem })
  }
  for (const one of owned.flat()) if (one) lostValues(types, one, problems)
  return problems
}

function problemOf(types: LearnedTypes, field: Field, value: string): Omit<BodyProblem, 'pointer'> | undefined {
  const digits = types.digitsOf(field)
  if (digits !== undefined && !fits(value, digits)) {
    return { message: messageFor(digits), keyword: 'digits', params: { ...digits } }
  }
  if (isOfOtherYear(value) && holdsMoments(types, field)) return OF_OTHER_YEAR
  return problemOfOffset(types.typeOf(field), value)
}

/** PostgreSQL leaves an offset out where the column has none, and takes that of the session where it lacks. */
function problemOfOffset(type: LearnedType | undefined, time: string): Omit<BodyProblem, 'pointer'> | undefined {
  if (type === 'time') return OFFSET.test(time) ? WITH_OFFSET : undefined
  return type === 'timetz' && !OFFSET.test(time) ? WITHOUT_OFFSET : undefined
}

const OFFSET = /(?:z|[+-]\d\d(?::?\d\d)?)$/i

const WITH_OFFSET = {
  message: 'must have no offset, as its column keeps none',
  keyword: 'storable',
  params: { not: 'offset' },
} as const

const WITHOUT_OFFSET = {
  message: 'must have an offset, such as Z, as its column has one',
  keyword: 'storable',
  params: { not: 'local time' },
} as const

/** A sum has as many digits behind the point as what is added, or more. How many it has before, the stored value
 * says. */
function problemOfChange(
  types: LearnedTypes,
  field: Field,
  { by }: NumberChange,
): Omit<BodyProblem, 'pointer'> | undefined {
  const digits = typeof by === 'string' ? types.digitsOf(field) : undefined
  if (digits === undefined || fits(String(by), { ...digits, before: Number.POSITIVE_INFINITY })) return undefined
  return { message: messageFor(digits), keyword: 'digits', params: { ...digits } }
}

/** Zeros at either end are not lost. */
function fits(decimal: string, { before, behind }: Digits): boolean {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return whole.replace(/^0/, '').length <= before && !/[1-9]/.test(fraction.slice(behind))
}

function messageFor({ before, behind }: Digits): string {
  return `must have at most ${before} digits before the point and ${behind} behind it`
}

/** A column of texts keeps any `date-time` as it is. */
function holdsMoments(types: LearnedTypes, field: Field): boolean {
  if (textFormat(field.schema) !== 'date-time') return false
  const type = types.typeOf(field)
  return field.stored !== undefined || type === 'timestamptz' || type === 'timestamp'
}

/** Offsets lead out of the years that a `date-time` can name. */
function isOfOtherYear(text: string): boolean {
  return /^(?:000[01]|9999)-\d\d-\d\dT/i.test(text) && !/^(?!0000)\d{4}-/.test(momentInUtc(text))
}

const OF_OTHER_YEAR = {
  message: 'must be a moment of the years 1 to 9999 in UTC',
  keyword: 'storable',
  params: { not: 'year' },
} as const
