/** The JSON Schemas that document a model: what `@fastify-crud/core/schema` exports. */
export { type ComponentKind, componentId, problemId } from './component-id.ts'
export type { ComponentSchema, JsonSchema } from './json-schema.ts'
export { type Mount, type MountOwner, mountsOf } from './mount.ts'
export { PROBLEM_MEDIA_TYPE, problemSchema, problemType } from './problem-schema.ts'
export { hasIdInPath, operationId, type RouteKind } from './route-kind.ts'
export { type RouteSchema, type RouteSettings, routeSchema } from './route-schema.ts'
export { type SchemaOptions, schemasOf } from './schemas-of.ts'
