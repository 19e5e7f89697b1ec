import { type BodyProblem, shortened, withArticle } from '../errors.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { type IdForm, idFormIn, idKindOf, shortIdOf } from '../model/ids/short-id.ts'
import { isObject } from '../model/is-object.ts'
import type { Resource } from '../model/model.ts'
import type { Mount, MountLink } from '../model/mount.ts'
import { pointerTo } from '../planning/body/faults.ts'
import { BEFORE } from '../planning/body/patch-marks.ts'

// `$new` stands for the id of a record that an earlier request of the batch creates: as `{ "$new": "a" }` where a body
// has an id or a foreign key, as `$new.a` where a path has an id.

const NEW = '$new'
const IN_PATH = `${NEW}.`

/** Where a request names the record of another one. */
export interface NewIdPlace {
  /** By what it names the record; undefined: by nothing that can be a name. */
  readonly name: string | undefined
  /** Into the request. */
  readonly pointer: string
  /** Whose id belongs there, and how it is spelled. */
  readonly resource: Resource
  readonly form: IdForm
}

/** What is written in place of a name. */
export type Naming = (place: NewIdPlace) => Id

/** Where a request of a batch leads to: what its path and its body may name. */
export interface RequestTarget {
  readonly mount: Mount
  readonly link?: MountLink | undefined
  /** Its body is that of a record, or an array of these. Else of nothing that has ids, or a link's. */
  readonly hasRecords: boolean
}

/** The parameters of a path, with the ids of new records in place of their names. */
export function paramsWithIds(
  { mount, link }: RequestTarget,
  params: Readonly<Record<string, string>>,
  naming: Naming,
): Readonly<Record<string, string>> {
  const named = Object.entries(params).map(([param, text]) => {
    if (!text.startsWith(IN_PATH)) return [param, text]
    const owner = mount.owners.find((one) => one.param === param)
    const isOwn = owner === undefined && link?.param !== param
    const resource = owner?.owns.source ?? (isOwn ? mount.path.resource : (link as MountLink).link.target)
    const form = isOwn ? idFormIn(mount.path) : 'whole'
    return [param, String(naming({ name: text.slice(IN_PATH.length), pointer: '/path', resource, form }))]
  })
  return Object.fromEntries(named)
}

/** A body with the ids of new records in place of their names; the same one if it has none. `most`: how deep it is
 * looked into. */
export function bodyWithIds({ mount, link, hasRecords }: RequestTarget, body: unknown, naming: Naming, most: number) {
  const { path } = mount
  if (link !== undefined) {
    return withValues(body, (name, value) => {
      return name === BEFORE ? idFor(link.link.target, 'whole', value, pointerTo('/body', name), naming) : value
    })
  }
  if (!hasRecords) return body
  const form = idFormIn(path)
  const record = (one: unknown, pointer: string) =>
    recordWithIds({ resource: path.resource, form, isTopLevel: path.isTopLevel }, one, pointer, naming, most)
  return Array.isArray(body) ? withElements(body, '/body', record) : record(body, '/body')
}

interface RecordPlace {
  readonly resource: Resource
  readonly form: IdForm
  /** The body may name owners. */
  readonly isTopLevel: boolean
}

function recordWithIds(at: RecordPlace, body: unknown, pointer: string, naming: Naming, most: number): unknown {
  const { resource, form, isTopLevel } = at
  if (most === 0) return body
  return withValues(body, (name, value) => {
    const here = pointerTo(pointer, name)
    const meaning = resource.names.get(name)
    switch (meaning?.is) {
      case 'foreignKey':
        return idFor(meaning.reference.target, 'whole', value, here, naming)
      case 'owner':
        return idFor(meaning.by.target, 'whole', value, here, naming)
      case 'nested':
        return withId(meaning.reference.target, value, here, naming)
      case 'link':
        return withElements(value, here, (one, at) => withId(meaning.link.target, one, at, naming))
      case 'owns': {
        const owned: RecordPlace = { resource: meaning.owns.target, form: 'short', isTopLevel: false }
        const below = (one: unknown, at: string) => recordWithIds(owned, one, at, naming, most - 1)
        return meaning.owns.many ? withElements(value, here, below) : below(value, here)
      }
      case undefined: {
        if (name === 'id' || name === BEFORE) return idFor(resource, form, value, here, naming)
        const by = isTopLevel ? resource.ownedBy.find(({ foreignKey }) => foreignKey === name) : undefined
        return by === undefined ? value : idFor(by.target, 'whole', value, here, naming)
      }
      default:
        return value
    }
  })
}

/** An element that names another record. */
function withId(resource: Resource, element: unknown, pointer: string, naming: Naming): unknown {
  return withValues(element, (name, value) =>
    name === 'id' || name === BEFORE ? idFor(resource, 'whole', value, pointerTo(pointer, name), naming) : value,
  )
}

function withElements(
  array: unknown,
  pointer: string,
  change: (element: unknown, pointer: string) => unknown,
): unknown {
  if (!Array.isArray(array)) return array
  const changed = array.map((element, index) => change(element, pointerTo(pointer, index)))
  return changed.some((element, index) => element !== array[index]) ? changed : array
}

function withValues(object: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (!isObject(object)) return object
  let changed: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(object)) {
    const other = change(name, value)
    if (other === value) continue
    changed ??= { ...object }
    changed[name] = other
  }
  return changed ?? object
}

function idFor(resource: Resource, form: IdForm, value: unknown, pointer: string, naming: Naming): unknown {
  if (!isObject(value) || !Object.hasOwn(value, NEW)) return value
  const { [NEW]: given, ...others } = value
  const name = typeof given === 'string' && Object.keys(others).length === 0 ? given : undefined
  return naming({ name, pointer: pointerTo(pointer, NEW), resource, form })
}

/** A record that a request creates. */
export interface NamedRecord {
  readonly index: number
  readonly resource: Resource
}

/** Stands for the ids of new records while requests are checked: each name has an id that no record has. Adds names
 * that mean nothing to the problems. */
export function sampleNaming(
  index: number,
  names: ReadonlyMap<string, NamedRecord>,
  problems: BodyProblem[],
  noteSample: (pointer: string, id: Id) => void,
): Naming {
  const order = [...names.keys()]
  return ({ name, pointer, resource, form }) => {
    const found = name === undefined ? undefined : names.get(name)
    const here = `/requests/${index}${pointer}`
    const refuse = (message: string) => problems.push({ pointer: here, message, keyword: NEW })
    if (name === undefined) refuse(`must be the name of a request, and alone: {"${NEW}":"a"}`)
    else if (found === undefined) refuse(`there is no request with "as": "${shortened(name)}"`)
    else if (found.index >= index) refuse(`the request "${shortened(name)}" comes later: name what comes before`)
    else if (!sharesIds(found.resource, resource)) {
      const [is, isNot] = [found.resource.key, resource.key].map(withArticle)
      refuse(`"${shortened(name)}" is ${is}: here is the id of ${isNot}`)
    }
    const id = idKindOf(resource, form).unused(name === undefined ? order.length : order.indexOf(name) + 1)
    noteSample(here, id)
    return id
  }
}

/** Whether an id of one resource may be one of another: they have a table in common, or their ids are those of a third
 * one. */
function sharesIds(one: Resource, other: Resource): boolean {
  const tables = tablesOfIds(one)
  return [...tablesOfIds(other)].some((table) => tables.has(table))
}

function tablesOfIds(resource: Resource, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(resource.table)) return found
  found.add(resource.table)
  const [only, ...others] = resource.idMembers
  if (only !== undefined && only.kind !== 'field' && others.length === 0) tablesOfIds(only.target, found)
  return found
}

/** Writes the ids that earlier requests have given to their records. */
export function realNaming(names: ReadonlyMap<string, NamedRecord>, ids: ReadonlyMap<string, Id>): Naming {
  return ({ name = '', resource, form }) => {
    const id = ids.get(name)
    if (id === undefined) throw new TypeError(`the request '${name}' has created no record`)
    return form === 'short' && names.get(name)?.resource === resource ? shortIdOf(resource, id) : id
  }
}
