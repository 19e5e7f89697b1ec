import type { IdKind } from '../model/ids.ts'
import type { Components } from './components.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Mount } from './mount.ts'
import type { Ref } from './openapi-document.ts'

/** The ids in the path of a mount's collection, or of its records. */
export function pathParameters(mount: Mount, hasId: boolean, parameters: Components<JsonSchema>): Ref[] {
  const owners = mount.owners.map(({ owns, param }) =>
    parameters.ref(param, () => pathParameter(param, owns.source.id, `The id of the ${owns.source.key} record.`)),
  )
  if (!hasId) return owners
  // One for all resources with ids of a kind: the path says whose it is.
  const { id } = mount.path.resource
  return [...owners, parameters.ref(`id.${id.name}`, () => pathParameter('id', id, 'The id of the record.'))]
}

function pathParameter(name: string, { schema, example }: IdKind, description: string): JsonSchema {
  return { name, in: 'path', required: true, description, schema, example }
}
