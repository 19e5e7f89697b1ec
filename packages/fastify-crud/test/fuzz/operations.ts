import type { JsonSchema } from '@fastify-crud/core/internal'
import type { OpenApiDocument, OpenApiOperation } from '@fastify-crud/openapi'

/** One operation of a document, with what it takes. */
export interface FuzzedOperation {
  readonly method: string
  /** The path with its parameters: `/api/book/{book_id}/chapter`. */
  readonly template: string
  readonly query: readonly QueryParameter[]
  /** The schema of its body; undefined if it has none. */
  readonly body: JsonSchema | undefined
  /** What the component of its answer is named after: the resource. */
  readonly answer: string
}

export interface QueryParameter {
  readonly name: string
  readonly schema: JsonSchema
  readonly style: ParameterStyle
}

/**
 * How the text of a parameter is written: names, joined by commas; a filter as JSON; one of the many parameters in brackets; or a value that fits its
 * schema.
 */
export type ParameterStyle = 'names' | 'json' | 'brackets' | 'value'

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const

/** All operations that a document describes. */
export function operationsOf(document: OpenApiDocument): FuzzedOperation[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [toFuzzed(document, template, method, operation)]
    }),
  )
}

function toFuzzed(
  document: OpenApiDocument,
  template: string,
  method: string,
  { parameters = [], requestBody, responses }: OpenApiOperation,
): FuzzedOperation {
  const all = parameters.map((parameter) => resolve(document, { ...parameter }))
  const done = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  return {
    method: method.toUpperCase(),
    template,
    query: all.filter((parameter) => parameter.in === 'query').map(toQueryParameter),
    body: requestBody?.content['application/json']?.schema,
    answer: componentOf(done),
  }
}

function toQueryParameter(parameter: JsonSchema): QueryParameter {
  const { name, schema } = parameter as unknown as { readonly name: string; readonly schema: JsonSchema }
  return { name, schema, style: styleOf(name) }
}

function styleOf(name: string): ParameterStyle {
  if (name.endsWith(']')) return 'brackets'
  if (name === 'filter' || name === 'having') return 'json'
  return ['sort', 'fields', 'include'].includes(name) ? 'names' : 'value'
}

/** The first part of a component's name: `book` of `#/components/responses/book.page`. */
export function componentOf(reference: object | undefined): string {
  const { $ref = '' } = (reference ?? {}) as { $ref?: string }
  const name = $ref.slice($ref.lastIndexOf('/') + 1)
  return name.slice(0, Math.max(0, name.lastIndexOf('.')))
}

/** The schema, or the component that it refers to. */
export function resolve(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema
  const path = schema.$ref.replace('#/', '').split('/')
  return path.reduce<JsonSchema>((part, name) => part[name] as JsonSchema, document as unknown as JsonSchema)
}
