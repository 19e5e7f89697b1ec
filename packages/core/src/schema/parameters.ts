import type { Resource } from '../model/model.ts'
import type { Components } from './components.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Mount } from './mount.ts'
import type { Ref } from './openapi-document.ts'

/** The ids in the path of a mount's collection, or of its records. */
export function pathParameters(mount: Mount, hasId: boolean, parameters: Components<JsonSchema>): Ref[] {
  const owners = mount.owners.map(({ owns, param }) => parameters.ref(param, () => pathParameter(param, owns.source)))
  if (!hasId) return owners
  const { resource } = mount.path
  return [...owners, parameters.ref(`${resource.key}.id`, () => pathParameter('id', resource))]
}

function pathParameter(name: string, { key, id }: Resource): JsonSchema {
  const description = `The id of the ${key} record.`
  return { name, in: 'path', required: true, description, schema: id.schema, example: id.example }
}

/** How many records a list returns. */
export interface PageLimits {
  /** Where the query does not say. */
  readonly defaultPage: number
  /** At most. */
  readonly maxPage: number
}

/** The query of a list. */
export function pageParameters({ defaultPage, maxPage }: PageLimits, parameters: Components<JsonSchema>): Ref[] {
  return [
    parameters.ref('limit', () => ({
      name: 'limit',
      in: 'query',
      description: 'How many records to return at most.',
      schema: { type: 'integer', minimum: 1, maximum: maxPage, default: defaultPage },
    })),
    parameters.ref('offset', () => ({
      name: 'offset',
      in: 'query',
      description: 'How many records to skip before the first.',
      schema: { type: 'integer', minimum: 0, default: 0 },
    })),
  ]
}
