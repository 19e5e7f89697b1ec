import type { JsonSchema } from '@fastify-crud/core/internal'
import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiOptions,
  type OpenApiTag,
  type PathItem,
  toOpenApi30,
} from '@fastify-crud/openapi'

/** An application's own document, which is still being made. */
export interface TargetDocument {
  openapi?: string
  readonly servers?: readonly { readonly url: string; readonly variables?: ServerVariables }[]
  tags?: readonly OpenApiTag[]
  paths: Record<string, object>
  components?: Record<string, Readonly<Record<string, object>>>
  'x-crud-models'?: readonly string[]
}

type ServerVariables = Readonly<Record<string, { readonly default?: unknown }>>

/**
 * Adds the paths, the components and the tags of a model to an application's own document. Its title and servers are
 * the application's; `security` is set for these operations only.
 *
 * @throws {Error} if the document has another component with the name of one of these.
 */
export function mergeDocument(target: TargetDocument, ours: OpenApiDocument, { security }: OpenApiOptions): void {
  const components = { ...target.components }
  for (const [section, given] of Object.entries(ours.components) as [string, Record<string, object>][]) {
    const added = isOpenApi30(target) ? inOpenApi30(section, given) : given
    const present = components[section] ?? {}
    const taken = section === 'securitySchemes' ? [] : Object.keys(added).filter((name) => Object.hasOwn(present, name))
    if (taken.length > 0) {
      throw new Error(
        `the OpenAPI document has other components/${section} named ${taken.slice(0, 3).join(', ')}: set the plugin's option openapi.idPrefix`,
      )
    }
    components[section] = { ...added, ...present }
  }
  target.components = components

  const known = new Set((target.tags ?? []).map(({ name }) => name))
  target.tags = [...(target.tags ?? []), ...ours.tags.filter(({ name }) => !known.has(name))]

  const bases = basePathsOf(target)
  const belowServers = (path: string) =>
    bases.reduce((rest, base) => (rest.startsWith(`${base}/`) ? rest.slice(base.length) : rest), path)
  const paths = { ...target.paths }
  for (const [path, inOurs] of Object.entries(ours.paths)) {
    const item = isOpenApi30(target) ? pathFor30(inOurs) : inOurs
    const relative = belowServers(path)
    paths[relative] = { ...paths[relative], ...(security ? withSecurity(item, security) : item) }
  }
  target.paths = paths
  const models = ours['x-crud-models'] ?? []
  if (models.length > 0) target['x-crud-models'] = [...(target['x-crud-models'] ?? []), ...models.map(belowServers)]
}

/** The version in which `@fastify/swagger` writes a document that does not say one. */
function isOpenApi30({ openapi = '3.0.3' }: TargetDocument): boolean {
  return openapi.startsWith('3.0')
}

function inOpenApi30(section: string, given: Record<string, object>): Record<string, object> {
  const convert = { schemas: toOpenApi30, parameters: parameterFor30 }[section]
  if (convert === undefined) return given
  return Object.fromEntries(Object.entries(given).map(([name, component]) => [name, convert(component as JsonSchema)]))
}

function parameterFor30({ schema, ...parameter }: JsonSchema): JsonSchema {
  return schema === undefined ? parameter : { ...parameter, schema: toOpenApi30(schema as JsonSchema) }
}

/** The same path, with the parameters of its operations in OpenAPI 3.0. */
function pathFor30(item: PathItem): PathItem {
  const entries = Object.entries(item).map(([name, value]) => {
    const { parameters, ...operation } = value as OpenApiOperation
    if (name === 'parameters' || parameters === undefined) return [name, value]
    return [name, { ...operation, parameters: parameters.map((one) => parameterFor30(one as unknown as JsonSchema)) }]
  })
  return Object.fromEntries(entries)
}

/** The paths of the servers, which `@fastify/swagger` takes off the paths of all routes. */
function basePathsOf({ servers = [] }: TargetDocument): string[] {
  return servers.flatMap(({ url, variables }) => {
    const filled = url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(variables?.[name]?.default ?? ''))
    const path = URL.canParse(filled) ? new URL(filled).pathname : filled
    const base = path.replace(/\/$/, '')
    return base.startsWith('/') ? [base] : []
  })
}

function withSecurity(item: PathItem, security: OpenApiOperation['security'] & object): PathItem {
  const entries = Object.entries(item).map(([name, value]) => [
    name,
    name === 'parameters' ? value : { ...(value as OpenApiOperation), security },
  ])
  return Object.fromEntries(entries)
}
