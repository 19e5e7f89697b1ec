import type { Model } from '@fastify-crud/core'
import {
  FIELDS_OF_SOME,
  holdsOwner,
  type JsonSchema,
  type OwnerReference,
  type Owns,
  type Reference,
  type Resource,
  withArticle,
} from '@fastify-crud/core/internal'
import {
  belowOwner,
  COMPONENT_KINDS,
  type ComponentKind,
  componentId,
  type KindWithOwners,
  type RefTo,
  refsAt,
  refsWith,
} from '../components/component-id.ts'
import type { AccessRules } from '../components/openapi-document.ts'
import { type Components, componentsIn } from '../components/openapi-document.ts'
import { aboutMove, bodySchema, linkSchema, nestedSchema, placeSchema, withRequiredId } from './body-schema.ts'
import { type Example, Examples } from './examples.ts'
import { type FieldSchemas, fieldInBodies, fieldInRecords, valueSchemasOf } from './field-schema.ts'
import { type Compared, comparedIn as comparedInResource, filterSchema, relatedFilterSchema } from './filter-schema.ts'
import { closedObject, idOrNull, orNull, partialSchema, recordOrPart } from './partial-schema.ts'

/** The schemas of a model's resources, as far as they are used. */
export interface ResourceSchemas {
  /** Refers to a schema, which is then among those that are used. */
  readonly refTo: RefTo
  /** The schemas that are of no resource. */
  readonly schemas: Components<JsonSchema>
  /** The values of a resource that filters name. */
  readonly comparedIn: (resource: Resource, isOfDeleted?: boolean) => readonly Compared[]
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
  const comparedIn = (resource: Resource, isOfDeleted = false) => comparedInResource(resource, shared, isOfDeleted)
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
      case 'deletedRecord':
        return withMoment(resource, recordSchema(resource, shown, refTo, access))
      case 'page':
        return pageSchema(recordOrPart(resource, refTo, options.partial))
      case 'deletedPage':
        return pageSchema(recordOrPart(resource, refTo, options.partial, 'deletedRecord'))
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
      case 'deletedFilter':
        return filterSchema(resource, comparedIn(resource, kind === 'deletedFilter'), refTo, kind)
      case 'relatedFilter':
        return relatedFilterSchema(resource, refTo)
    }
  }
  return (kind) => {
    const kindBelow = belowOwner(kind)
    if (kindBelow === undefined) return below(kind as KindBelow, refTo)
    // These refer to others that have the keys.
    if (REFERRING.has(kindBelow)) return below(kindBelow, refToTop)
    return withOwnerKeys(resource, kindBelow, below(kindBelow, refTo))
  }
}

const REFERRING: ReadonlySet<KindWithOwners> = new Set(['page', 'deletedPage', 'replaceWithId'])

type KindBelow = Exclude<ComponentKind, `${string}AtTop`>

/** How a body that was read may be sent back. */
const ABOUT_NESTED =
  'Ignored beside its foreign key. Without that, POST and PUT accept only null, and PATCH only the record that is set.'

const ABOUT_LINK = 'Names an existing record by its id. Other values are ignored.'

function described(description: string | undefined, schema: JsonSchema, example?: Example): JsonSchema {
  return { ...(description !== undefined && { description }), ...schema, ...(example && { examples: [example] }) }
}

type Named = Readonly<Record<string, unknown>>

/** The schema of a record or body where its path does not name the owners: it has their foreign keys, and the whole
 * id. */
function withOwnerKeys(resource: Resource, kind: KindWithOwners, schema: JsonSchema): JsonSchema {
  const { ownedBy, id, shortId } = resource
  const { id: ownId, ...below } = schema.properties as Readonly<Record<string, JsonSchema>>
  const others = below.$before === undefined ? below : { ...below, $before: placeSchema(id, resource.key) }
  const isOnly = ownedBy.length === 1
  const keys = ownedBy.map((by) => {
    const ofOwner = isOnly ? by.target.id.schema : idOrNull(by.target.id)
    return [by.foreignKey, { ...ofOwner, description: aboutKey(kind, by) }] as const
  })
  const names = keys.map(([name]) => name)
  const wholeId =
    ownId === undefined || id === shortId ? ownId : ownId === shortId.chosenSchema ? id.chosenSchema : id.schema
  const isRequired = isAnswer(kind) || (isOnly && isCreate(kind) && !holdsOwner(resource))
  const ofBelow = ((schema.required as readonly string[] | undefined) ?? []).filter((name) => !names.includes(name))
  const required = [...(isRequired ? names : []), ...ofBelow]
  return {
    ...schema,
    properties: { ...(wholeId && { id: wholeId }), ...Object.fromEntries(keys), ...withoutKeys(others, names) },
    ...(required.length > 0 && { required }),
    ...(schema.examples !== undefined && {
      examples: (schema.examples as readonly Named[]).map((one) => exampleWithOwner(resource, kind, one)),
    }),
  }
}

function withoutKeys<Value>(
  properties: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))
}

function isCreate(kind: KindWithOwners): boolean {
  return kind === 'create' || kind === 'createAt'
}

function isAnswer(kind: KindWithOwners): boolean {
  return kind === 'record' || kind === 'deletedRecord' || kind === 'partial'
}

function aboutKey(kind: KindWithOwners, { source, position }: OwnerReference): string {
  if (isCreate(kind)) return 'Its owner. A record has one owner.'
  if (position !== undefined && !isAnswer(kind)) return aboutMove(source.key)
  return isAnswer(kind) ? 'Its owner.' : 'Its owner, which never changes.'
}

/** The owner's id in a record that may move. */
function ownerKeySchema({ target, nullable }: OwnerReference): JsonSchema {
  return { ...(nullable ? idOrNull(target.id) : target.id.schema), description: 'Its owner.' }
}

/** As if the first of the relations that may own it did. */
function exampleWithOwner({ ownedBy, id }: Resource, kind: KindWithOwners, { id: ownId, ...others }: Named): Named {
  if (kind === 'patch') return others
  const keys = ownedBy.map(({ foreignKey, target }, index) => [foreignKey, index === 0 ? target.id.example : null])
  return { ...(ownId !== undefined && { id: id.example }), ...Object.fromEntries(keys), ...others }
}

/**
 * A record as answers show it: all that it carries by default, null where there is no value. Fields that only some
 * callers see may be missing. With `authorize`, related records may be missing, too. Where a policy hides them, they
 * are null.
 */
function recordSchema(resource: Resource, fields: FieldSchemas, refTo: RefTo, access: AccessRules): JsonSchema {
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
      case 'ownedBy':
        properties[property.foreignKey] = ownerKeySchema(property)
        break
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

/** A deleted record shows when it was deleted. */
function withMoment({ softDelete }: Resource, schema: JsonSchema): JsonSchema {
  const { name, schema: moment } = softDelete as NonNullable<typeof softDelete>
  const required = (schema.required ?? []) as readonly string[]
  const shown = { ...moment, readOnly: true, description: 'When the record was deleted.' }
  return { ...schema, properties: { ...(schema.properties as object), [name]: shown }, required: [...required, name] }
}

/** What a record shows of another one that it does not own: the id, fields, and what is computed. */
function summarySchema(resource: Resource, fields: FieldSchemas): JsonSchema {
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
function pageSchema(record: JsonSchema): JsonSchema {
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
