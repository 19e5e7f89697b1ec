import { kindOf } from './field-kinds.ts'
import { type Id, isToOne, type ModelDocument, type Relation, type Resource, type Row } from './model.ts'
import { shortText } from './value-text.ts'

/** Names that people give to what a record is called. */
const LABELS = ['name', 'title', 'label', 'subject', 'code', 'email', 'key', 'text', 'number']

/** The field by which people know a record of the resource, if there is one. */
export function labelOf(resource: Resource): string | undefined {
  const texts = Object.entries(resource.fields).filter(([, { schema, writeOnly }]) => {
    return !writeOnly && ['text', 'long', 'integer'].includes(kindOf(schema))
  })
  const names = texts.map(([name]) => name)
  const named = LABELS.find((label) => names.includes(label))
  if (named !== undefined) return named
  const unique = resource.unique
    ?.map((key) => key.names)
    .find((key) => key.length === 1 && names.includes(key[0] ?? ''))
  if (unique !== undefined) return unique[0]
  return texts.find(([, { schema, required }]) => required && kindOf(schema) !== 'integer')?.[0]
}

/** So much of a text is a title. */
const LONGEST_TITLE = 200

/** What a record is called in links and headings: its label, or what it is and its id. */
export function titleOf(key: string, resource: Resource | undefined, row: Row | undefined): string {
  const label = resource && labelOf(resource)
  const text = label === undefined ? undefined : row?.[label]
  if (typeof text === 'string' && text.trim() !== '') return shortText(text, LONGEST_TITLE)
  if (typeof text === 'number' && label !== undefined) return `${key} ${text}`
  return row?.id === undefined ? key : `${key} ${String(row.id)}`
}

/** The path of a resource that no owner's id is needed for, such as `/book`. */
export const topPath = (resource: Resource | undefined): string | undefined =>
  resource?.paths.find((path) => !path.includes('{'))

export const pathOfRecord = (collection: string, id: unknown): string =>
  `${collection}/${encodeURIComponent(String(id))}`

/** Where the record is, if its resource has a path at the top. */
export function pathOf(resource: Resource | undefined, id: unknown): string | undefined {
  const top = topPath(resource)
  return top === undefined || id === null || id === undefined ? undefined : pathOfRecord(top, id)
}

/** Behind the path of a record: what was done to it. */
export const HISTORY = '/$history'

/** What an address in the service leads to. */
export interface Spot {
  readonly resource: string
  /** The path of the collection, without the id. */
  readonly collection: string
  readonly id?: string
  /** A page about the record. */
  readonly part?: 'history'
  /** From the top to the resource itself: each with the path of its collection, and the id in it. */
  readonly chain: readonly { readonly resource: string; readonly collection: string; readonly id?: string }[]
}

/** Which collection or record a path names, such as `/book/7/chapter`; undefined if it names none. */
export function spotAt(model: ModelDocument, path: string): Spot | undefined {
  if (path.endsWith(HISTORY)) {
    const spot = spotAt(model, path.slice(0, -HISTORY.length))
    return spot?.id === undefined ? undefined : { ...spot, part: 'history' }
  }
  const segments = path.split('/').slice(1)
  for (const [resource, { paths }] of Object.entries(model.resources)) {
    for (const template of paths) {
      const parts = template.split('/').slice(1)
      if (segments.length !== parts.length && segments.length !== parts.length + 1) continue
      if (!parts.every((part, index) => part.startsWith('{') || part === segments[index])) continue
      const collection = `/${segments.slice(0, parts.length).join('/')}`
      const id = segments[parts.length]
      return {
        resource,
        collection,
        ...(id !== undefined && { id: decoded(id) }),
        chain: chainOf(model, segments),
      }
    }
  }
  return undefined
}

/** An address may be anything: what cannot be decoded stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function chainOf(model: ModelDocument, segments: readonly string[]): Spot['chain'] {
  const chain: Spot['chain'][number][] = []
  for (let end = 1; end <= segments.length; end += 2) {
    const before = segments.slice(0, end)
    const resource = collectionAt(model, before)
    const id = segments[end]
    if (resource === undefined) continue
    chain.push({
      resource,
      collection: `/${before.join('/')}`,
      ...(id !== undefined && { id: decoded(id) }),
    })
  }
  return chain
}

function collectionAt(model: ModelDocument, segments: readonly string[]): string | undefined {
  return Object.entries(model.resources).find(([, { paths }]) =>
    paths.some((template) => {
      const parts = template.split('/').slice(1)
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part.startsWith('{') || part === segments[index])
      )
    }),
  )?.[0]
}

/** A relation of another resource by which its records refer to records of this one. */
export interface Incoming {
  readonly resource: string
  readonly relation: string
  readonly kind: Relation['kind']
  /** The list at the top that shows them, and the name of the id in its filters. */
  readonly list?: { readonly resource: string; readonly path: string; readonly filter: string }
}

/** Which records refer to one of a resource, and where they are listed: those of owned resources by their owners. */
export function incomingOf(model: ModelDocument, key: string): Incoming[] {
  return Object.entries(model.resources).flatMap(([resource, { relations }]) =>
    Object.entries(relations)
      .filter(([, { target, kind }]) => target === key && (kind.startsWith('needs') || kind.startsWith('knows')))
      .map(([relation, { kind, foreignKey }]) => {
        const list = listOf(model, resource, foreignKey ?? `${relation}.id`)
        return { resource, relation, kind, ...(list && { list }) }
      }),
  )
}

function listOf(model: ModelDocument, resource: string, filter: string, depth = 0): Incoming['list'] | undefined {
  const described = model.resources[resource]
  const path = topPath(described)
  if (path !== undefined && !ownsItself(described, resource)) return { resource, path, filter }
  if (described === undefined || depth > 3) return undefined
  for (const { kind, target, inverse } of Object.values(described.relations)) {
    if (kind !== 'ownedBy' || inverse === undefined || target === resource) continue
    const found = listOf(model, target, `${inverse}.${filter}`, depth + 1)
    if (found !== undefined) return found
  }
  return path === undefined ? undefined : { resource, path, filter }
}

/** A tree: its list at the top has the roots only. */
export const ownsItself = (resource: Resource | undefined, key: string): boolean =>
  Object.values(resource?.relations ?? {}).some(({ kind, target }) => kind === 'ownedBy' && target === key)

/** The columns that a list shows if nobody has chosen: what a record is called, then what says most about it. */
export function defaultColumns(model: ModelDocument, key: string): string[] {
  const resource = model.resources[key]
  if (resource === undefined) return []
  const label = labelOf(resource)
  const fields = Object.entries(resource.fields)
    .filter(
      ([name, { schema, writeOnly }]) =>
        name !== label && !writeOnly && !['long', 'json', 'bytes'].includes(kindOf(schema)),
    )
    .map(([name]) => name)
  const references = Object.entries(resource.relations)
    .filter(([, relation]) => isToOne(relation) && relation.foreignKey !== undefined && relation.kind !== 'ownedBy')
    .map(([name, { target }]) => nameOfReference(model, name, target))
  return [...(label === undefined ? [] : [label]), ...references.slice(0, 2), ...fields.slice(0, 6)]
}

/** The name of a related record's label in `fields`: `publisher.name`. */
export function nameOfReference(model: ModelDocument, relation: string, target: string): string {
  const described = model.resources[target]
  const label = described && labelOf(described)
  return `${relation}.${label ?? 'id'}`
}

export const sameId = (one: unknown, other: unknown): boolean => String(one as Id) === String(other as Id)
