import { isDeepStrictEqual } from 'node:util'
import { below, isObject, type Json, type JsonObject, own } from './json.ts'
import { isNumber } from './random-bodies.ts'
import { type Checking, checkBody, type Mode, mayBeLeftOut, type Pointers } from './reference-check.ts'
import {
  isChoosable,
  type RefField,
  type RefLink,
  type RefModel,
  type RefOwns,
  type RefReference,
  type RefResource,
  resourceOf,
} from './reference-model.ts'
import { type Arranged, arrayOf, isInverse, list, otherArrayOf, place } from './reference-order.ts'
import {
  addRow,
  childrenOf,
  isOwnersIdKept,
  isTaken,
  linksOf,
  type Row,
  removeTree,
  rowsOf,
  type State,
} from './reference-store.ts'
import { fits } from './reference-values.ts'
import { changeIds } from './translate.ts'

/** One write under way: the copy that it works on, and what it finds wrong. */
export interface Write {
  readonly model: RefModel
  readonly checking: Checking
  readonly state: State
  /** What was there before. */
  readonly before: State
  /** What the caller saw of that. */
  readonly seen: State
  /** A record would be left without any of what it needs. */
  leavesNone: boolean
  /** What only the stored records could tell to be wrong with the body. */
  readonly wrong: Pointers
  /** Ids that name nothing, or another owner's child. */
  readonly unknown: Pointers
  /** Records with ids that other ones have or had. */
  readonly takenIds: Pointers
  /** Places of one record in which there is a hidden one. What is planned for them is written beside it. */
  readonly taken: Pointers
  /** Where each record that the body names or makes stands in it, by `placeKey`. */
  readonly places: Map<string, { readonly at: string; readonly body: JsonObject; readonly isNew: boolean }>
  /** Places of one record that had none, which the body alone does not tell. */
  readonly foundNew: Pointers
  /** The owner that the path of a POST or DELETE names. */
  readonly pathOwner: { readonly resource: RefResource; readonly id: number } | undefined
  /** Associations that were not there before: looked up when everything else is done. */
  readonly named: { readonly target: string; readonly id: number; readonly at: string }[]
  /** What is said of the order of arrays: settled when all rows are written. */
  readonly arranged: Arranged[]
}

export function placeKey(resource: string, id: number): string {
  return `${resource} ${id}`
}

export function startWrite(checking: Checking, state: State, seen: State, pathOwner?: Write['pathOwner']): Write {
  return {
    model: checking.model,
    checking,
    state: structuredClone(state),
    before: state,
    seen,
    leavesNone: false,
    wrong: new Set(),
    unknown: new Set(),
    taken: new Set(),
    takenIds: new Set(),
    foundNew: new Set(),
    places: new Map(),
    pathOwner,
    named: [],
    arranged: [],
  }
}

/** Records that get their ids from the reference get others than those that the body gives. */
export function reserveIds({ model, state }: Write, resource: RefResource, body: Json): void {
  changeIds(model, resource, body, (key, id, isOwn) => {
    const last = state.lastId.get(key) ?? 0
    const isGiven = isOwn && resourceOf(model, key).isGiven && isChoosable(id as number)
    if (isGiven) state.lastId.set(key, Math.max(last, id as number))
    return id
  })
}

/** Whether the caller did not see a record that was there before the write. */
function isHidden({ before, seen }: Write, key: string, id: number): boolean {
  return rowsOf(before, key).has(id) && !rowsOf(seen, key).has(id)
}

/** Writes a body that `checkBody` found nothing wrong with into a row, and into what the row owns. */
export function writeRow(
  write: Write,
  resource: RefResource,
  row: Row,
  body: JsonObject,
  mode: Mode,
  at: string,
): void {
  write.places.set(placeKey(resource.key, row.id), { at, body, isNew: mode === 'create' })
  if (mode === 'create' && isOwnersIdKept(write.before, resource, row.owner)) write.takenIds.add(at)
  for (const field of resource.fields) {
    const value = own(body, field.name)
    const isLeft = mode === 'patch' || (mode === 'replace' && (field.readOnly || field.writeOnly))
    if (mode === 'patch' && isNumber(field) && isObject(value)) addTo(write, field, row, value, below(at, field.name))
    else if (mode !== 'create' && write.checking.unfit.has(below(at, field.name)) && !isShown(row, field, value))
      write.wrong.add(below(at, field.name))
    else if (value !== undefined && !field.readOnly) row.values[field.name] = value
    else if (!isLeft) row.values[field.name] = field.default ?? null
  }
  for (const reference of resource.references) writeReference(write, reference, row, body, mode, at)
  placeRow(write, resource, row, body, mode, at)
  for (const owns of resource.owns) {
    if (owns.many) writeMany(write, resource, owns, row, body, mode, below(at, owns.name))
    else writeOne(write, owns, row, body, mode, at)
  }
  for (const link of resource.links) writeLinks(write, resource, link, row, body, mode, below(at, link.name))
}

/** A new record comes to the end of its owner's array, or where the body says. */
function placeRow(write: Write, resource: RefResource, row: Row, body: JsonObject, mode: Mode, at: string): void {
  const before = own(body, '$before')
  if (mode !== 'create' && before === undefined) return
  const by = resource.owners.find(({ name }) => name === row.owner?.relation)
  const owns = by && resourceOf(write.model, by.target).owns.find((one) => isInverse(one, resource, by.name))
  const array = by && owns && arrayOf(by.target, owns)
  if (array === undefined && before !== undefined) write.wrong.add(below(at, '$before'))
  place(write, array, row.owner?.id ?? 0, row.id, before, at)
}

/** Whether a body has the value that is stored: the order of keys does not count. */
function isShown(row: Row, { name }: RefField, value: Json | undefined): boolean {
  return isDeepStrictEqual(row.values[name] ?? null, value ?? null)
}

function addTo(write: Write, field: RefField, row: Row, value: JsonObject, at: string): void {
  const stored = row.values[field.name] ?? null
  const sum = Number(stored) + Number(own(value, '$add'))
  if (stored === null || !fits(field.schema, sum)) write.wrong.add(at)
  else row.values[field.name] = sum
}

/** Adds the associations that the write made and that name nothing to `unknown`: to be called when all rows are written. */
export function findUnknown(write: Write): void {
  for (const { target, id, at } of write.named) {
    const isThere = rowsOf(write.seen, target).has(id) && rowsOf(write.state, target).has(id)
    if (!isThere) write.unknown.add(at)
  }
}

function writeReference(
  write: Write,
  reference: RefReference,
  row: Row,
  body: JsonObject,
  mode: Mode,
  at: string,
): void {
  const value = own(body, reference.foreignKey)
  const before = row.values[reference.foreignKey]
  if (value === undefined && mode === 'patch') {
    const nested = own(body, reference.name)
    const named = isObject(nested) ? (own(nested, 'id') ?? 'no record') : nested
    if (nested !== undefined && named !== before) write.wrong.add(below(at, reference.name))
    return
  }
  if (typeof value === 'number' && value !== before) {
    write.named.push({ target: reference.target, id: value, at: below(at, reference.foreignKey) })
  }
  row.values[reference.foreignKey] = value ?? null
}

function writeLinks(
  write: Write,
  resource: RefResource,
  link: RefLink,
  row: Row,
  body: JsonObject,
  mode: Mode,
  at: string,
): void {
  const value = own(body, link.name)
  if (value === undefined && mayBeLeftOut(link, mode)) return
  const elements = Array.isArray(value) ? value.filter(isObject) : []
  const gone = new Set(elements.flatMap((one) => (own(one, '$remove') === true ? [Number(one.id)] : [])))
  const listed = elements.map(({ id }) => Number(id))
  const all = linksOf(write.state, link.table)
  const linked = all.filter((one) => one[link.from] === row.id).map((one) => Number(one[link.to]))
  const before = new Set(linked.filter((id) => !isHidden(write, link.target, id)))
  // All that is needed may be hidden, and sent back as it was shown.
  if (link.needs && mode !== 'patch' && listed.length === 0 && before.size > 0) write.wrong.add(at)
  const added = listed.flatMap((id, index) => (before.has(id) || gone.has(id) ? [] : [{ id, at: below(at, index) }]))
  for (const [index, id] of listed.entries()) if (gone.has(id) && !before.has(id)) write.unknown.add(below(at, index))
  const left = [...before, ...added].length - [...gone].filter((id) => before.has(id)).length
  if (link.needs && left === 0 && [...gone].some((id) => before.has(id))) write.leavesNone = true
  for (const one of added) write.named.push({ target: link.target, ...one })
  const array = arrayOf(resource.key, link)
  for (const [index, element] of elements.entries()) {
    const [id, before, elementAt] = [Number(element.id), own(element, '$before'), below(at, index)]
    const isAdded = added.some((one) => one.id === id)
    if (isAdded || before !== undefined) place(write, array, row.id, id, before, elementAt)
    if (isAdded) place(write, otherArrayOf(resource.key, link), id, row.id, undefined, elementAt)
  }
  if (mode === 'replace') list(write, array, row.id, listed, at)
  const kept = all.filter(
    (one) =>
      one[link.from] !== row.id ||
      (mode === 'patch' && !gone.has(Number(one[link.to]))) ||
      (listed.includes(Number(one[link.to])) && !gone.has(Number(one[link.to]))) ||
      isHidden(write, link.target, Number(one[link.to])),
  )
  write.state.links.set(link.table, [...kept, ...added.map(({ id }) => ({ [link.from]: row.id, [link.to]: id }))])
}

function writeMany(
  write: Write,
  resource: RefResource,
  owns: RefOwns,
  owner: Row,
  body: JsonObject,
  mode: Mode,
  at: string,
): void {
  const value = own(body, owns.name)
  if (value === undefined && mayBeLeftOut(owns, mode)) return
  const target = resourceOf(write.model, owns.target)
  const present = childrenOf(write.state, owner, owns).filter(({ id }) => !isHidden(write, owns.target, id))
  const elements = Array.isArray(value) ? value.filter(isObject) : []
  const listed = new Set(elements.map((element) => own(element, 'id')))
  const ids: number[] = []
  if (mode !== 'patch') {
    for (const child of present) if (!listed.has(child.id)) removeTree(write.model, write.state, target, child)
  }
  for (const [index, element] of elements.entries()) {
    const elementAt = below(at, index)
    const id = own(element, 'id')
    if (id === undefined) {
      if (target.isGiven && mode !== 'create')
        checkBody(write.checking, target, element, 'create', elementAt, write.wrong)
      const child = addRow(write.state, owns.target, { relation: owns.inverse, id: owner.id })
      ids.push(child.id)
      writeRow(write, target, child, element, 'create', elementAt)
    } else {
      const child = present.find((one) => one.id === id)
      ids.push(Number(id))
      const isGone = own(element, '$remove') === true
      if (child !== undefined && isGone) removeTree(write.model, write.state, target, child)
      else if (isGone) write.unknown.add(elementAt)
      else if (child !== undefined) writeRow(write, target, child, element, mode, elementAt)
      else if (target.isGiven) writeGiven(write, owns, owner, element, mode, elementAt)
      else write.unknown.add(elementAt)
    }
  }
  if (mode === 'replace') list(write, arrayOf(resource.key, owns), owner.id, ids, at)
}

/** Makes an owned record under the id that the body gives it. In a PUT or PATCH, what a new one takes is asked of it now. */
function writeGiven(write: Write, owns: RefOwns, owner: Row, body: JsonObject, mode: Mode, at: string): void {
  const target = resourceOf(write.model, owns.target)
  if (mode !== 'create') checkBody(write.checking, target, body, 'create', at, write.wrong)
  const id = Number(own(body, 'id'))
  const hasOther = isTaken(write.before, target.key, id) || isTaken(write.state, target.key, id)
  if (hasOther) write.takenIds.add(at)
  // Nobody can tell by such an id that the record is new.
  if (hasOther && mode !== 'create') write.foundNew.add(at)
  const child = addRow(write.state, owns.target, { relation: owns.inverse, id: owner.id }, hasOther ? undefined : id)
  writeRow(write, target, child, body, 'create', at)
}

function writeOne(write: Write, owns: RefOwns, owner: Row, body: JsonObject, mode: Mode, ownerAt: string): void {
  const at = below(ownerAt, owns.name)
  const value = own(body, owns.name)
  if (value === undefined && mayBeLeftOut(owns, mode)) return
  const target = resourceOf(write.model, owns.target)
  const [present] = childrenOf(write.state, owner, owns)
  const isThereHidden = present !== undefined && isHidden(write, owns.target, present.id)
  if (!isObject(value)) {
    if (present !== undefined && !isThereHidden && owns.required) write.wrong.add(at)
    else if (present !== undefined && !isThereHidden) removeTree(write.model, write.state, target, present)
    return
  }
  const id = own(value, 'id')
  const isKnownNew = mode === 'create' && !write.foundNew.has(ownerAt)
  if (present === undefined && id === undefined && !isKnownNew) write.foundNew.add(at)
  // An id that is the owner's says nothing of the record.
  const namesNothing = id === undefined || target.isGiven || (target.isOwnersId && id === present?.id)
  if (isThereHidden && namesNothing) {
    write.taken.add(at)
    const child = addRow(write.state, owns.target, { relation: owns.inverse, id: owner.id })
    writeRow(write, target, child, value, 'create', at)
  } else if (target.isGiven && present === undefined) {
    // Where the body tells that it is new, it has got one.
    if (id === undefined && !isKnownNew) write.wrong.add(at)
    else if (id !== undefined) {
      writeGiven(write, owns, owner, value, mode, at)
      return
    }
    if (mode !== 'create') checkBody(write.checking, target, value, 'create', at, write.wrong)
    const child = addRow(write.state, owns.target, { relation: owns.inverse, id: owner.id })
    writeRow(write, target, child, value, 'create', at)
  } else if (id !== undefined && (isThereHidden || id !== present?.id)) {
    write.unknown.add(at)
  } else if (present !== undefined) {
    writeRow(write, target, present, value, mode, at)
  } else {
    // A PUT or PATCH of a record that turns out not to be there: what a new one takes is asked of it now.
    if (mode !== 'create') checkBody(write.checking, target, value, 'create', at, write.wrong)
    const child = addRow(write.state, owns.target, { relation: owns.inverse, id: owner.id })
    writeRow(write, target, child, value, 'create', at)
  }
}
