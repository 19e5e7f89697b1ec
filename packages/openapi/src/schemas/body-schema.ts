import {
  type BodyOperation,
  FIELDS_OF_SOME,
  type Field,
  type IdKind,
  isGivenByClient,
  type JsonSchema,
  type Link,
  numberTypeOf,
  type OwnerReference,
  type Owns,
  ownedTree,
  type Reference,
  type Resource,
} from '@fastify-crud/core/internal'
import type { RefTo } from '../components/component-id.ts'
import { sentences, withSentence } from '../sentences.ts'
import { type FieldSchemas, withDefault } from './field-schema.ts'
import { closedObject, idOrNull, orNull } from './partial-schema.ts'

/** What no caller sees or sets is not described. */
const { sees, sets } = FIELDS_OF_SOME

const ABOUT_READ_ONLY = 'Read-only, and ignored here.'
const ABOUT_STAYING = 'If it is left out, it stays unchanged.'
const ABOUT_DB_DEFAULT = 'If it is left out, the database gives it a value.'
const ABOUT_ALL_STAYING = 'If this is left out, all stay unchanged.'
const ABOUT_STAYING_FOR_SOME = 'If a caller who does not see it, or cannot set it, leaves it out, it stays unchanged.'

/** What a body describes: a new record, or one in a PUT, or one that is replaced or patched. */
export type BodyKind = BodyOperation | 'createInReplace' | 'createAt'

/** The body of POST, PUT or PATCH, and of an owned record in the body of its owner. */
/** `hides`: the resources of which policies hide records, so that a record that is sent back may seem to lack what it
 * must have. */
export function bodySchema(
  resource: Resource,
  kind: BodyKind,
  fields: FieldSchemas,
  refTo: RefTo,
  hides: ReadonlySet<string>,
): JsonSchema {
  const operation = operationOf(kind)
  const ignoresReadOnly = kind === 'createInReplace' || kind === 'replace'
  const properties: Record<string, JsonSchema> = {}
  const { idMembers, shortId } = resource
  if (operation !== 'create' || idMembers.length > 0) properties.id = shortId.schema
  else if (isGivenByClient(shortId)) properties.id = shortId.chosenSchema
  if (operation === 'patch') properties.partial = { const: true }
  if (!ignoresReadOnly && isPlaced(resource)) properties.$before = placeSchema(resource.shortId, resource.key)
  const maySeemMissing = ({ target }: Owns | Link) => operation !== 'create' && hides.has(target.key)
  const saysId = isNew(kind)
  const required: string[] = saysId && isGivenByClient(shortId) && idMembers.length === 0 ? ['id'] : []
  const isInId = (member: Field | Reference) => !saysId && idMembers.includes(member)
  for (const property of resource.properties) {
    switch (property.kind) {
      case 'field':
        if (!sets(property)) {
          if (ignoresReadOnly && sees(property)) properties[property.name] = { description: ABOUT_READ_ONLY }
          break
        }
        properties[property.name] = fieldInBody(property, operation, fields.get(property.name) ?? {})
        if (property.required && !mayBeLeftOut(property, operation) && !isInId(property)) required.push(property.name)
        break
      case 'computed':
        if (ignoresReadOnly && sees(property)) properties[property.name] = { description: ABOUT_READ_ONLY }
        break
      case 'owns':
        properties[property.name] = property.many
          ? manyInBody(property, kind, refTo)
          : oneInBody(property, kind, refTo, maySeemMissing(property))
        if (property.required && !stays(property, operation)) required.push(property.name)
        break
      case 'reference':
        if (property.setByRule) {
          if (ignoresReadOnly) properties[property.foreignKey] = { description: ABOUT_READ_ONLY }
          if (operation !== 'create' || ignoresReadOnly) properties[property.name] = refTo(property.target, 'nested')
          break
        }
        properties[property.foreignKey] = foreignKeyInBody(property, operation)
        properties[property.name] = refTo(property.target, 'nested')
        if (!property.nullable && !isInId(property)) required.push(property.foreignKey)
        break
      case 'ownedBy':
        properties[property.foreignKey] = ownerInBody(property, operation)
        break
      case 'link':
        properties[property.name] = linkInBody(property, operation, refTo, maySeemMissing(property))
        if (property.needs && !stays(property, operation)) required.push(property.name)
        break
    }
  }
  return closedObject(properties, operation === 'patch' ? [] : required)
}

/** Whether an owner's array may keep the order of such records. */
function isPlaced({ ownedBy }: Resource): boolean {
  return ownedBy.some(({ inverse }) => inverse.order !== undefined)
}

/** The place of an element in an array that keeps its order. */
export function placeSchema(kind: IdKind, key: string): JsonSchema {
  return { ...idOrNull(kind), description: `The ${key} in front of which it is to be; null: at the end.` }
}

/** The body of a link's address; undefined where a link has no place. */
export function linkBodySchema({ target, order }: Link): JsonSchema | undefined {
  return order === undefined ? undefined : closedObject({ $before: placeSchema(target.id, target.key) }, [])
}

function operationOf(kind: BodyKind): BodyOperation {
  return kind === 'createInReplace' || kind === 'createAt' ? 'create' : kind
}

/** Whether only the body may have the id of a new record. */
function isNew(kind: BodyKind): boolean {
  return kind === 'create' || kind === 'createInReplace'
}

/** The same body where its `id` says which record is meant. */
export function withRequiredId(body: JsonSchema): JsonSchema {
  return { type: 'object', allOf: [body], required: ['id'] }
}

/** The record that a body may have beside a foreign key, as in an answer. Its values are ignored, so any will do. */
export function nestedSchema(resource: Resource): JsonSchema {
  const properties = { id: {}, ...anyShownValues(resource) }
  return { ...closedObject(properties, []), type: ['object', 'null'] }
}

/** An element of an association. Only its id counts. */
export function linkSchema(resource: Resource, besides: Record<string, JsonSchema> = {}): JsonSchema {
  return closedObject({ id: resource.id.schema, ...anyShownValues(resource), ...besides }, ['id'])
}

function anyShownValues({ fields, computed }: Resource): Record<string, JsonSchema> {
  return Object.fromEntries([...fields, ...computed].filter(sees).map(({ name }) => [name, {}]))
}

function fieldInBody(field: Field, operation: BodyOperation, schema: JsonSchema): JsonSchema {
  if (operation === 'patch') return withAddition(field, schema)
  const stays = operation === 'replace' ? whatStays(field) : undefined
  if (stays !== undefined) return withSentence(schema, stays)
  return field.hasDbDefault ? withSentence(schema, ABOUT_DB_DEFAULT) : withDefault(field, schema)
}

/** A PATCH may add to a number. */
function withAddition(field: Field, schema: JsonSchema): JsonSchema {
  const numberType = field.writeOnly ? undefined : numberTypeOf(field)
  if (numberType === undefined) return schema
  const { description, ...ofValue } = schema
  const addition = closedObject({ $add: { type: numberType.type } }, ['$add'])
  return { anyOf: [ofValue, addition], ...(description !== undefined && { description }) }
}

/** A caller who may not set a field leaves it out, and cannot send back a value that is not shown. */
function mayBeLeftOut(field: Field, operation: BodyOperation): boolean {
  return field.access?.Edit !== undefined || (operation === 'replace' && whatStays(field) !== undefined)
}

/** When a PUT without the field leaves it as it is; undefined: never. */
function whatStays(field: Field): string | undefined {
  if (!sees(field) || field.hasDbDefault) return ABOUT_STAYING
  return field.access && ABOUT_STAYING_FOR_SOME
}

/** Whether a PUT without the relation leaves it as it is, as a client cannot send back a relation that a record does
 * not carry. */
function stays({ carried }: Owns | Link, operation: BodyOperation): boolean {
  return operation === 'replace' && !carried
}

/** A body of an owned record may repeat its owner. One that is there moves to another owner. */
function ownerInBody({ source, target, nullable }: OwnerReference, operation: BodyOperation): JsonSchema {
  const id = nullable ? idOrNull(target.id) : target.id.schema
  return { ...id, description: operation === 'create' ? ABOUT_OWNER : aboutMove(source.key) }
}

const ABOUT_OWNER = 'Its owner, as the path or the record around it has it.'

/** What a body may say of an owner. */
export function aboutMove(key: string): string {
  return `Its owner. Another one moves the ${key} there, in a request of its own. If it is left out, it stays.`
}

function foreignKeyInBody(reference: Reference, operation: BodyOperation): JsonSchema {
  const { target, needs, nullable } = reference
  const what = `The ${target.key} record that it ${needs ? 'needs' : 'knows'}.`
  if (!nullable) return { ...target.id.schema, description: what }
  const ofNull = {
    create: 'It may be null.',
    replace: 'Null, or leaving it out, clears it.',
    patch: 'Null clears it.',
  }[operation]
  return { ...idOrNull(target.id), description: `${what} ${ofNull}` }
}

function oneInBody(owns: Owns, kind: BodyKind, refTo: RefTo, maySeemMissing: boolean): JsonSchema {
  const operation = operationOf(kind)
  const body = refTo(owns.target, operation === 'create' ? createKind(owns.target, kind) : operation)
  // Beside a `$ref`, a description would be lost: API references show only what it refers to.
  const schema = owns.required && !maySeemMissing ? { allOf: [body] } : orNull(body)
  return { ...schema, description: aboutOne(owns, operation) }
}

function aboutOne(owns: Owns, operation: BodyOperation): string {
  switch (operation) {
    case 'create':
      return 'Created together with its owner.'
    case 'replace': {
      const replaced = 'Replaced, or created if there is none. It keeps its id.'
      if (!owns.carried) return sentences(replaced, !owns.required && 'Null removes it.', ABOUT_STAYING)
      return owns.required ? replaced : `${replaced} Null removes it, and so does leaving it out.`
    }
    case 'patch': {
      const changed = 'Changed, or created if there is none.'
      return owns.required ? changed : `${changed} Null removes it.`
    }
  }
}

/** A new record is described in its own way in a PUT only where it may carry what a POST refuses. */
function createKind(resource: Resource, within: BodyKind): 'create' | 'createInReplace' {
  const isInReplace = within === 'replace' || within === 'createInReplace'
  return isInReplace && ownedTree(resource).some((one) => hasReadOnly(one) || isPlaced(one))
    ? 'createInReplace'
    : 'create'
}

function hasReadOnly({ fields, references }: Resource): boolean {
  return !fields.every(sets) || references.some(({ setByRule }) => setByRule)
}

function manyInBody(owns: Owns, kind: BodyKind, refTo: RefTo): JsonSchema {
  const operation = operationOf(kind)
  const create = refTo(owns.target, createKind(owns.target, kind))
  if (operation === 'create') {
    return { type: 'array', items: create, description: 'Created together with their owner.' }
  }
  const update = refTo(owns.target, operation === 'replace' ? 'replaceWithId' : 'patchWithId')
  const created = isGivenByClient(owns.target.id) ? 'others' : 'those without'
  const which = isGivenByClient(owns.target.id) ? 'whose `id` it has' : 'with `id`'
  const description =
    operation === 'replace'
      ? sentences(
          `Records ${which} are replaced, ${created} are created.`,
          owns.carried ? 'All others are removed, also if this is left out.' : 'All others are removed.',
          !owns.carried && ABOUT_ALL_STAYING,
        )
      : `Records ${which} are changed, ${created} are created, those with \`$remove\` removed. All others stay unchanged.`
  const elements = [update, create, ...(operation === 'patch' ? [removedElement(owns.target)] : [])]
  return {
    type: 'array',
    items: isGivenByClient(owns.target.id) ? { anyOf: elements } : { oneOf: elements },
    description,
  }
}

/** An element of a PATCH that takes its record away: it names the record, by its id or the members that make it up. */
function removedElement({ shortId, idMembers, fields, references }: Resource): JsonSchema {
  const members = [...fields, ...references].filter((member) => idMembers.includes(member))
  const naming = Object.fromEntries(members.map(({ property }) => [property, {}]))
  const required = members.length === 0 ? ['id', '$remove'] : ['$remove']
  return closedObject({ id: shortId.schema, ...naming, $remove: { const: true } }, required)
}

function linkInBody(link: Link, operation: BodyOperation, refTo: RefTo, maySeemMissing: boolean): JsonSchema {
  const { target, order } = link
  const isPlain = order === undefined || operation === 'replace'
  const item = isPlain ? refTo(target, 'link') : linkSchema(target, { $before: placeSchema(target.id, target.key) })
  const atLeastOne = link.needs && operation !== 'patch' && !maySeemMissing ? { minItems: 1 } : {}
  return {
    type: 'array',
    items: operation === 'patch' ? { oneOf: [item, removedLink(link.target)] } : item,
    ...atLeastOne,
    description: aboutLink(link, operation),
  }
}

function removedLink({ id }: Resource): JsonSchema {
  return closedObject({ id: id.schema, $remove: { const: true } }, ['id', '$remove'])
}

function aboutLink(link: Link, operation: BodyOperation): string {
  const known = `The ${link.target.key} records that it ${link.needs ? 'needs' : 'knows'}`
  switch (operation) {
    case 'create':
      return `${known}.`
    case 'replace':
      if (!link.carried) return sentences(`${known} from then on.`, ABOUT_ALL_STAYING)
      return link.needs ? `${known} from then on.` : `${known} from then on. None, if this is left out.`
    case 'patch':
      return `${known} in addition to those that are linked already. Those with \`$remove\` are linked no longer.`
  }
}
