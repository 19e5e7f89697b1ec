import { withArticle } from '../errors.ts'
import type { Model, Resource } from '../model/model.ts'
import { bodySchema, bodyWithId, linkSchema, nestedSchema } from './body-schema.ts'
import { type ComponentKind, checkIdPrefix, componentId, componentTitle, type RefTo, refsWith } from './component-id.ts'
import { type Example, Examples } from './examples.ts'
import { fieldSchema } from './field-schema.ts'
import type { ComponentSchema, JsonSchema } from './json-schema.ts'
import { problemSchema } from './problem-schema.ts'
import { type FieldSchemas, pageSchema, recordSchema, summarySchema } from './record-schema.ts'

export interface SchemaOptions {
  /**
   * Stands before every `$id` and `operationId`, for an application that serves several models, e.g. `shop.`: letters,
   * digits, `.`, `_` and `-`. Default: nothing.
   */
  readonly idPrefix?: string
}

/**
 * Every schema that documents a model: for each resource those that its operations or other resources use, and that of
 * the errors. They refer to each other by `$id`, so all of them go to `addSchema`.
 *
 * @throws {TypeError} if the prefix cannot be part of a component's name.
 *
 * @example
 * for (const schema of schemasOf(resources)) app.addSchema(schema)
 */
export function schemasOf(model: Model, options: SchemaOptions = {}): ComponentSchema[] {
  const { idPrefix = '' } = options
  checkIdPrefix(idPrefix)
  const refTo = refsWith(idPrefix)
  const examples = new Examples()
  const schemas: ComponentSchema[] = []
  for (const resource of model.resources.values()) {
    for (const [kind, schema] of componentsOf(resource, refTo, examples)) {
      schemas.push({ $id: componentId(resource, kind, idPrefix), title: componentTitle(resource, kind), ...schema })
    }
  }
  schemas.push(problemSchema(idPrefix))
  return schemas
}

function componentsOf(resource: Resource, refTo: RefTo, examples: Examples): [ComponentKind, JsonSchema][] {
  const { key } = resource
  const fields: FieldSchemas = new Map(resource.fields.map((field) => [field.name, fieldSchema(field)]))
  const isReferenced = resource.referencedBy.length > 0
  const isLinked = resource.linkedBy.length > 0
  const isOneOfMany = resource.ownedBy.some((owner) => owner.inverse.many)

  const record = recordSchema(resource, fields, refTo)
  const create = bodySchema(resource, 'create', fields, refTo)
  const replace = bodySchema(resource, 'replace', fields, refTo)
  const patch = bodySchema(resource, 'patch', fields, refTo)
  const replaceExample = examples.body(resource, 'replace')
  const patchExample = examples.body(resource, 'patch')
  const recordText = resource.description ?? `One ${key} record.`
  const createText = `What a new ${key} record is made of.`
  const replaceText = `What ${withArticle(key)} record is set to, in full.`
  const patchText = `What is changed of ${withArticle(key)} record; all else stays as it is.`

  const components: [ComponentKind, JsonSchema][] = [
    ['record', described(recordText, record, examples.record(resource))],
    ['page', described(`A page of ${key} records.`, pageSchema(resource, refTo))],
    ['create', described(createText, create, examples.body(resource, 'create'))],
    ['replace', described(replaceText, replace, replaceExample)],
    ['replaceWithId', described(replaceText, bodyWithId(replace), withId(resource, replaceExample))],
    ['patch', described(patchText, patch, patchExample)],
  ]
  if (isOneOfMany) {
    components.push(['patchWithId', described(patchText, bodyWithId(patch), withId(resource, patchExample))])
  }
  if (isReferenced || isLinked) {
    const text = `What other records show of ${withArticle(key)} record.`
    components.push(['summary', described(text, summarySchema(resource, fields), examples.summary(resource))])
  }
  if (isReferenced) {
    const text = `What another record shows of ${withArticle(key)} record, where it is sent back: its values are ignored.`
    components.push(['nested', described(text, nestedSchema(fields))])
  }
  if (isLinked) {
    const text = `Names an existing ${key} record: only the id counts.`
    components.push(['link', described(text, linkSchema(resource, fields), { id: resource.id.example })])
  }
  return components
}

function described(description: string, schema: JsonSchema, example?: Example): JsonSchema {
  return { description, ...schema, ...(example && { examples: [example] }) }
}

function withId({ id }: Resource, example: Example): Example {
  return example && { id: id.example, ...example }
}
