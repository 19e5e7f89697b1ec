import { FIELDS_OF_SOME, type JsonSchema, type Owns, type Reference, type Resource } from '@fastify-crud/core/internal'
import type { AccessRules } from '../components/access-rules.ts'
import type { RefTo } from '../components/component-id.ts'
import type { FieldSchemas } from './field-schema.ts'
import { closedObject, idOrNull, orNull } from './schema-parts.ts'

/**
 * A record as answers show it: all that it carries by default, null where there is no value. Fields that only some callers see
 * may be missing. With `authorize`, related records may be missing, too. Where a policy hides them, they are null.
 */
export function recordSchema(resource: Resource, fields: FieldSchemas, refTo: RefTo, access: AccessRules): JsonSchema {
  const properties: Record<string, JsonSchema> = resource.hasId ? { id: resource.shortId.schema } : {}
  const isInvisible = ({ target }: Owns | Reference) => access.hides.has(target.key)
  // Where the database has no foreign key, other programs may have deleted what is named.
  const isAbsent = (one: Reference) => one.nullable || !one.isConstrained || isInvisible(one)
  for (const property of resource.properties) {
    switch (property.kind) {
      case 'field':
      case 'computed':
        if (FIELDS_OF_SOME.sees(property)) properties[property.name] = fields.get(property.name) ?? {}
        break
      case 'owns': {
        if (!property.carried) break
        const child = refTo(property.target, 'record')
        properties[property.name] = property.many
          ? listOf(child)
          : property.required && !isInvisible(property)
            ? child
            : orNull(child)
        break
      }
      case 'reference': {
        const id = property.nullable ? idOrNull(property.target.id) : property.target.id.schema
        properties[property.foreignKey] = property.setByRule ? { ...id, readOnly: true } : id
        if (!property.carried) break
        const summary = refTo(property.target, 'summary')
        properties[property.name] = isAbsent(property) ? orNull(summary) : summary
        break
      }
      case 'link':
        if (property.carried) properties[property.name] = listOf(refTo(property.target, 'summary'))
        break
    }
  }
  const related = new Set<string>([...resource.owns, ...resource.references, ...resource.links].map(({ name }) => name))
  const limited = limitedIn(resource)
  const required = Object.keys(properties).filter((name) => !limited.has(name) && (!access.asks || !related.has(name)))
  return closedObject(properties, required)
}

/** What a record shows of another one that it does not own: the id, fields, and what is computed. */
export function summarySchema(resource: Resource, fields: FieldSchemas): JsonSchema {
  const properties: Record<string, JsonSchema> = resource.hasId ? { id: resource.id.schema } : {}
  for (const value of [...resource.fields, ...resource.computed]) {
    if (value.inSummary && FIELDS_OF_SOME.sees(value)) properties[value.name] = fields.get(value.name) ?? {}
  }
  const limited = limitedIn(resource)
  const required = Object.keys(properties).filter((name) => !limited.has(name))
  return closedObject(properties, required)
}

/** The fields that only some callers see. */
function limitedIn({ fields, computed }: Resource): ReadonlySet<string> {
  return new Set([...fields, ...computed].filter(({ access }) => access?.View !== undefined).map(({ name }) => name))
}

/** What a list returns. One closed object: generators do not see through an `allOf` beside `properties`. */
export function pageSchema(record: JsonSchema): JsonSchema {
  return closedObject({ rows: listOf(record), ...BESIDE_ROWS }, ['rows'])
}

const BESIDE_ROWS: Record<string, JsonSchema> = {
  count: { type: 'integer', minimum: 0, description: 'The number of all records.' },
  countIs: { type: 'string', enum: ['atLeast'], description: 'Whether there are more records than `count`.' },
  next: { type: 'string', description: 'While there are more records: `after` of the next page.' },
}

function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}
