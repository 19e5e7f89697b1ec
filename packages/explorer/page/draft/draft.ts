import { isEditable } from '../model/field-kinds.ts'
import {
  type Id,
  isLinks,
  isOwning,
  isReference,
  type ModelDocument,
  type Relation,
  type Resource,
  type Row,
} from '../model/model.ts'
import { sameId } from '../model/names.ts'

/** A record as it is being edited: its values, what it owns, its links. Never changed in place. */
export interface Draft {
  /** Of this draft alone, for as long as the page is open. */
  readonly key: string
  readonly resource: string
  readonly id: Id | undefined
  /** The record as the service has it; undefined for a new one. */
  readonly base: Row | undefined
  /** Fields and foreign keys that bodies set. */
  readonly values: Row
  readonly owned: Readonly<Record<string, readonly Draft[]>>
  readonly links: Readonly<Record<string, readonly DraftLink[]>>
  readonly removed: boolean
}

export interface DraftLink {
  readonly id: Id
  readonly row: Row
  readonly state: 'kept' | 'added' | 'removed'
}

let lastKey = 0

const newKey = (): string => {
  lastKey += 1
  return `draft-${lastKey}`
}

const rowsIn = (value: unknown): Row[] =>
  Array.isArray(value) ? (value as Row[]) : value === null || value === undefined ? [] : [value as Row]

/** The names of fields and foreign keys that a form sets. */
export function settableNames({ fields, relations }: Resource): string[] {
  const keys = Object.values(relations).filter((relation) => isSettable(relation))
  return [
    ...Object.entries(fields).flatMap(([name, field]) => (isEditable(field) ? [name] : [])),
    ...keys.flatMap(({ foreignKey }) => (foreignKey === undefined ? [] : [foreignKey])),
  ]
}

/** A reference, or an owner that may change. */
export const isSettable = (relation: Relation): boolean =>
  !relation.readOnly && (isReference(relation) || (relation.kind === 'ownedBy' && relation.moves === true))

/** The draft of a stored record. Read again, it has the same keys, so that its inputs stay the ones that they were. */
export function draftOf(model: ModelDocument, resource: string, row: Row, owner = ''): Draft {
  const described = model.resources[resource] as Resource
  const values = settableNames(described).filter((name) => name in row)
  const relations = Object.entries(described.relations).filter(([name]) => name in row)
  const key = `${owner}/${resource} ${String(row.id)}`
  return {
    key,
    resource,
    id: row.id as Id | undefined,
    base: row,
    values: Object.fromEntries(values.map((name) => [name, row[name]])),
    owned: Object.fromEntries(
      relations
        .filter(([, relation]) => isOwning(relation))
        .map(([name, { target }]) => [name, rowsIn(row[name]).map((child) => draftOf(model, target, child, key))]),
    ),
    links: Object.fromEntries(
      relations
        .filter(([, relation]) => isLinks(relation))
        .map(([name]) => [
          name,
          rowsIn(row[name]).map((linked) => ({ id: linked.id as Id, row: linked, state: 'kept' as const })),
        ]),
    ),
    removed: false,
  }
}

/** A new record. What it does not say has its default. */
export function newDraft(model: ModelDocument, resource: string, values: Row = {}): Draft {
  const relations = Object.entries(model.resources[resource]?.relations ?? {})
  const owned = relations.filter(([, relation]) => isOwning(relation))
  return {
    key: newKey(),
    resource,
    id: undefined,
    base: undefined,
    values,
    owned: Object.fromEntries(
      owned.map(([name, { target, kind, required }]) => [
        name,
        // A required part is there from the start, so that its inputs are.
        kind === 'owns.one' && required ? [newDraft(model, target)] : [],
      ]),
    ),
    links: Object.fromEntries(relations.filter(([, relation]) => isLinks(relation)).map(([name]) => [name, []])),
    removed: false,
  }
}

/** A new record with the values and parts of another one. */
export function copyOf(model: ModelDocument, draft: Draft): Draft {
  const fresh = newDraft(model, draft.resource, draft.values)
  return {
    ...fresh,
    owned: Object.fromEntries(
      Object.entries(draft.owned).map(([name, all]) => [name, all.map((one) => copyOf(model, one))]),
    ),
    links: Object.fromEntries(
      Object.entries(draft.links).map(([name, all]) => [
        name,
        all.map((link) => ({ ...link, state: 'added' as const })),
      ]),
    ),
  }
}

/** The tree with one draft in it changed. */
export function changeDraft(root: Draft, key: string, change: (draft: Draft) => Draft): Draft {
  if (root.key === key) return change(root)
  const owned = Object.entries(root.owned).map(([name, all]) => {
    const next = all.map((one) => changeDraft(one, key, change))
    return [name, next.some((one, index) => one !== all[index]) ? next : all] as const
  })
  const isSame = owned.every(([name, all]) => all === root.owned[name])
  return isSame ? root : { ...root, owned: Object.fromEntries(owned) }
}

export const setValue = (draft: Draft, name: string, value: unknown): Draft => ({
  ...draft,
  values: { ...draft.values, [name]: value },
})

export const setOwned = (draft: Draft, name: string, owned: readonly Draft[]): Draft => ({
  ...draft,
  owned: { ...draft.owned, [name]: owned },
})

export function addLink(draft: Draft, name: string, row: Row): Draft {
  const links = draft.links[name] ?? []
  const there = links.find(({ id }) => sameId(id, row.id))
  const next = there
    ? links.map((link) => (link === there && link.state === 'removed' ? { ...link, state: 'kept' as const } : link))
    : [...links, { id: row.id as Id, row, state: 'added' as const }]
  return { ...draft, links: { ...draft.links, [name]: next } }
}

/** Takes a link away. One that is stored stays in sight until the record is saved. */
export function removeLink(draft: Draft, name: string, id: Id): Draft {
  const links = (draft.links[name] ?? []).flatMap((link) => {
    if (!sameId(link.id, id)) return [link]
    return link.state === 'added' ? [] : [{ ...link, state: 'removed' as const }]
  })
  return { ...draft, links: { ...draft.links, [name]: links } }
}

/** Puts an owned record in front of another place among its siblings. */
export const moveOwned = (draft: Draft, name: string, from: number, to: number): Draft =>
  setOwned(draft, name, moved(draft.owned[name] ?? [], from, to))

/** The same of a link. */
export const moveLink = (draft: Draft, name: string, from: number, to: number): Draft => ({
  ...draft,
  links: { ...draft.links, [name]: moved(draft.links[name] ?? [], from, to) },
})

function moved<T>(all: readonly T[], from: number, to: number): readonly T[] {
  const others = all.filter((_, index) => index !== from)
  return others.toSpliced(to, 0, ...all.slice(from, from + 1))
}

export const isEqual = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => isEqual((one as Row)[name], (other as Row)[name]))
}

/** Whether the value of that name is another one than the stored one. */
export const isChanged = ({ base, values }: Draft, name: string): boolean =>
  base === undefined ? values[name] !== undefined : !isEqual(values[name], base[name])
