import type { JsonSchema } from '@fastify-crud/core/internal'
import type { OpenApiDocument } from '@fastify-crud/openapi'
import { componentOf, operationsOf } from './operations.ts'

/** What queries can name in the records of a resource. */
export interface Vocabulary {
  /** Values, with the schemas of what filters compare them with. */
  readonly values: readonly (readonly [name: string, schema: JsonSchema])[]
  /** Relations, with the resource that each leads to. */
  readonly relations: readonly NamedRelation[]
}

export interface NamedRelation {
  readonly name: string
  readonly to: string
  readonly isToMany: boolean
}

/** What a document says of all resources. */
export interface Vocabularies {
  of(resource: string): Vocabulary
  /** Every name of a property in any schema: those of one resource are wrong for another. */
  readonly all: readonly string[]
}

/** Reads them from the schemas of filters and records, and from the paths below owners. */
export function vocabulariesIn(document: OpenApiDocument): Vocabularies {
  const { schemas } = document.components
  const propertiesOf = (component: string) =>
    Object.entries((schemas[component]?.properties ?? {}) as Record<string, JsonSchema>)
  const owners = operationsOf(document).flatMap(({ method, template, answer }) => {
    const [, owner] = /\/(\w+)\/\{\w+\}\/\w+$/.exec(template) ?? []
    // Below an owner, records are created. Others that a record is linked to are only listed there.
    return method !== 'POST' || owner === undefined || owner === answer
      ? []
      : [{ name: owner, to: owner, isToMany: false, from: answer }]
  })
  const made = new Map<string, Vocabulary>()
  const make = (resource: string): Vocabulary => {
    const compared = propertiesOf(`${resource}.filter`)
    const shown = propertiesOf(`${resource}.record`)
    return {
      values: [
        ...compared.filter(([, { $ref }]) => String($ref).includes('/filter.')),
        ...shown.flatMap(([name, { properties = {} }]) =>
          Object.entries(properties as Record<string, JsonSchema>).map(
            ([key, value]) => [`${name}.${key}`, value] as const,
          ),
        ),
      ],
      relations: [
        ...compared.flatMap(([name, schema]) => {
          const isRelation = String(schema.$ref).endsWith('.relatedFilter')
          return isRelation ? [{ name, to: componentOf(schema), isToMany: true }] : []
        }),
        ...shown.flatMap(([name, { anyOf = [] }]) => {
          const to = (anyOf as JsonSchema[]).map(componentOf).find((key) => key !== '')
          return to === undefined ? [] : [{ name, to, isToMany: false }]
        }),
        ...owners.filter(({ from }) => from === resource),
      ],
    }
  }
  return {
    of(resource) {
      const vocabulary = made.get(resource) ?? make(resource)
      made.set(resource, vocabulary)
      return vocabulary
    },
    all: [...new Set(Object.keys(schemas).flatMap((component) => propertiesOf(component).map(([name]) => name)))],
  }
}
