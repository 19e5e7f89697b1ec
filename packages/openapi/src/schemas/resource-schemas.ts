import type { Model } from '@fastify-crud/core'
import { type JsonSchema, type Resource, withArticle } from '@fastify-crud/core/internal'
import type { AccessRules } from '../components/access-rules.ts'
import {
  belowOwner,
  COMPONENT_KINDS,
  type ComponentKind,
  componentId,
  type RefTo,
  refsAt,
  refsWith,
} from '../components/component-id.ts'
import { type Components, componentsIn } from '../components/components.ts'
import { bodySchema, linkSchema, nestedSchema, withRequiredId } from './body-schema.ts'
import { type Example, Examples } from './examples.ts'
import { type FieldSchemas, fieldInBodies, fieldInRecords, valueSchemasOf } from './field-schema.ts'
import { type Compared, comparedIn as comparedInResource, filterSchema, relatedFilterSchema } from './filter-schema.ts'
import { withOwnerKeys } from './owner-keys.ts'
import { partialSchema, recordOrPart } from './partial-schema.ts'
import { pageSchema, recordSchema, summarySchema } from './record-schema.ts'

/** The schemas of a model's resources, as far as they are used. */
export interface ResourceSchemas {
  /** Refers to a schema, which is then among those that are used. */
  readonly refTo: RefTo
  /** The schemas that are of no resource. */
  readonly schemas: Components<JsonSchema>
  /** The values of a resource that filters name. */
  readonly comparedIn: (resource: Resource) => readonly Compared[]
  /** The schemas that were referred to, and those that they refer to themselves, by name. */
  readonly used: () => Record<string, JsonSchema>
}

/** What the schemas of a document depend on besides the model. */
export interface SchemaOptions {
  readonly idPrefix: string
  readonly access: AccessRules
  /** Whether schemas have examples. */
  readonly examples: boolean
  /** Whether clients can ask for a part of a record. */
  readonly partial: boolean
}

/** Makes those schemas of a model's resources that are referred to. */
export function resourceSchemasOf(model: Model, options: SchemaOptions): ResourceSchemas {
  const { idPrefix } = options
  const refs = refsWith(idPrefix)
  const shared = componentsIn<JsonSchema>('schemas', idPrefix)
  const comparedIn = (resource: Resource) => comparedInResource(resource, shared)
  const wanted = new Map<string, readonly [resource: Resource, kind: ComponentKind]>()
  const refTo: RefTo = (resource, kind) => {
    wanted.set(componentId(resource, kind, idPrefix), [resource, kind])
    return refs(resource, kind)
  }
  const used = (): Record<string, JsonSchema> => {
    const makers = new Map<Resource, SchemaMaker>()
    const examples = new Examples()
    const made = new Map<string, JsonSchema>()
    // A map grows while it is walked: what a schema refers to is made after it.
    for (const [id, [resource, kind]] of wanted) {
      const maker = makers.get(resource) ?? schemaMaker(resource, refTo, comparedIn, shared, examples, options)
      makers.set(resource, maker)
      made.set(id, maker(kind))
    }
    return { ...inOrder(model, idPrefix, made), ...shared.made }
  }
  return { refTo, schemas: shared, comparedIn, used }
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
  comparedIn: ResourceSchemas['comparedIn'],
  shared: Components<JsonSchema>,
  examples: Examples,
  options: SchemaOptions,
): SchemaMaker {
  const { key } = resource
  const { access } = options
  const exampleOf = (make: () => Example) => (options.examples ? make() : undefined)
  const valueSchemaOf = valueSchemasOf(resource, shared)
  const shown: FieldSchemas = new Map(
    [...resource.fields, ...resource.computed].map((value) => [value.name, fieldInRecords(value, valueSchemaOf)]),
  )
  const sent: FieldSchemas = new Map(resource.fields.map((field) => [field.name, fieldInBodies(field, valueSchemaOf)]))
  const refToTop = refsAt({ resource, relations: [], isTopLevel: true }, refTo)
  const below = (kind: KindBelow, refTo: RefTo): JsonSchema => {
    switch (kind) {
      case 'record': {
        const schema = recordSchema(resource, shown, refTo, access)
        return described(
          resource.description,
          schema,
          exampleOf(() => examples.record(resource)),
        )
      }
      case 'page':
        return pageSchema(recordOrPart(resource, refTo, options.partial))
      case 'partial':
        return partialSchema(resource, shown, refTo)
      case 'create':
      case 'createAt':
      case 'createInReplace':
      case 'replace':
      case 'patch':
        return described(
          kind === 'createInReplace'
            ? `The values of ${withArticle(key)} record that a PUT of its owner creates.`
            : undefined,
          bodySchema(resource, kind, sent, refTo, access.hides),
          exampleOf(() => examples.body(resource, kind === 'replace' || kind === 'patch' ? kind : 'create')),
        )
      case 'replaceWithId':
        return withRequiredId(refTo(resource, 'replace'))
      case 'patchWithId':
        return withRequiredId(refTo(resource, 'patch'))
      // The examples of records show what these look like.
      case 'summary':
        return summarySchema(resource, shown)
      case 'nested':
        return described(ABOUT_NESTED, nestedSchema(resource))
      case 'link':
        return described(ABOUT_LINK, linkSchema(resource))
      case 'filter':
        return filterSchema(resource, comparedIn(resource), refTo)
      case 'relatedFilter':
        return relatedFilterSchema(resource, refTo)
    }
  }
  return (kind) => {
    const kindBelow = belowOwner(kind)
    if (kindBelow === undefined) return below(kind as KindBelow, refTo)
    // These refer to others that have the keys.
    if (kindBelow === 'page' || kindBelow === 'replaceWithId') return below(kindBelow, refToTop)
    return withOwnerKeys(resource, kindBelow, below(kindBelow, refTo))
  }
}

type KindBelow = Exclude<ComponentKind, `${string}AtTop`>

/** How a body that was read may be sent back. */
const ABOUT_NESTED =
  'Ignored beside its foreign key. Without that, POST and PUT accept only null, and PATCH only the record that is set.'

const ABOUT_LINK = 'Names an existing record by its id. Other values are ignored.'

function described(description: string | undefined, schema: JsonSchema, example?: Example): JsonSchema {
  return { ...(description !== undefined && { description }), ...schema, ...(example && { examples: [example] }) }
}
