import { closedObject, type JsonSchema } from './json-schema.ts'
import type { Mount } from './mount.ts'
import { hasIdInPath, type RouteKind } from './route-kind.ts'

/** The schema of an operation's path parameters; `undefined` if it has none. */
export function paramsSchema(kind: RouteKind, mount: Mount): JsonSchema | undefined {
  const params: Record<string, JsonSchema> = {}
  for (const { owns, param } of mount.owners)
    params[param] = { ...owns.source.id.schema, description: `The ${owns.source.key}'s id.` }
  if (hasIdInPath(kind))
    params.id = { ...mount.place.resource.id.schema, description: `The ${mount.place.resource.key}'s id.` }
  const names = Object.keys(params)
  return names.length === 0 ? undefined : closedObject(params, names)
}

/** The schema of a list's query. */
export function pageQuerySchema(defaultPage: number, maxPage: number): JsonSchema {
  return closedObject(
    {
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: maxPage,
        default: defaultPage,
        description: 'The most records to answer.',
      },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'How many records to leave out first.' },
    },
    [],
  )
}
