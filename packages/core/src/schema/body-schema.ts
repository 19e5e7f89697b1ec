import type { Field, Link, Owns, Reference, Resource } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import type { RefTo } from './component-id.ts'
import { withDefault } from './field-schema.ts'
import { closedObject, idOrNull, type JsonSchema, orNull } from './json-schema.ts'
import type { FieldSchemas } from './record-schema.ts'

const ABOUT_OWN_ID = "The record's own id; any other is refused."
const IGNORED = 'What the record shows; accepted and ignored.'

/** The body of POST, PUT or PATCH, and of an owned record in the body of its owner. */
export function bodySchema(
  resource: Resource,
  operation: BodyOperation,
  fields: FieldSchemas,
  refTo: RefTo,
): JsonSchema {
  const properties: Record<string, JsonSchema> =
    operation === 'create' ? {} : { id: { ...resource.id.schema, description: ABOUT_OWN_ID } }
  const required: string[] = []
  for (const property of resource.properties) {
    switch (property.kind) {
      case 'field':
        properties[property.name] = fieldInBody(property, operation, fields.get(property.name) ?? {})
        if (property.required) required.push(property.name)
        break
      case 'owns':
        properties[property.name] = property.many
          ? manyInBody(property, operation, refTo)
          : oneInBody(property, operation, refTo)
        if (property.required) required.push(property.name)
        break
      case 'reference':
        properties[property.foreignKey] = foreignKeyInBody(property, operation)
        properties[property.name] = {
          allOf: [refTo(property.target, 'nested')],
          readOnly: true,
          description: aboutNested(property, operation),
        }
        if (!property.nullable) required.push(property.foreignKey)
        break
      case 'link':
        properties[property.name] = linkInBody(property, operation, refTo)
        if (property.needs) required.push(property.name)
        break
    }
  }
  return closedObject(properties, operation === 'patch' ? [] : required)
}

/** The same body where its `id` says which record is meant. */
export function bodyWithId(body: JsonSchema): JsonSchema {
  const required = Array.isArray(body.required) ? body.required : []
  return { ...body, required: ['id', ...required] }
}

/** The record that may stand beside a foreign key, as the record shows it: its values are not looked at. */
export function nestedSchema(fields: FieldSchemas): JsonSchema {
  const properties: Record<string, JsonSchema> = { id: {} }
  for (const name of fields.keys()) properties[name] = {}
  return { ...closedObject(properties, []), type: ['object', 'null'] }
}

/** An element of an association: only its id counts. */
export function linkSchema({ id }: Resource, fields: FieldSchemas): JsonSchema {
  const properties: Record<string, JsonSchema> = { id: id.schema }
  for (const name of fields.keys()) properties[name] = { readOnly: true, description: IGNORED }
  return closedObject(properties, ['id'])
}

function fieldInBody(field: Field, operation: BodyOperation, schema: JsonSchema): JsonSchema {
  return operation === 'patch' ? schema : withDefault(field, schema)
}

function foreignKeyInBody(reference: Reference, operation: BodyOperation): JsonSchema {
  const { target, needs, nullable } = reference
  const what = `The id of the ${target.key} that it ${needs ? 'needs' : 'knows'}`
  if (!nullable) return { ...target.id.schema, description: `${what}.` }
  const none =
    operation === 'create'
      ? ', or null'
      : operation === 'replace'
        ? '; null, or leaving it out, clears it'
        : '; null clears it'
  return { ...idOrNull(target.id), description: `${what}${none}.` }
}

function aboutNested({ foreignKey }: Reference, operation: BodyOperation): string {
  const set = `What the record shows; \`${foreignKey}\` sets it.`
  if (operation !== 'patch') return `${set} Refused without \`${foreignKey}\`, unless it is null.`
  return `${set} Without \`${foreignKey}\`, it must be the record that is set already.`
}

function oneInBody(owns: Owns, operation: BodyOperation, refTo: RefTo): JsonSchema {
  const body = refTo(owns.target, operation)
  // Beside a `$ref`, a description would be lost: API references show only what it refers to.
  const schema = owns.required ? { allOf: [body] } : orNull(body)
  return { ...schema, description: aboutOne(owns, operation) }
}

function aboutOne(owns: Owns, operation: BodyOperation): string {
  switch (operation) {
    case 'create':
      return 'Created together with its owner.'
    case 'replace': {
      const kept = 'Set in full under the id that it has, or created if there is none.'
      return owns.required ? kept : `${kept} Null, or leaving it out, removes it.`
    }
    case 'patch': {
      const changed =
        'What is listed is changed; if there is none, it is created, and what that requires must be there.'
      return owns.required ? changed : `${changed} Null removes it.`
    }
  }
}

function manyInBody(owns: Owns, operation: BodyOperation, refTo: RefTo): JsonSchema {
  const create = refTo(owns.target, 'create')
  if (operation === 'create') {
    return { type: 'array', items: create, description: 'Created together with their owner.' }
  }
  const update = refTo(owns.target, operation === 'replace' ? 'replaceWithId' : 'patchWithId')
  const description =
    operation === 'replace'
      ? 'Elements with `id` are set in full, elements without are created; all others are removed, also if this is left out.'
      : 'Elements with `id` are changed by what they list, elements without are created; all others are left alone.'
  return {
    type: 'array',
    items: { oneOf: [update, create] },
    description: `${description} An \`id\` is that of one of this owner's records, and no two are the same.`,
  }
}

function linkInBody(link: Link, operation: BodyOperation, refTo: RefTo): JsonSchema {
  const atLeastOne = link.needs && operation !== 'patch' ? { minItems: 1 } : {}
  return {
    type: 'array',
    items: refTo(link.target, 'link'),
    ...atLeastOne,
    description: `${aboutLink(link, operation)} No two ids are the same.`,
  }
}

function aboutLink(link: Link, operation: BodyOperation): string {
  const key = link.target.key
  switch (operation) {
    case 'create':
      return link.needs ? `The ${key} records that it needs, by id.` : `The ${key} records that it knows, by id.`
    case 'replace': {
      const set = `Exactly these ${key} records are associated from then on`
      return link.needs ? `${set}.` : `${set}; none if it is left out.`
    }
    case 'patch':
      return `These ${key} records are associated too; none is dropped.`
  }
}
