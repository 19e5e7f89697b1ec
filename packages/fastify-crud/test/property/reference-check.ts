import type { TSchema } from '@sinclair/typebox'
import { below, isObject, type Json, type JsonObject, own } from './json.ts'
import { isNumber } from './random-bodies.ts'
import {
  isChoosable,
  type RefField,
  type RefLink,
  type RefModel,
  type RefOwns,
  type RefResource,
  resourceOf,
} from './reference-model.ts'
import { canBeKept, fits } from './reference-values.ts'

/** By whose rules a record's part of the body is read; a new record inside a PUT or PATCH is created. */
export type Mode = 'create' | 'replace' | 'patch'

/** Where the places that are wrong are collected: JSON pointers. */
export type Pointers = Set<string>

/** What is regarded besides a body and its mode. */
export interface Checking {
  readonly model: RefModel
  /** The request is a PUT. */
  readonly inPut: boolean
  /** Where values do not fit that a record may show all the same: only the stored one tells whether it does. */
  readonly unfit: Pointers
  /** Resources of which some records may be hidden from the caller: a record that is there may seem to lack what it must have. */
  readonly mayHide: ReadonlySet<string>
}

/** Everything about a body that can be told without looking at what is stored. */
export function checkBody(
  checking: Checking,
  resource: RefResource,
  body: Json,
  mode: Mode,
  at: string,
  wrong: Pointers,
): void {
  const { model, inPut, mayHide } = checking
  if (!isObject(body)) {
    wrong.add(at)
    return
  }
  checkNames(resource, body, mode, at, wrong)
  if (resource.isPlaced) checkPlace(checking, body, at, wrong)
  const mustBeThere = mode !== 'patch'
  for (const field of resource.fields) {
    const value = own(body, field.name)
    if (field.readOnly) {
      if (value !== undefined && !inPut) wrong.add(below(at, field.name))
      continue
    }
    if (mode === 'patch' && isNumber(field) && isObject(value) && own(value, '$add') !== undefined) {
      checkAddition(field, value, below(at, field.name), wrong)
      continue
    }
    const staysIfMissing = field.writeOnly && mode === 'replace'
    const bad =
      value === undefined
        ? field.required && mustBeThere && !staysIfMissing
        : value === null
          ? !field.nullable
          : !fits(field.schema, value)
    if (bad) (mode !== 'create' && mayBeStored(field, value) ? checking.unfit : wrong).add(below(at, field.name))
  }
  for (const { name, target, foreignKey, nullable } of resource.references) {
    const value = own(body, foreignKey)
    const bad = value === undefined ? !nullable && mustBeThere : value === null ? !nullable : !isId(value)
    if (bad) wrong.add(below(at, foreignKey))
    const nested = own(body, name) ?? null
    const isLost = value === undefined && mustBeThere && nested !== null
    if (!isObject(nested) ? nested !== null : isLost && !bad) wrong.add(below(at, name))
    checkShown(resourceOf(model, target), nested, below(at, name), wrong)
  }
  for (const link of resource.links) {
    const [value, place] = [own(body, link.name), below(at, link.name)]
    const mayBeEmpty = mode !== 'create' && mayHide.has(link.target)
    checkLink(checking, link, value, mode, mayBeEmpty, place, wrong)
    const target = resourceOf(model, link.target)
    for (const [index, element] of (Array.isArray(value) ? value : []).entries()) {
      checkShown(target, element, below(place, index), wrong)
    }
  }
  for (const owns of resource.owns) {
    checkOwned(checking, owns, own(body, owns.name), mode, below(at, owns.name), wrong)
  }
}

/** Whether a column may hold a value, which does not fit the field's schema: it is of its type. */
function mayBeStored({ schema, writeOnly }: RefField, value: Json | undefined): boolean {
  if (value === undefined || value === null || writeOnly || !canBeKept(value)) return false
  const types = typesIn(schema)
  if (types.includes('integer') && !Number.isSafeInteger(value)) return false
  if (schema.format === 'date' && String(value).startsWith('0000')) return false
  return types.includes('json') || types.map((type) => (type === 'integer' ? 'number' : type)).includes(typeof value)
}

/** The types of what a schema's column holds; `json` for objects, arrays and anything. */
function typesIn(schema: TSchema): readonly string[] {
  const branches: readonly TSchema[] = schema.anyOf ?? []
  if (schema.type === undefined && branches.length > 0) return branches.flatMap(typesIn)
  if (schema.type === 'null') return []
  if (schema.const !== undefined) return [typeof schema.const]
  return [['string', 'integer', 'number', 'boolean'].includes(schema.type) ? schema.type : 'json']
}

/** What a PATCH adds to a number is one, and stands alone. */
function checkAddition(field: RefField, value: JsonObject, at: string, wrong: Pointers): void {
  const by = own(value, '$add')
  const fitsType = field.schema.type === 'integer' ? Number.isSafeInteger(by) : Number.isFinite(by)
  if (!fitsType) wrong.add(below(at, '$add'))
  if (field.writeOnly) wrong.add(at)
}

/** What an element of a PATCH is, besides the mark that takes it away. The mark is wrong beside anything but the id. */
function withoutMark(element: JsonObject, at: string, wrong: Pointers): JsonObject {
  const { $remove: mark, ...rest } = element
  if (mark === undefined) return element
  const names = Object.keys(rest)
  if (mark !== true || names.length !== 1 || names[0] !== 'id') wrong.add(below(at, '$remove'))
  return rest
}

/** A record that another one shows has no write-only value. */
function checkShown(resource: RefResource, value: Json, at: string, wrong: Pointers): void {
  if (!isObject(value)) return
  for (const { name, writeOnly } of resource.fields) {
    if (writeOnly && own(value, name) !== undefined) wrong.add(below(at, name))
  }
}

/** A PUT has all elements in their order, so none has a place. */
export function checkPlace({ inPut }: Pick<Checking, 'inPut'>, element: JsonObject, at: string, wrong: Pointers): void {
  const before = own(element, '$before')
  if (before !== undefined && (inPut || (before !== null && !isId(before)))) wrong.add(below(at, '$before'))
}

function checkNames(resource: RefResource, body: JsonObject, mode: Mode, at: string, wrong: Pointers): void {
  const known = new Set<string>()
  for (const { name } of resource.fields) known.add(name)
  for (const { name } of [...resource.owns, ...resource.links]) known.add(name)
  for (const { name, foreignKey } of resource.references) known.add(name).add(foreignKey)
  if (resource.isPlaced) known.add('$before')
  for (const name of Object.keys(body)) {
    const bad = name === 'id' ? !isIdIn(resource, mode, body.id) : !known.has(name)
    if (bad) wrong.add(below(at, name))
  }
}

function checkLink(
  checking: Checking,
  link: RefLink,
  value: Json | undefined,
  mode: Mode,
  mayBeEmpty: boolean,
  at: string,
  wrong: Pointers,
): void {
  if (value === undefined) {
    if (link.needs && !mayBeLeftOut(link, mode)) wrong.add(at)
  } else if (!Array.isArray(value)) {
    wrong.add(at)
  } else {
    if (value.length === 0 && link.needs && mode !== 'patch' && !mayBeEmpty) wrong.add(at)
    for (const [index, given] of value.entries()) {
      const element = isObject(given) && mode === 'patch' ? withoutMark(given, below(at, index), wrong) : given
      if (isObject(element)) checkPlaceOfLink(checking, link, element, below(at, index), wrong)
      if (!isObject(element)) wrong.add(below(at, index))
      else if (own(element, '$remove') !== undefined) wrong.add(below(below(at, index), '$remove'))
      else if (element === given && own(element, 'id') === undefined) wrong.add(below(below(at, index), 'id'))
      else if (own(element, 'id') !== undefined && !isId(own(element, 'id'))) wrong.add(below(below(at, index), 'id'))
    }
    checkTwice(value, at, wrong)
  }
}

/** Of an element without a proper id, nothing else is said. */
function checkPlaceOfLink(
  checking: Checking,
  { order }: RefLink,
  element: JsonObject,
  at: string,
  wrong: Pointers,
): void {
  if (order !== undefined && isId(own(element, 'id'))) checkPlace(checking, element, at, wrong)
  if (order === undefined && own(element, '$before') !== undefined) wrong.add(below(at, '$before'))
}

/** The body of a link's address: nothing but its place. */
export function checkLinkBody({ order }: RefLink, body: Json | undefined, wrong: Pointers): void {
  if (body === undefined || (isObject(body) && Object.keys(body).length === 0)) return
  if (!isObject(body) || order === undefined) {
    wrong.add('')
    return
  }
  for (const name of Object.keys(body)) if (name !== '$before') wrong.add(below('', name))
  checkPlace({ inPut: false }, body, '', wrong)
}

function checkOwned(
  checking: Checking,
  owns: RefOwns,
  value: Json | undefined,
  mode: Mode,
  at: string,
  wrong: Pointers,
): void {
  const target = resourceOf(checking.model, owns.target)
  if (value === undefined) {
    if (owns.required && !mayBeLeftOut(owns, mode)) wrong.add(at)
  } else if (!owns.many) {
    if (value !== null) checkBody(checking, target, value, mode, at, wrong)
    else if (owns.required && (mode === 'create' || !checking.mayHide.has(owns.target))) wrong.add(at)
  } else if (!Array.isArray(value)) {
    wrong.add(at)
  } else {
    for (const [index, given] of value.entries()) {
      const element = isObject(given) && mode === 'patch' ? withoutMark(given, below(at, index), wrong) : given
      if (element !== given) {
        checkBody(checking, target, element, mode, below(at, index), wrong)
        continue
      }
      // Where bodies have the ids of new records, it gets one that no record has: see `toSide`.
      const isNew = !isObject(element) || (own(element, 'id') === undefined && !target.isGiven)
      checkBody(checking, target, element, isNew ? 'create' : mode, below(at, index), wrong)
    }
    checkTwice(value, at, wrong)
  }
}

/** Whether what a body says nothing of stays as it is. */
export function mayBeLeftOut({ carried }: RefOwns | RefLink, mode: Mode): boolean {
  return mode === 'patch' || (mode === 'replace' && !carried)
}

/** The same id twice in one array: the second one is wrong. */
function checkTwice(elements: readonly Json[], at: string, wrong: Pointers): void {
  const seen = new Set<Json>()
  for (const [index, element] of elements.entries()) {
    const id = isObject(element) ? own(element, 'id') : undefined
    if (!isId(id)) continue
    if (seen.has(id)) wrong.add(below(at, index))
    seen.add(id)
  }
}

/** Whether a body of that mode can have that id. */
function isIdIn({ isGiven, isOwnersId }: RefResource, mode: Mode, id: Json | undefined): boolean {
  return isGiven ? isChoosable(id as number) : (isOwnersId || mode !== 'create') && isId(id)
}

function isId(value: Json | undefined): value is number {
  return Number.isSafeInteger(value)
}
