import type { JsonSchema } from '@fastify-crud/core/internal'
import type { OpenApiDocument } from '@fastify-crud/openapi'
import { Ajv2020, type Options } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Says how the query of a request does not fit a document: undefined, if it does. */
export type QueryFit = (template: string, search: string) => string | undefined

/** Reads the queries of GET by their document alone, as a client's tools would. */
export function queryFitOf(document: OpenApiDocument): QueryFit {
  // The texts of a query are of the type that the schema says. In JSON they have one.
  const [ofTexts, ofJson] = [validatorsOf(document, true), validatorsOf(document, false)]

  return (template, search) => {
    const parameters = parametersOf(document, template)
    for (const [name, value] of valuesIn(search)) {
      const parameter = parameters.get(name)
      // There are too many paths to list them.
      if (parameter === undefined && /^\w+\[[^\]]*\.[^\]]*\]/.test(name)) continue
      if (parameter === undefined) return `there is no parameter ${name}`
      const { schema = {} } = parameter as { schema?: JsonSchema }
      const isList = schema.type === 'array'
      if (!isList && value.length > 1) return `${name} is no list`
      const inJson = schema.contentSchema as JsonSchema | undefined
      const problem = inJson
        ? ofJson(inJson, JSON.parse(String(value[0])))
        : ofTexts(schema, isList ? [...value] : value[0])
      if (problem !== undefined) return `${name}: ${problem}`
    }
    return undefined
  }
}

/** The values of a query, by the name of the parameter. `filter[price][eq]` is `filter[price]`. */
function valuesIn(search: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>()
  for (const [name, text] of new URLSearchParams(search)) {
    const parameter = name.replace(/^(filter\[[^[\]]*\])\[eq\]$/, '$1')
    values.set(parameter, [...(values.get(parameter) ?? []), text])
  }
  return values
}

function parametersOf({ paths, components }: OpenApiDocument, template: string): ReadonlyMap<string, JsonSchema> {
  const given = paths[template]?.get?.parameters ?? []
  const resolved = given.map((parameter): JsonSchema => {
    if (!('$ref' in parameter)) return parameter
    return components.parameters[String(parameter.$ref).split('/').at(-1) ?? ''] ?? {}
  })
  return new Map(resolved.map((parameter) => [String(parameter.name), parameter]))
}

function validatorsOf(document: OpenApiDocument, coerceTypes: boolean) {
  const ajv = documentAjv(document, { coerceTypes })
  const made = new Map<string, ReturnType<typeof ajv.compile>>()
  return (schema: JsonSchema, value: unknown): string | undefined => {
    const $ref = typeof schema.$ref === 'string' ? { $ref: `document${schema.$ref}` } : schema
    const key = JSON.stringify($ref)
    const validate = made.get(key) ?? ajv.compile({ properties: { value: $ref } })
    made.set(key, validate)
    return validate({ value }) ? undefined : ajv.errorsText(validate.errors)
  }
}

/** Validators of a document, which it is known under as `document`. Tests of the document itself check that its schemas are valid ones. */
export function documentAjv(document: OpenApiDocument, options: Options): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ...options })
  formats.default(ajv)
  ajv.addFormat('decimal', true)
  for (const range of ['date-time-range', 'date-range']) ajv.addFormat(range, true)
  ajv.addSchema(document, 'document')
  return ajv
}
