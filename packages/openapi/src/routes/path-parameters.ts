import { type IdKind, idKindIn, type JsonSchema, type Mount, type MountLink } from '@fastify-crud/core/internal'
import type { Components, Ref } from '../components/openapi-document.ts'
import { type LinkRouteKind, type RouteKind, requiresIfMatch } from './describe-route.ts'

/** The ids in the path of a mount's collection, or of its records. */
export function pathParameters(mount: Mount, hasId: boolean, parameters: Components<JsonSchema>): Ref[] {
  const owners = mount.owners.map(({ owns, param }) =>
    parameters.ref(param, () => pathParameter(param, owns.source.id, `The id of the ${owns.source.key} record.`)),
  )
  if (!hasId) return owners
  // One for all resources with ids of a kind: the path says whose it is.
  const id = idKindIn(mount.path)
  return [...owners, parameters.ref(`id.${id.name}`, () => pathParameter('id', id, 'The id of the record.'))]
}

/** The id of the record at the other end of a link. It is that of an owner, where a path has one of the name. */
export function linkParameter({ link: { target }, param }: MountLink, parameters: Components<JsonSchema>): Ref {
  return parameters.ref(param, () => pathParameter(param, target.id, `The id of the ${target.key} record.`))
}

function pathParameter(name: string, { schema, example }: IdKind, description: string): JsonSchema {
  return { name, in: 'path', required: true, description, schema, example }
}

/** A segment of a path that is no parameter. RFC 3986 has `$` in paths as it stands. */
export function writtenSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%24', '$')
}

/** The headers of all operations on a path: which state of a record they mean, what the client would like, and whether
 * it asks again. */
export function pathHeaders(hasId: boolean, parameters: Components<JsonSchema>): Ref[] {
  const ofWrites = [
    parameters.ref('IfMatch', () => IF_MATCH),
    parameters.ref('Prefer', () => PREFER),
    parameters.ref('EffectsMatch', () => EFFECTS_MATCH),
    parameters.ref('IdempotencyKey', () => IDEMPOTENCY_KEY),
  ]
  return hasId ? [...ofWrites, parameters.ref('IfNoneMatch', () => IF_NONE_MATCH)] : ofWrites
}

/** The headers that only this operation requires. */
export function requiredHeaders(
  kind: RouteKind | LinkRouteKind,
  { path: { resource } }: Mount,
  parameters: Components<JsonSchema>,
): Ref[] {
  return requiresIfMatch(kind, resource)
    ? [parameters.ref('IfMatchRequired', () => ({ ...IF_MATCH, required: true }))]
    : []
}

// Without examples: tools to try an API in, such as Scalar, send the example of a header that may be left out.
const IF_MATCH: JsonSchema = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the record as it was read. If the record has changed since, the answer is 412, and nothing is done.',
  schema: { type: 'string' },
}

const IF_NONE_MATCH: JsonSchema = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The `ETag` of the record that the client has. If it is still the same, the answer is 304, without a body.',
  schema: { type: 'string' },
}

const PREFER: JsonSchema = {
  name: 'Prefer',
  in: 'header',
  description:
    'For a write. `return=minimal`: the answer has no body. `return=effects`: it has what the write does, in place of the record (the schema `effects`, as `application/vnd.fastify-crud.effects+json`). `tx=rollback`: the write is done and undone, and the answer says what the result would be. `max-affected=N`: nothing is done if more than N records would be added, changed or removed. `Preference-Applied` names those that were followed.',
  schema: { type: 'string' },
}

const EFFECTS_MATCH: JsonSchema = {
  name: 'Effects-Match',
  in: 'header',
  description:
    'For a write: the `Effects-Tag` of a preview (`Prefer: return=effects, tx=rollback`). If the write would do something else by now, the answer is 412 with `effects`, and nothing is done.',
  schema: { type: 'string' },
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For POST and PATCH: a text that no other request has, such as a UUID. If the request is sent again with it within 24 hours, it is not done again: the answer has the first status and `Location`, and the record as it is now. With another body, it is 422.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
