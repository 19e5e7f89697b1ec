import type { Field, Link, Owns, Reference, Resource } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import type { RefTo } from './component-id.ts'
import { type FieldSchemas, withDefault } from './field-schema.ts'
import { closedObject, idOrNull, type JsonSchema, orNull } from './json-schema.ts'

const ABOUT_OWN_ID = "The record's own id."

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
        properties[property.name] = refTo(property.target, 'nested')
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
export function withRequiredId(body: JsonSchema): JsonSchema {
  return { type: 'object', allOf: [body], required: ['id'] }
}

/** The record that may stand beside a foreign key, as a record shows it. Its values are ignored, so any will do. */
export function nestedSchema(fields: FieldSchemas): JsonSchema {
  const properties: Record<string, JsonSchema> = { id: {} }
  for (const name of fields.keys()) properties[name] = {}
  return { ...closedObject(properties, []), type: ['object', 'null'] }
}

/** An element of an association. Only its id counts. */
export function linkSchema({ id }: Resource, fields: FieldSchemas): JsonSchema {
  const properties: Record<string, JsonSchema> = { id: id.schema }
  for (const name of fields.keys()) properties[name] = {}
  return closedObject(properties, ['id'])
}

function fieldInBody(field: Field, operation: BodyOperation, schema: JsonSchema): JsonSchema {
  return operation === 'patch' ? schema : withDefault(field, schema)
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
      const replaced = 'Replaced, or created if there is none. It keeps its id.'
      return owns.required ? replaced : `${replaced} Null removes it, and so does leaving it out.`
    }
    case 'patch': {
      const changed = 'Changed, or created if there is none.'
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
      ? 'Records with `id` are replaced, those without are created. All others are removed, also if this is left out.'
      : 'Records with `id` are changed, those without are created. All others stay as they are.'
  return {
    type: 'array',
    items: { oneOf: [update, create] },
    description,
  }
}

function linkInBody(link: Link, operation: BodyOperation, refTo: RefTo): JsonSchema {
  const atLeastOne = link.needs && operation !== 'patch' ? { minItems: 1 } : {}
  return {
    type: 'array',
    items: refTo(link.target, 'link'),
    ...atLeastOne,
    description: aboutLink(link, operation),
  }
}

function aboutLink(link: Link, operation: BodyOperation): string {
  const known = `The ${link.target.key} records that it ${link.needs ? 'needs' : 'knows'}`
  switch (operation) {
    case 'create':
      return `${known}.`
    case 'replace':
      return link.needs ? `${known} from then on.` : `${known} from then on. None, if this is left out.`
    case 'patch':
      return `${known} besides those that are there.`
  }
}
