import { hash } from 'node:crypto'
import type { EffectChange, Effects, NewRecord, RecordNamed, RowChanged } from '../effects-form.ts'
import { isGivenByDatabase } from '../model/descriptors/field-options.ts'
import type { FieldRights } from '../model/field-rights.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { sameValue } from '../planning/diff/changes.ts'
import type { RecordData } from '../planning/rows.ts'
import {
  type EffectRecord,
  recordKey,
  type WholeChange,
  type WholeLinkChange,
  type WholeRowChange,
} from './whole-change.ts'

/** Who is shown what a write does. */
export interface Viewer {
  /** Those of the caller. */
  readonly fieldRights: FieldRights
  /** Whether it could see the record before the write, and can see it after. */
  sees(when: 'before' | 'after', record: EffectRecord): boolean
}

/** The changes as a viewer sees them. `isPreview`: ids that the service has given are null, as it takes them back. */
export function shownChanges(all: readonly WholeChange[], viewer: Viewer, isPreview: boolean): readonly EffectChange[] {
  const naming = namingIn(isPreview ? all : [])
  return all.flatMap((change) => {
    const shown = change.kind === 'row' ? shownRow(change, viewer, naming) : shownLink(change, viewer, naming)
    return shown ?? []
  })
}

/** How changes name records. */
interface Naming {
  /** The number of a new record whose id is not told; undefined: its id is. */
  numberOf(record: EffectRecord): number | undefined
  nameOf(record: EffectRecord): Id | NewRecord
}

function namingIn(all: readonly WholeChange[]): Naming {
  const numbers = new Map<string, number>()
  for (const change of all) {
    if (change.kind !== 'row' || change.action !== 'Add' || !change.isGivenId) continue
    numbers.set(recordKey(change.resource, change.id), numbers.size + 1)
  }
  const numberOf = ({ resource, id }: EffectRecord) =>
    numbers.size === 0 ? undefined : numbers.get(recordKey(resource, id))
  const nameOf = (record: EffectRecord) => {
    const number = numberOf(record)
    return number === undefined ? record.id : { new: number }
  }
  return { numberOf, nameOf }
}

function shownRow(change: WholeRowChange, viewer: Viewer, naming: Naming): EffectChange | undefined {
  const { resource, before, after, owner, soft } = change
  if (before === undefined && after === undefined) return shownById(change, viewer, naming)
  const wasSeen = before !== undefined && viewer.sees('before', change)
  const isSeen = after !== undefined && viewer.sees('after', change)
  if (!wasSeen && !isSeen) return undefined
  // Of a record that leaves the sight of the viewer, nothing is told but that.
  if (wasSeen && !isSeen && after !== undefined) return { action: 'Delete', ...identityOf(change, naming) }
  const values = valuesOf(resource, viewer, naming)
  const when = isSeen ? 'after' : 'before'
  const within = owner !== null && viewer.sees(when, owner) ? { within: named(owner, naming) } : {}
  const terms = { ...identityOf(change, naming), ...within, ...reasonOf(change, viewer, naming) }
  if (!wasSeen) return { action: 'Add', ...terms, ...(soft && SOFT), after: values(after as RecordData) }
  if (after === undefined) return { action: 'Delete', ...terms, ...(soft && SOFT), before: values(before) }
  const [was, is] = differing(values(before), values(after))
  if (Object.keys(is).length === 0 && change.because !== 'order') return undefined
  return { action: 'Edit', ...terms, before: was, after: is }
}

const SOFT = { soft: true } as const

/** A change of which the history keeps ids alone. An edit may be one of fields that the viewer does not see. */
function shownById(change: WholeRowChange, viewer: Viewer, naming: Naming): EffectChange | undefined {
  const { action, resource } = change
  const isSeen = viewer.sees(action === 'Delete' ? 'before' : 'after', change)
  const mayBeHidden =
    action === 'Edit' && resource.fields.some((one) => !one.writeOnly && !viewer.fieldRights.sees(one))
  return isSeen && !mayBeHidden ? { action, ...identityOf(change, naming) } : undefined
}

function identityOf(record: EffectRecord, naming: Naming): { resource: string; id: Id | null; new?: number } {
  const number = naming.numberOf(record)
  const { key } = record.resource
  return number === undefined ? { resource: key, id: record.id } : { resource: key, id: null, new: number }
}

function named(record: EffectRecord, naming: Naming): RecordNamed {
  return [record.resource.key, naming.nameOf(record)]
}

function reasonOf(
  { pointer, because, cause }: WholeChange,
  viewer: Viewer,
  naming: Naming,
): Pick<EffectChange, 'pointer' | 'because' | 'cause'> {
  return {
    ...(pointer !== undefined && { pointer }),
    ...(because !== undefined && { because }),
    ...(cause !== undefined && viewer.sees('before', cause) && { cause: named(cause, naming) }),
  }
}

/** The fields and foreign keys of a row that the viewer may see. */
function valuesOf(
  { fields, references, movedBy }: Resource,
  { fieldRights }: Viewer,
  naming: Naming,
): (row: RecordData) => Record<string, unknown> {
  const seen = [...fields.filter(fieldRights.sees), ...references, ...movedBy]
  return (row) => {
    const values: Record<string, unknown> = {}
    for (const member of seen) {
      const value = row[member.property] ?? null
      const isKey = member.kind !== 'field' && value !== null
      values[member.property] = isKey ? naming.nameOf({ resource: member.target, id: value as Id }) : value
    }
    return values
  }
}

function differing(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): readonly [Record<string, unknown>, Record<string, unknown>] {
  const names = Object.keys(after).filter((name) => !sameValue(after[name], before[name]))
  const pick = (values: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map((name) => [name, values[name]]))
  return [pick(before), pick(after)]
}

function shownLink(change: WholeLinkChange, viewer: Viewer, naming: Naming): EffectChange | undefined {
  const { action, link, to } = change
  const when = action === 'Unlink' ? 'before' : 'after'
  const other = { resource: link.target, id: to }
  if (!viewer.sees(when, change) || !viewer.sees(when, other)) return undefined
  const terms = { ...identityOf(change, naming), relation: link.name, to: naming.nameOf(other) }
  return { action, ...terms, ...reasonOf(change, viewer, naming) }
}

/**
 * The tag of a write: equal for writes that do the same as far as a viewer is shown it. What no two writes have in
 * common makes no difference: ids that are given, values that rules or the database make. Of what rules and actions
 * write, only the rows and properties do.
 */
export function effectsTag(
  all: readonly WholeChange[],
  viewer: Viewer,
  { operation, resource, id }: Pick<Effects, 'operation' | 'resource' | 'id'>,
): string {
  const naming = namingIn(all)
  const told = all.flatMap((change) => {
    if (change.kind === 'link') return shownLink(change, viewer, naming) ?? []
    const shown = shownRow(change, viewer, naming)
    if (shown === undefined) return []
    const isMade = (name: string) => change.byRule.has(name) || isVolatile(change.resource, name)
    const { before, after, ...others } = shown as RowChanged
    return { ...others, before: withoutMade(before, isMade), after: withoutMade(after, isMade) }
  })
  const text = JSON.stringify([operation, resource, id ?? null, told])
  return hash('sha256', text, 'base64url').slice(0, TAG_LENGTH)
}

const TAG_LENGTH = 24

function withoutMade(
  values: Readonly<Record<string, unknown>> = {},
  isMade: (name: string) => boolean,
): readonly (readonly [name: string, value?: unknown])[] {
  return Object.entries(values).map(([name, value]) => (isMade(name) ? [name] : [name, value]))
}

/** Whether a value may be another one each time, whatever the body says. */
function isVolatile({ fields, references }: Resource, name: string): boolean {
  const field = fields.find((one) => one.property === name)
  if (field !== undefined) return field.setByRule || field.hasDbDefault || isGivenByDatabase(field)
  return references.find((one) => one.property === name)?.setByRule === true
}
