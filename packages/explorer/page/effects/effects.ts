import { kindOf } from '../model/field-kinds.ts'
import type { ModelDocument, Row } from '../model/model.ts'
import { labelOf, pathOf, sameId } from '../model/names.ts'
import { textOf } from '../model/value-text.ts'

/** What a write does, as the service says it: see the page on effects. */
export interface Effects {
  readonly effects: 1
  readonly write: string
  readonly changes: readonly Change[]
}

export interface Change {
  readonly action: 'Add' | 'Edit' | 'Delete' | 'Link' | 'Unlink'
  readonly resource: string
  readonly id: unknown
  readonly relation?: string
  readonly to?: unknown
  readonly because?: string
  readonly within?: readonly [resource: string, id: unknown]
  readonly before?: Row
  readonly after?: Row
  readonly soft?: true
}

/** A record that a page is about: what is said of it needs no name. */
export interface RecordName {
  readonly resource: string
  readonly id: unknown
}

/** A change in words. */
export interface ChangeWords {
  /** The record and what happens to it: `line 2 deleted`. Absent where only values of the page's own record change. */
  readonly what?: string
  readonly differences: readonly Difference[]
  readonly why?: string
}

/** A value before and after, as a text. */
export interface Difference {
  readonly name: string
  readonly before: string
  readonly after: string
}

const WHY: Readonly<Record<string, string>> = {
  leftOut: 'is not listed any more',
  ownerDeleted: 'goes with its owner',
  referenceDeleted: 'refers to what is deleted',
  linkedRecordDeleted: 'is linked with what is deleted',
  order: 'has another place',
  set: 'by a rule',
  rule: 'by the application',
  undo: 'as it was before',
}

const VERBS: Readonly<Record<Change['action'], string>> = {
  Add: 'added',
  Edit: 'changed',
  Delete: 'deleted',
  Link: 'linked',
  Unlink: 'unlinked',
}

/** How many records of each resource the write adds, changes and deletes: `2 line deleted`. */
export function summaryOf({ changes }: Effects): readonly string[] {
  const counts = new Map<string, number>()
  for (const { action, resource } of changes) {
    const words = `${resource} ${VERBS[action]}`
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return [...counts].map(([words, count]) => `${count} ${words}`)
}

export const isAbout = (record: RecordName | undefined, { resource, id }: RecordName): boolean =>
  record !== undefined && record.resource === resource && sameId(record.id, id)

/** One change in words: what, from which values to which, and what for. */
export function wordsOfChange(model: ModelDocument, change: Change, self?: RecordName): ChangeWords {
  const { action, resource, because, before, after, relation, to } = change
  const why = because === undefined ? {} : { why: WHY[because] ?? because }
  const who = isAbout(self, change) ? undefined : nameOf(model, change)
  if (action === 'Link' || action === 'Unlink') {
    const link = `${relation} ${String(to)} ${VERBS[action]}`
    return { what: who === undefined ? link : `${who}: ${link}`, differences: [], ...why }
  }
  if (action !== 'Edit') return { what: `${who ?? `this ${resource}`} ${VERBS[action]}`, differences: [], ...why }
  const differences = Object.keys({ ...before, ...after }).map((name) => ({
    name,
    before: said(model, resource, name, before?.[name]),
    after: said(model, resource, name, after?.[name]),
  }))
  // An element that only gets another place has no values to show.
  const isPlain = who === undefined && differences.length > 0
  return { ...(!isPlain && { what: `${who ?? `this ${resource}`} changed` }), differences, ...why }
}

/** A record by its id, and by what people call it where the change has that. */
function nameOf(model: ModelDocument, { action, resource, id, before, after }: Change): string {
  const name = `${resource} ${id === null || id === undefined ? '(new)' : String(id)}`
  const described = model.resources[resource]
  const label = described === undefined || action === 'Edit' ? undefined : labelOf(described)
  const text = label === undefined ? undefined : (after ?? before)?.[label]
  return typeof text === 'string' && text !== '' ? `${name} “${text}”` : name
}

function said(model: ModelDocument, resource: string, name: string, value: unknown): string {
  const schema = model.resources[resource]?.fields[name]?.schema
  const text = textOf(value, schema === undefined ? 'text' : kindOf(schema))
  return text === undefined ? 'nothing' : text === '' ? '“”' : text
}

/** Where a changed record is, or else its owner; undefined if it has no place of its own. */
export function pathOfChange({ resources }: ModelDocument, { resource, id, within }: Change): string | undefined {
  return pathOf(resources[resource], id) ?? (within && pathOf(resources[within[0]], within[1]))
}
