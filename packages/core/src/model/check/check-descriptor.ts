import type { ModelProblem } from '../../errors.ts'
import { problemOfHistory } from '../define/build-history.ts'
import { problemOfSoftDelete } from '../define/build-soft-delete.ts'
import type { ResourceDescriptor, UniqueKeyDeclaration } from '../descriptors/descriptors.ts'
import type { RelationDeclaration } from '../descriptors/relations.ts'
import { checkIdDeclaration } from '../ids/declared-id.ts'
import { isObject } from '../is-object.ts'
import {
  anything,
  isFilledText,
  isText,
  type Kinds,
  object,
  oneOf,
  optional,
  trueOrLeftOut,
  unknownEntries,
  wrongEntries,
} from './entries.ts'
import { isStandardSchema, looksLikeJsonSchema } from './foreign-schema.ts'
import { problemOfName, problemOfTableName } from './names.ts'

const KEY = /^[A-Za-z_][A-Za-z0-9_]*$/
/** A path segment that needs no escaping. URLs give `.` and `..` another meaning. */
export const PATH_SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/

const filledText = optional(isFilledText, 'must be a string that is not empty')

/** What is a shelf of its own, or more than one value, has a check of its own. */
const ENTRIES: Kinds<keyof ResourceDescriptor> = {
  id: anything,
  route: filledText,
  table: filledText,
  description: filledText,
  columns: object,
  fields: object,
  relations: object,
  computed: object,
  writable: oneOf([false], 'must be false, or be left out'),
  authorizedBy: oneOf(['owner'], "must be 'owner'"),
  ifMatch: oneOf(['required'], "must be 'required'"),
  tenant: oneOf([false], 'must be false: every other resource belongs to a tenant anyway'),
  topLevel: trueOrLeftOut,
  groups: trueOrLeftOut,
  softDelete: (declared) => (declared === undefined ? undefined : problemOfSoftDelete(declared)),
  history: (declared) => (declared === undefined ? undefined : problemOfHistory(declared)),
  public: anything,
  where: anything,
  unique: anything,
  index: anything,
  search: anything,
  defaultInclude: anything,
}

const LINK_NAMES = ['through', 'from', 'to', 'order']
const LINK_OPTIONS = [...LINK_NAMES, 'constraint']
const OPTIONS: Readonly<Record<RelationDeclaration['relation'], readonly string[]>> = {
  'owns.one': ['required', 'inverse'],
  'owns.many': ['inverse', 'order'],
  ownedBy: ['foreignKey', 'optional', 'moves', 'constraint'],
  'needs.one': ['foreignKey', 'unique', 'optional', 'constraint'],
  'needs.many': LINK_OPTIONS,
  'neededBy.one': ['inverse'],
  'neededBy.many': ['inverse'],
  'knows.one': ['foreignKey', 'constraint'],
  'knows.many': LINK_OPTIONS,
}

/**
 * Checks a descriptor as its type does, for authors who write JavaScript. Returns whether the other checks can read the
 * descriptor.
 */
export function checkDescriptor(key: string, descriptor: unknown, problems: ModelProblem[]): boolean {
  if (!KEY.test(key)) {
    const message = 'a resource key has letters, digits and _ only and does not start with a digit'
    problems.push({ place: key, message })
  }
  if (!isObject(descriptor)) {
    problems.push({ place: key, message: 'a resource descriptor is an object' })
    return false
  }
  if (isWholeSchema(descriptor)) {
    problems.push({ place: key, message: `a descriptor is not a schema: ${LIST_FIELDS}` })
    return false
  }
  const unknown = (entry: string, hint: string) => `a resource has no '${entry}'${hint || shelfOf(descriptor[entry])}`
  const wrong = wrongEntries(descriptor, ENTRIES, unknown)
  for (const { name, message } of wrong) problems.push({ place: `${key}.${name}`, message })
  const before = problems.length
  if (isWholeSchema(descriptor.fields)) {
    problems.push({ place: `${key}.fields`, message: `'fields' is not a schema: ${LIST_FIELDS}` })
  }
  if (descriptor.public !== undefined && (descriptor.public !== true || descriptor.tenant !== false)) {
    problems.push({ place: `${key}.public`, message: 'must be true, beside tenant: false' })
  }
  checkIdDeclaration(`${key}.id`, descriptor.id, problems)
  const canGoOn = problems.length === before && wrong.every(({ name }) => !Object.hasOwn(ENTRIES, name))
  const { route, table, relations, unique, index, columns, defaultInclude } = descriptor as ResourceDescriptor
  if (typeof route === 'string' && !PATH_SEGMENT.test(route)) {
    problems.push({ place: `${key}.route`, message: `'${route}' is not one path segment` })
  }
  if (typeof table === 'string' && table !== '') report(`${key}.table`, problemOfTableName(table), problems)
  for (const [name, column] of canGoOn ? Object.entries(columns ?? {}) : []) {
    report(`${key}.columns.${name}`, problemOfName(column), problems)
  }
  const hasWhere = checkDiscriminator(`${key}.where`, descriptor.where, problems)
  const hasRelations = canGoOn && checkDeclarations(key, relations ?? {}, problems)
  const hasUniques = checkUniques(`${key}.unique`, unique, problems)
  const hasIndexes = checkNameLists(`${key}.index`, index, "[['title'], ['publisher', 'title']]", problems)
  const hasSearch = checkSearch(`${key}.search`, descriptor.search, problems)
  const hasInclude = checkNames(`${key}.defaultInclude`, defaultInclude, problems)
  return canGoOn && hasWhere && hasRelations && hasUniques && hasIndexes && hasSearch && hasInclude
}

const LIST_FIELDS = 'list each field by its name, as in fields: { title: Type.String() }'

/** Where a field or relation belongs that is an entry of the descriptor itself. */
function shelfOf(value: unknown): string {
  if (isRelation(value)) return "; declare a relation under 'relations'"
  return looksLikeField(value) ? "; declare a field under 'fields'" : ''
}

/** Whether the value is what a relation builder returns. Does not look at its options. */
export function isRelation(value: unknown): value is RelationDeclaration {
  if (!isObject(value) || typeof value.target !== 'string' || !isObject(value.options)) return false
  return typeof value.relation === 'string' && Object.hasOwn(OPTIONS, value.relation)
}

function checkDeclarations(key: string, relations: object, problems: ModelProblem[]): boolean {
  let canBeRead = true
  for (const [name, declaration] of Object.entries(relations) as [string, unknown][]) {
    const place = `${key}.relations.${name}`
    if (!isRelation(declaration)) {
      problems.push({
        place,
        message: "make a relation with owns, ownedBy, needs, neededBy or knows, such as owns.one('cover')",
      })
      canBeRead = false
      continue
    }
    const { relation, options } = declaration
    const unknown = unknownEntries(options, OPTIONS[relation], `${relation} has no option`)
    for (const message of unknown) problems.push({ place, message })
    for (const option of ['constraint', 'moves'] as const) {
      const value = (options as Readonly<Record<string, unknown>>)[option]
      if (value !== undefined && typeof value !== 'boolean')
        problems.push({ place, message: `'${option}' must be true or false` })
    }
    checkLinkNames(place, { ...options }, problems)
  }
  return canBeRead
}

/** Checks the names that the options give to a link table and its columns. */
function checkLinkNames(place: string, options: Readonly<Record<string, unknown>>, problems: ModelProblem[]): void {
  for (const option of LINK_NAMES) {
    const name = options[option]
    if (name === undefined) continue
    const problem = option === 'through' ? problemOfTableName(name) : problemOfName(name)
    report(place, problem && `'${option}': ${problem}`, problems)
  }
}

function report(place: string, message: string | undefined, problems: ModelProblem[]): void {
  if (message !== undefined) problems.push({ place, message })
}

function checkNames(place: string, given: unknown, problems: ModelProblem[]): boolean {
  const fits = given === undefined || (Array.isArray(given) && given.every((name) => typeof name === 'string'))
  if (!fits) problems.push({ place, message: "must be an array of names of relations: ['cover', 'authors']" })
  return fits
}

const KEYWORDS = ['type', 'enum', 'const', 'anyOf', 'allOf', 'oneOf', '$ref']

/** Whether the value looks like the schema of a field, for hints to authors who have put it elsewhere. */
function looksLikeField(value: unknown): boolean {
  return isStandardSchema(value) || (looksLikeJsonSchema(value) && KEYWORDS.some((keyword) => keyword in value))
}

/** Whether the value is the schema of a whole record, such as `Type.Object({ … })` or `z.object({ … })`. */
function isWholeSchema(value: unknown): boolean {
  return isStandardSchema(value) || (isObject(value) && value.type === 'object' && isObject(value.properties))
}

/** Whether the value is a list of lists of names. */
function checkNameLists(place: string, given: unknown, example: string, problems: ModelProblem[]): boolean {
  const fits =
    given === undefined ||
    (Array.isArray(given) &&
      given.every((names) => Array.isArray(names) && names.every((name) => typeof name === 'string')))
  if (!fits) problems.push({ place, message: `must be an array of arrays of names: ${example}` })
  return fits
}

const UNIQUE_ENTRIES: Kinds<keyof UniqueKeyDeclaration> = { fields: anything, where: anything }

/** Lists of names, or objects with such a list and a condition. */
function checkUniques(place: string, given: unknown, problems: ModelProblem[]): boolean {
  if (!Array.isArray(given)) return checkNameLists(place, given, EXAMPLE_OF_UNIQUES, problems)
  const before = problems.length
  const lists = given.map((one) => (isObject(one) ? one.fields : one))
  checkNameLists(place, lists, EXAMPLE_OF_UNIQUES, problems)
  for (const [index, one] of given.entries()) {
    if (!isObject(one)) continue
    const wrong = wrongEntries(one, UNIQUE_ENTRIES, 'a unique key has no')
    for (const { name, message } of wrong) problems.push({ place: `${place}[${index}].${name}`, message })
    checkConditions(`${place}[${index}].where`, one.where, problems)
  }
  return problems.length === before
}

const EXAMPLE_OF_UNIQUES = "[['isbn'], { fields: ['email'], where: { deletedAt: null } }]"

const SEARCH_ENTRIES: Kinds = { fields: anything, index: trueOrLeftOut }

/** Whether the value declares a search. What its names mean is looked at later. */
function checkSearch(place: string, given: unknown, problems: ModelProblem[]): boolean {
  if (given === undefined) return true
  const { fields } = isObject(given) ? given : {}
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every(isText)) {
    problems.push({ place, message: "must be an object with paths to texts: { fields: ['title', 'authors.name'] }" })
    return false
  }
  const wrong = wrongEntries(given as object, SEARCH_ENTRIES, 'a search has no')
  for (const { name, message } of wrong) problems.push({ place: `${place}.${name}`, message })
  return wrong.length === 0
}

function checkConditions(place: string, where: unknown, problems: ModelProblem[]): void {
  if (where === undefined) return
  if (!isObject(where) || Object.keys(where).length === 0) {
    problems.push({ place, message: 'must be an object with at least one condition: { deletedAt: null }' })
    return
  }
  for (const [name, is] of Object.entries(where)) {
    const isNotNull = isObject(is) && Object.keys(is).join() === 'null' && is.null === false
    if (is === null || isNotNull || isConstant(is)) continue
    const message = 'must be a string, a number, a boolean, null, or { null: false } for not null'
    problems.push({ place: `${place}.${name}`, message })
  }
}

/** A column and its constant. */
function checkDiscriminator(place: string, where: unknown, problems: ModelProblem[]): boolean {
  if (where === undefined) return true
  const [entry, another] = isObject(where) ? Object.entries(where) : []
  if (entry === undefined || another !== undefined || !isConstant(entry[1])) {
    problems.push({ place, message: "must be an object with one column and its constant: { type: 'Admin' }" })
    return false
  }
  const misnamed = problemOfName(entry[0])
  if (misnamed !== undefined) problems.push({ place, message: misnamed })
  return true
}

function isConstant(value: unknown): boolean {
  return ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && Number.isFinite(value))
}
