import { withArticle } from '../errors.ts'
import type { Model, Resource } from '../model/model.ts'
import type { AccessRules } from './access-rules.ts'
import { bodySchema, linkSchema, nestedSchema, withRequiredId } from './body-schema.ts'
import { COMPONENT_KINDS, type ComponentKind, componentId, type RefTo, refsWith } from './component-id.ts'
import { type Components, componentsIn } from './components.ts'
import { type Example, Examples } from './examples.ts'
import { type FieldSchemas, fieldInBodies, fieldInRecords, valueSchemasOf } from './field-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { pageSchema, recordSchema, summarySchema } from './record-schema.ts'

/** The schemas of a model's resources, as far as they are used. */
export interface ResourceSchemas {
  /** Refers to a schema, which is then among those that are used. */
  readonly refTo: RefTo
  /** The schemas that were referred to, and those that they refer to themselves, by name. */
  readonly used: () => Record<string, JsonSchema>
}

/** Makes those schemas of a model's resources that are referred to. */
export function resourceSchemasOf(model: Model, idPrefix: string, access: AccessRules): ResourceSchemas {
  const refs = refsWith(idPrefix)
  const wanted = new Map<string, readonly [resource: Resource, kind: ComponentKind]>()
  const refTo: RefTo = (resource, kind) => {
    wanted.set(componentId(resource, kind, idPrefix), [resource, kind])
    return refs(resource, kind)
  }
  const used = (): Record<string, JsonSchema> => {
    const makers = new Map<Resource, SchemaMaker>()
    const examples = new Examples()
    const values = componentsIn<JsonSchema>('schemas', idPrefix)
    const made = new Map<string, JsonSchema>()
    // A map grows while it is walked: what a schema refers to is made after it.
    for (const [id, [resource, kind]] of wanted) {
      const maker = makers.get(resource) ?? schemaMaker(resource, refTo, values, examples, access)
      makers.set(resource, maker)
      made.set(id, maker(kind))
    }
    return { ...inOrder(model, idPrefix, made), ...values.made }
  }
  return { refTo, used }
}

/** By resource and kind, so that a change to one resource is seen in one place of the document. */
function inOrder(model: Model, idPrefix: string, made: ReadonlyMap<string, JsonSchema>): Record<string, JsonSchema> {
  const ordered: Record<string, JsonSchema> = {}
  for (const resource of model.resources.values()) {
    for (const kind of COMPONENT_KINDS) {
      const id = componentId(resource, kind, idPrefix)
      const schema = made.get(id)
      if (schema !== undefined) ordered[id] = schema
    }
  }
  return ordered
}

type SchemaMaker = (kind: ComponentKind) => JsonSchema

function schemaMaker(
  resource: Resource,
  refTo: RefTo,
  values: Components<JsonSchema>,
  examples: Examples,
  access: AccessRules,
): SchemaMaker {
  const { key } = resource
  const valueSchemaOf = valueSchemasOf(resource, values)
  const shown: FieldSchemas = new Map(
    resource.fields.map((field) => [field.name, fieldInRecords(field, valueSchemaOf)]),
  )
  const sent: FieldSchemas = new Map(resource.fields.map((field) => [field.name, fieldInBodies(field, valueSchemaOf)]))
  return (kind) => {
    switch (kind) {
      case 'record': {
        const schema = recordSchema(resource, shown, refTo, access)
        return described(resource.description ?? `One ${key} record.`, schema, examples.record(resource))
      }
      case 'page':
        return described(`A page of ${key} records.`, pageSchema(resource, refTo))
      case 'create':
      case 'createInReplace':
      case 'replace':
      case 'patch':
        return described(
          ABOUT_BODIES[kind](withArticle(key)),
          bodySchema(resource, kind, sent, refTo, access.hides),
          examples.body(resource, kind === 'createInReplace' ? 'create' : kind),
        )
      case 'replaceWithId':
        return withRequiredId(refTo(resource, 'replace'))
      case 'patchWithId':
        return withRequiredId(refTo(resource, 'patch'))
      case 'summary': {
        const text = `What other records show of ${withArticle(key)} record.`
        return described(text, summarySchema(resource, shown), examples.summary(resource))
      }
      case 'nested':
        return described(aboutNested(key), nestedSchema(resource))
      case 'link': {
        const text = `Names an existing ${key} record by its id. Other values are ignored.`
        return described(text, linkSchema(resource), { id: resource.id.example })
      }
    }
  }
}

/** How a body that was read may be sent back. */
function aboutNested(key: string): string {
  return `The ${key} record as other records show it. Ignored beside its foreign key. Without that, POST and PUT take null only, and PATCH the record that is set.`
}

const ABOUT_BODIES = {
  create: (a: string) => `The values of ${a} record that is created.`,
  createInReplace: (a: string) => `The values of ${a} record that a PUT of its owner creates.`,
  replace: (a: string) => `All values of ${a} record that is replaced.`,
  patch: (a: string) => `What changes of ${a} record.`,
} as const

function described(description: string, schema: JsonSchema, example?: Example): JsonSchema {
  return { description, ...schema, ...(example && { examples: [example] }) }
}
