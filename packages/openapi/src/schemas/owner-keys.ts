import { holdsOwner, type JsonSchema, type Resource } from '@fastify-crud/core/internal'
import type { KindWithOwners } from '../components/component-id.ts'
import { idOrNull } from './schema-parts.ts'

type Named = Readonly<Record<string, unknown>>

/** The schema of a record or body where its path does not name the owners: it has their foreign keys, and the whole id. */
export function withOwnerKeys(resource: Resource, kind: KindWithOwners, schema: JsonSchema): JsonSchema {
  const { ownedBy, id, shortId } = resource
  const { id: ownId, ...others } = schema.properties as Readonly<Record<string, JsonSchema>>
  const isOnly = ownedBy.length === 1
  const keys = ownedBy.map(({ foreignKey, target }) => {
    const ofOwner = isOnly ? target.id.schema : idOrNull(target.id)
    return [foreignKey, { ...ofOwner, description: aboutKey(kind) }] as const
  })
  const names = keys.map(([name]) => name)
  const wholeId =
    ownId === undefined || id === shortId ? ownId : ownId === shortId.chosenSchema ? id.chosenSchema : id.schema
  const isShown = kind === 'record' || kind === 'partial'
  const isRequired = isShown || (isOnly && isCreate(kind) && !holdsOwner(resource))
  const required = [...(isRequired ? names : []), ...((schema.required as readonly string[] | undefined) ?? [])]
  return {
    ...schema,
    properties: { ...(wholeId && { id: wholeId }), ...Object.fromEntries(keys), ...others },
    ...(required.length > 0 && { required }),
    ...(schema.examples !== undefined && {
      examples: (schema.examples as readonly Named[]).map((one) => exampleWithOwner(resource, kind, one)),
    }),
  }
}

function isCreate(kind: KindWithOwners): boolean {
  return kind === 'create' || kind === 'createAt'
}

function aboutKey(kind: KindWithOwners): string {
  if (isCreate(kind)) return 'Its owner. A record has one owner.'
  return kind === 'record' || kind === 'partial' ? 'Its owner.' : 'Its owner, which never changes.'
}

/** As if the first of the relations that may own it did. */
function exampleWithOwner({ ownedBy, id }: Resource, kind: KindWithOwners, { id: ownId, ...others }: Named): Named {
  if (kind === 'patch') return others
  const keys = ownedBy.map(({ foreignKey, target }, index) => [foreignKey, index === 0 ? target.id.example : null])
  return { ...(ownId !== undefined && { id: id.example }), ...Object.fromEntries(keys), ...others }
}
