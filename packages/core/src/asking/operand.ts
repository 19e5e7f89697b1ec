import { shortened, withArticle } from '../errors.ts'
import { didYouMean } from '../model/check/names.ts'
import { MOST_RELATIONS } from '../model/collection-path.ts'
import type { IdKind } from '../model/ids/id-kind.ts'
import { type IdForm, idFormBehind, idKindOf } from '../model/ids/short-id.ts'
import {
  type Computed,
  type Field,
  isForeignKey,
  isToMany,
  type Relation,
  type Resource,
  type SingleValue,
} from '../model/model.ts'
import { itemsOf } from '../model/values/schema-facts.ts'
import { type ElementType, hasTextsOfType, type ScalarType, scalarTypeInJson, scalarTypeOf } from './scalar-type.ts'
import { relationsOf, type Scope } from './scope.ts'

/** A value in a record: its id, a field, a computed field, a foreign key, or a value inside of JSON. Or one that is
 * computed over a group of records. */
export type Operand = Readonly<
  | { kind: 'id'; resource: Resource; form: IdForm; type: 'id' }
  /** `type` is undefined for a whole JSON field and for bytes: then it can only be compared with null. */
  | { kind: 'member'; member: SingleValue; type: ScalarType | undefined }
  | { kind: 'json'; field: Field | Computed; keys: readonly string[]; type: ScalarType }
  | { kind: 'aggregate'; aggregate: GroupValue; column: string; type: ScalarType }
>

/** What is computed over the rows of a group. */
export type AggregateWord = 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'

/** A value of a group, such as `sum(total)`. */
export interface GroupValue {
  /** As the request names it. */
  readonly name: string
  readonly word: AggregateWord
  /** The relations of its path: each leads to one record at most. */
  readonly relations: readonly Relation[]
  /** Undefined for `count()`, of rows. */
  readonly operand: Operand | undefined
  /** The type of the value itself. */
  readonly type: ScalarType
}

export function isBytes(operand: Operand): boolean {
  return operand.kind === 'member' && !isForeignKey(operand.member) && operand.member.storage === 'bytes'
}

/** The type of the elements of an array of scalars; undefined for all else. */
export function elementTypeOf(operand: Operand): ElementType | undefined {
  if (operand.kind !== 'member' || isForeignKey(operand.member) || operand.member.storage !== 'json') return undefined
  const items = itemsOf(operand.member.schema)
  return items && (scalarTypeInJson(items, []) as ElementType | undefined)
}

/** The only values that a field has besides null, where its schema lists them. */
export function constantsOf(operand: Operand): readonly unknown[] | undefined {
  return operand.kind === 'member' && operand.member.kind === 'field' ? operand.member.constants : undefined
}

/** Whether SQL that compares the operand depends on the type of its column: moments and ranges of them, addresses, and
 * one of several constants. */
export function dependsOnType(operand: Operand): boolean {
  if (operand.kind === 'aggregate')
    return operand.aggregate.operand !== undefined && dependsOnType(operand.aggregate.operand)
  if (operand.type === 'date-time' || operand.type === 'date-time-range' || operand.type === 'date-range') return true
  return operand.kind === 'member' && operand.member.kind === 'field' && hasTextsOfType(operand.member)
}

/** Whose ids the operand is compared with, and how these are spelled; undefined where its values are no ids. */
export function idsComparedWith(operand: Operand): { readonly of: Resource; readonly form: IdForm } | undefined {
  if (operand.kind === 'id') return { of: operand.resource, form: operand.form }
  if (operand.kind !== 'member' || !isForeignKey(operand.member)) return undefined
  return { of: operand.member.target, form: 'whole' }
}

/** The kind of the ids that the operand is compared with; undefined where its values are no ids. */
export function idKindBeside(operand: Operand): IdKind | undefined {
  const ids = idsComparedWith(operand)
  return ids && idKindOf(ids.of, ids.form)
}

/** Where a path ends: in a value, or in the records of its last relation. */
export interface PathEnd {
  readonly relations: readonly Relation[]
  /** Undefined where the path ends in a relation. */
  readonly operand: Operand | undefined
}

/** Reads a path such as `publisher.name`. Returns a message that names what is wrong with it. */
export function readPath(resource: Resource, path: string, scope: Scope): PathEnd | string {
  const relations: Relation[] = []
  const names = path.split('.')
  let at = resource
  for (const [index, name] of names.entries()) {
    const rest = names.slice(index + 1)
    const member = memberNamed(at, name, scope)
    const relation = relationNamed(at, name, scope)
    if (rest.length === 0 && name === 'id' && at.hasId) {
      const form = relations.length === 0 ? scope.ids : idFormBehind(relations.at(-1))
      return { relations, operand: { kind: 'id', resource: at, form, type: 'id' } }
    }
    if (member !== undefined && !isForeignKey(member) && member.storage === 'json' && rest.length > 0) {
      const type = scalarTypeInJson(member.schema, rest)
      if (type === undefined)
        return `the schema of '${member.name}' declares no text, number or boolean at '${shortened(rest.join('.'))}'`
      return { relations, operand: { kind: 'json', field: member, keys: rest, type } }
    }
    if (member !== undefined && rest.length === 0) {
      return { relations, operand: { kind: 'member', member, type: scalarTypeOf(member) } }
    }
    if (relation === undefined) {
      const isValue = member !== undefined || (name === 'id' && at.hasId)
      return isValue ? `'${name}' is not a relation` : unknownName(at, name, scope)
    }
    if (relations.length === MOST_RELATIONS) return `leads through more than ${MOST_RELATIONS} relations`
    relations.push(relation)
    at = relation.target
  }
  return { relations, operand: undefined }
}

/** Whether each step of a path leads to one record at most. */
export function leadsToOne(relations: readonly Relation[]): boolean {
  return !relations.some(isToMany)
}

/** A field that is shown, a computed one, or a foreign key: that of an owner where records can be reached without
 * naming it, or move to another one. */
export function memberNamed(resource: Resource, name: string, { fieldRights, shows }: Scope): SingleValue | undefined {
  const besides = shows?.(resource)
  if (besides?.name === name) return besides
  const meaning = resource.names.get(name)
  switch (meaning?.is) {
    case 'field':
      return fieldRights.sees(meaning.field) ? meaning.field : undefined
    case 'computed':
      return fieldRights.sees(meaning.computed) ? meaning.computed : undefined
    case 'foreignKey':
      return meaning.reference
    case 'owner':
      return meaning.by
    default:
      return resource.isTopLevel ? resource.ownedBy.find(({ foreignKey }) => foreignKey === name) : undefined
  }
}

export function relationNamed(resource: Resource, name: string, scope: Scope): Relation | undefined {
  const found = relationsOf(resource, scope).find((relation) => relation.name === name)
  if (found !== undefined) scope.named?.add(found.target)
  return found
}

/** The same words for a name that does not exist and for one that the client may not know of. */
export function unknownName(resource: Resource, name: string, scope: Scope): string {
  if (name === '') return 'has an empty name'
  const { key, hasId, fields, references, computed, isTopLevel, ownedBy, movedBy } = resource
  const relations = relationsOf(resource, scope)
  const besides = scope.shows?.(resource)
  for (const { target } of relations) scope.named?.add(target)
  const known = [
    ...(hasId ? ['id'] : []),
    ...[...fields, ...computed].filter(scope.fieldRights.sees),
    ...[...references, ...(isTopLevel ? ownedBy : movedBy)].map(({ foreignKey }) => foreignKey),
    ...relations,
    ...(besides ? [besides] : []),
  ]
  return `${withArticle(key)} has no '${shortened(name)}'${didYouMean(name, known)}`
}
