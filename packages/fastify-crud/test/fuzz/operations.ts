import type { JsonSchema, OpenApiDocument, OpenApiOperation } from '@fastify-crud/core/schema'

/** One operation of a document, with what it takes. */
export interface FuzzedOperation {
  readonly method: string
  /** The path with its parameters: `/api/book/{book_id}/chapter`. */
  readonly template: string
  readonly query: readonly QueryParameter[]
  /** The schema of its body; undefined if it has none. */
  readonly body: JsonSchema | undefined
}

export interface QueryParameter {
  readonly name: string
  readonly schema: JsonSchema
}

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
  { parameters = [], requestBody }: OpenApiOperation,
): FuzzedOperation {
  const all = parameters.map((parameter) => resolve(document, { ...parameter }))
  return {
    method: method.toUpperCase(),
    template,
    query: all.filter(isOfPage) as unknown as readonly QueryParameter[],
    body: requestBody?.content['application/json']?.schema,
  }
}

/** What records a filter matches, and what a sort makes of them, is another test's affair. */
function isOfPage({ name }: JsonSchema): boolean {
  return name === 'limit' || name === 'offset'
}

/** The schema, or the component that it refers to. */
export function resolve(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema
  const path = schema.$ref.replace('#/', '').split('/')
  return path.reduce<JsonSchema>((part, name) => part[name] as JsonSchema, document as unknown as JsonSchema)
}
