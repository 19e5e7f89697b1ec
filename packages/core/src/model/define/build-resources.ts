import { ModelError, type ModelProblem, withArticle } from '../../errors.ts'
import { checkDescriptor } from '../check/check-descriptor.ts'
import { checkInsertable } from '../check/check-insertable.ts'
import { checkTableNames } from '../check/check-tables.ts'
import { didYouMean } from '../check/names.ts'
import { MOST_RELATIONS } from '../collection-path.ts'
import type { KeyConditionDeclaration, UniqueKeyDeclaration } from '../descriptors/descriptors.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'
import { isObject } from '../is-object.ts'
import type {
  ColumnCondition,
  Computed,
  Constant,
  Field,
  ForeignKey,
  Index,
  KeyCondition,
  Model,
  Relation,
  Resource,
  SearchField,
} from '../model.ts'
import { whyUnwritten } from '../operations.ts'
import { allRelationsOf } from '../resource-tree.ts'
import { COMPARED_FORMATS, longestText, textFormat } from '../values/schema-facts.ts'
import { buildComputed } from './build-computed.ts'
import { buildHistory, checkHistory } from './build-history.ts'
import { buildIds } from './build-ids.ts'
import { buildRelations } from './build-relations.ts'
import { buildSoftDelete, checkSoftDelete } from './build-soft-delete.ts'
import { buildTenant } from './build-tenant.ts'
import { type KeyMembers, keyMembers, membersNamed, uniqueKey } from './build-uniques.ts'
import { buildingOf, finish, newResource, type ResourceDraft } from './resource-draft.ts'

/**
 * Builds the resources of a model, and freezes them. Throws a ModelError that lists all problems.
 *
 * `addFields`: gives a resource its fields.
 */
export function buildResources(
  { descriptors, tenant }: Pick<Model, 'descriptors' | 'tenant'>,
  addFields: (draft: ResourceDraft, problems: ModelProblem[]) => void,
): ReadonlyMap<string, Resource> {
  const problems: ModelProblem[] = []
  const drafts = new Map<string, ResourceDraft>()
  for (const [key, descriptor] of Object.entries(descriptors)) {
    if (checkDescriptor(key, descriptor, problems)) drafts.set(key, newResource(key, descriptor))
  }
  // Relations can only be checked if all descriptors are sound.
  if (drafts.size < Object.keys(descriptors).length) throw new ModelError(problems)
  if (drafts.size === 0 && problems.length === 0) problems.push({ place: 'resources', message: 'there is no resource' })

  for (const draft of drafts.values()) addFields(draft, problems)
  for (const draft of drafts.values()) buildSoftDelete(draft)
  for (const draft of drafts.values()) buildHistory(draft)
  buildRelations(drafts, problems)
  buildTenant(drafts, tenant, problems)
  buildIds(drafts, problems)
  for (const draft of drafts.values()) buildComputed(draft, problems)
  for (const draft of drafts.values()) buildUniques(draft, problems)
  for (const draft of drafts.values()) buildIndexes(draft, problems)
  for (const draft of drafts.values()) buildSearch(draft, problems)
  for (const draft of drafts.values()) checkDefaultInclude(draft, problems)
  for (const draft of drafts.values()) checkUnwritten(draft, problems)
  for (const draft of drafts.values()) checkSoftDelete(draft, problems)
  for (const draft of drafts.values()) checkHistory(draft, problems)
  checkTableNames(drafts, problems)
  if (problems.length === 0) checkInsertable(drafts, problems)
  if (problems.length > 0) throw new ModelError(problems)

  const resources = new Map<string, Resource>()
  for (const draft of drafts.values()) resources.set(draft.key, finish(draft))
  return resources
}

/** Checks the names in a descriptor's `defaultInclude`. */
function checkDefaultInclude(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { defaultInclude: names = [], relations = {} } = buildingOf(draft).descriptor
  const place = `${draft.key}.defaultInclude`
  const known = Object.keys(relations).filter((name) => isShown(relations[name]))
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      problems.push({ place, message: `'${name}' occurs twice` })
    } else if (!known.includes(name)) {
      const hint = Object.hasOwn(relations, name) ? '' : didYouMean(name, known)
      problems.push({ place, message: `'${name}' is not a relation that owns, needs or knows records${hint}` })
    }
  }
}

function isShown(declaration: RelationDeclaration | undefined): boolean {
  return declaration !== undefined && /^(owns|needs|knows)\./.test(declaration.relation)
}

/** Refuses what makes no sense where requests only read the records of a resource, and what would have to name records
 * without ids. */
function checkUnwritten(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { key, owns, ownedBy, references, links, hasId, isWritable, ifMatch } = draft
  const add = (place: string, message: string) => problems.push({ place: `${key}.${place}`, message })
  for (const { name, target } of owns) {
    if (target.isWritable === isWritable) continue
    const unwritten = isWritable ? target : draft
    const why = `'${unwritten.key}' has ${whyUnwritten(unwritten)}`
    add(`relations.${name}`, `records are written together with what they own, and ${why}`)
  }
  for (const { name, target } of [...references, ...links]) {
    if (!target.hasId) add(`relations.${name}`, `no record can name ${withArticle(target.key)}, which has id: false`)
  }
  if (!hasId) {
    const why = `records with id: false own nothing, and are owned by nothing`
    for (const { name } of [...owns, ...ownedBy]) add(`relations.${name}`, why)
  }
  if (isWritable) return
  const never = `no request changes ${withArticle(key)}, which has ${whyUnwritten(draft)}`
  for (const { name } of links)
    add(`relations.${name}`, `the rows of a link table are written with the record, but ${never}`)
  if (ifMatch !== undefined) add('ifMatch', `has no effect: ${never}`)
}

/** The longest text of a column with an index, in characters. A row of a PostgreSQL index has room for some 2,700
 * bytes. */
const LONGEST_INDEXED = 500

/** The longest texts of formats, of which none is too long. A `date-time` of any length is a number in its index. */
const FORMAT_LENGTHS: Readonly<Record<string, number>> = { 'date-time': 0, date: 10, uuid: 45, ipv4: 15, ipv6: 45 }

/** Turns a descriptor's `index`, and that of its fields, into indexes over fields and foreign keys. */
function buildIndexes(draft: ResourceDraft, problems: ModelProblem[]): void {
  const members = keyMembers(draft)
  for (const field of draft.fields) {
    if (field.schema.index === true) add(draft, [field.name], `${draft.key}.fields.${field.name}`, members, problems)
  }
  for (const [position, names] of (buildingOf(draft).descriptor.index ?? []).entries()) {
    add(draft, names, `${draft.key}.index[${position}]`, members, problems)
  }
}

function add(
  draft: ResourceDraft,
  names: readonly string[],
  place: string,
  members: KeyMembers,
  problems: ModelProblem[],
): void {
  const index: Index = { names: [...names], members: membersNamed(names, members, 'an index', place, problems) }
  for (const member of index.members) {
    if (member.kind === 'field' && isTooLong(member)) {
      const message = `'${member.name}' needs a 'maxLength' of at most ${LONGEST_INDEXED}, to be part of an index`
      problems.push({ place, message })
    }
  }
  if (draft.indexes.some((other) => isSame(other, index))) {
    problems.push({ place, message: `the index over '${names.join("', '")}' is declared twice` })
  }
  draft.indexes.push(index)
}

function isTooLong({ storage, schema }: Field): boolean {
  return storage === 'string' && longestText(schema, FORMAT_LENGTHS) > LONGEST_INDEXED
}

function isSame(one: Index, other: Index): boolean {
  return (
    one.members.length === other.members.length &&
    one.members.every((member, position) => member === other.members[position])
  )
}

/** Turns a descriptor's `unique` into unique keys over fields and foreign keys. */
function buildUniques(draft: ResourceDraft, problems: ModelProblem[]): void {
  const members = keyMembers(draft)
  for (const [index, declared] of (buildingOf(draft).descriptor.unique ?? []).entries()) {
    const place = `${draft.key}.unique[${index}]`
    const { fields, where = {} }: UniqueKeyDeclaration = 'fields' in declared ? declared : { fields: declared }
    const conditions = Object.entries(where).flatMap(([name, is]) => {
      return condition(name, is, members, `${place}.where.${name}`, problems) ?? []
    })
    draft.uniques.push(uniqueKey(fields, membersNamed(fields, members, 'a unique key', place, problems), conditions))
  }
}

function condition(
  name: string,
  declared: KeyConditionDeclaration,
  members: KeyMembers,
  place: string,
  problems: ModelProblem[],
): KeyCondition | undefined {
  const member = members.get(name)
  if (member === undefined) {
    const hint = didYouMean(name, members.keys())
    problems.push({ place, message: `no field or relation with a foreign key '${name}'${hint}` })
    return undefined
  }
  const is = declared === null ? 'null' : isObject(declared) ? 'not null' : { value: declared }
  const message = problemOfMember(member, is) ?? (typeof is === 'string' ? undefined : problemOfValue(member, is.value))
  if (message !== undefined) problems.push({ place, message })
  return { member, is }
}

function problemOfMember(member: Field | ForeignKey, is: ColumnCondition): string | undefined {
  if (member.kind === 'field') {
    if (member.writeOnly) return 'is write-only, so no plan knows which rows the key holds for'
    if (member.storage === 'json' || member.storage === 'bytes') {
      return `is ${member.storage === 'json' ? 'JSON' : 'base64'} and cannot be part of a condition`
    }
  }
  return typeof is === 'string' && !member.nullable ? 'is never null' : undefined
}

/** Equal values have one spelling in the column: a plan and the database find the same rows. */
function problemOfValue(member: Field | ForeignKey, value: Constant): string | undefined {
  if (member.kind !== 'field') return 'is a relation: it can be null, or { null: false }'
  const hasOneSpelling = member.storage !== 'date' && textFormat(member.schema) === undefined
  if (!hasOneSpelling || member.stored !== undefined) {
    return 'can be null, or { null: false }, as columns of its kind spell a value in several ways'
  }
  const [first] = member.check(value)
  return first && `its value ${first.message}`
}

/** Turns a descriptor's `search` into paths to texts. The relations and the computed fields of all resources are there
 * already. */
function buildSearch(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { search } = buildingOf(draft).descriptor
  if (search === undefined) return
  const fields: SearchField[] = []
  for (const [index, path] of search.fields.entries()) {
    const found = search.fields.indexOf(path) < index ? `'${path}' occurs twice` : readPath(draft, path)
    if (typeof found === 'string') problems.push({ place: `${draft.key}.search.fields[${index}]`, message: found })
    else fields.push(Object.freeze(found))
  }
  const indexed = search.index === true ? fields.flatMap(fieldOfRecord) : []
  if (search.index === true) {
    const place = `${draft.key}.search.index`
    if (!draft.isWritable) problems.push({ place, message: 'is made with the table, which others make here' })
    else if (indexed.length === 0) problems.push({ place, message: 'needs a field of the record itself' })
  }
  draft.search = Object.freeze({ fields: Object.freeze(fields), indexed: Object.freeze(indexed) })
}

function fieldOfRecord({ relations, value }: SearchField): readonly Field[] {
  return relations.length === 0 && value.kind === 'field' ? [value] : []
}

/** Where a path ends, or a message that says what is wrong with it. */
function readPath(resource: Resource, path: string): SearchField | string {
  const names = path.split('.')
  const last = names.pop() as string
  const relations: Relation[] = []
  let at: Resource = resource
  for (const name of names) {
    const relation = allRelationsOf(at).find((one) => one.name === name)
    if (relation === undefined) return isValue(at, name) ? `'${name}' is not a relation` : unknownName(at, name)
    relations.push(relation)
    at = relation.target
  }
  if (relations.length > MOST_RELATIONS) return `'${path}' leads through more than ${MOST_RELATIONS} relations`
  const value = valueNamed(at, last)
  if (value === undefined) {
    if (allRelationsOf(at).some(({ name }) => name === last)) return `'${path}' names records, not a text in them`
    return isValue(at, last) ? `'${path}' is not a text` : unknownName(at, last)
  }
  if (value.schema.writeOnly === true) return `'${path}' is writeOnly: no answer contains it`
  return isText(value) ? { relations: Object.freeze(relations), value } : `'${path}' is not a text`
}

function valueNamed({ fields, computed }: Resource, name: string): Field | Computed | undefined {
  return [...fields, ...computed].find((one) => one.name === name)
}

/** What a record shows besides its relations. */
function isValue(resource: Resource, name: string): boolean {
  const { references, ownedBy } = resource
  const isKey = [...references, ...ownedBy].some(({ foreignKey }) => foreignKey === name)
  return name === 'id' || isKey || valueNamed(resource, name) !== undefined
}

function isText({ storage, schema }: Field | Computed): boolean {
  return storage === 'string' && !COMPARED_FORMATS.some((format) => format === textFormat(schema))
}

function unknownName(at: Resource, name: string): string {
  const known = [...at.fields, ...at.computed, ...allRelationsOf(at)]
  return `${withArticle(at.key)} has no '${name}'${didYouMean(name, known)}`
}
