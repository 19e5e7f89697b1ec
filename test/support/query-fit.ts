import type { JsonSchema, OpenApiDocument } from '@fastify-crud/core/schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Says how the query of a request does not fit a document: undefined, if it does. */
export type QueryFit = (template: string, search: string) => string | undefined

const BRACKETS = /^((?:filter|nested)\[[^[\]]*\])(?:\[([^[\]]*)\])?$/

/** Reads the queries of GET by their document alone, as a client's tools would. */
export function queryFitOf(document: OpenApiDocument): QueryFit {
  // The texts of a query are of the type that the schema says. In JSON they have one.
  const [ofTexts, ofJson] = [true, false].map((coerceTypes) => validatorsOf(document, coerceTypes))

  return (template, search) => {
    const parameters = parametersOf(document, template)
    for (const [name, value] of valuesIn(search)) {
      const parameter = parameters.get(name)
      // There are too many paths to list them.
      if (parameter === undefined && /^\w+\[.*\..*\]$/.test(name)) continue
      if (parameter === undefined) return `there is no parameter ${name}`
      const { schema, content, style } = parameter as { schema?: JsonSchema; content?: JsonContent; style?: string }
      const problem =
        content === undefined
          ? ofTexts?.(schema ?? {}, style === 'form' ? String(value).split(',') : value)
          : ofJson?.(content['application/json'].schema, JSON.parse(String(value)))
      if (problem !== undefined) return `${name}: ${problem}`
    }
    return undefined
  }
}

interface JsonContent {
  readonly 'application/json': { readonly schema: JsonSchema }
}

/** The values of a query, by the name of the parameter. Those in brackets make an object, by what the last bracket says. */
function valuesIn(search: string): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>()
  for (const [name, text] of new URLSearchParams(search)) {
    const [, parameter, operator = 'eq'] = BRACKETS.exec(name) ?? []
    if (parameter === undefined) {
      values.set(name, text)
      continue
    }
    const operators = (values.get(parameter) ?? {}) as Record<string, unknown>
    const isList = operator === 'in' || operator === 'nin'
    const value = isList ? [...((operators[operator] ?? []) as string[]), text] : text
    values.set(parameter, { ...operators, [operator]: value })
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
  const ajv = new Ajv2020({ strict: false, coerceTypes })
  formats.default(ajv)
  ajv.addFormat('decimal', true)
  ajv.addSchema(document, 'document')
  const made = new Map<string, ReturnType<typeof ajv.compile>>()
  return (schema: JsonSchema, value: unknown): string | undefined => {
    const $ref = typeof schema.$ref === 'string' ? { $ref: `document${schema.$ref}` } : schema
    const key = JSON.stringify($ref)
    const validate = made.get(key) ?? ajv.compile({ properties: { value: $ref } })
    made.set(key, validate)
    return validate({ value }) ? undefined : ajv.errorsText(validate.errors)
  }
}
