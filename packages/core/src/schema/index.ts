/** The OpenAPI document of a model, and its paths: what `@fastify-crud/core/schema` exports. */
export { type ComponentKind, componentId, problemId } from './component-id.ts'
export type { JsonSchema } from './json-schema.ts'
export { type Mount, type MountOwner, mountsOf } from './mount.ts'
export type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiResponse,
  OpenApiServer,
  OpenApiTag,
  PathItem,
  SecurityRequirement,
} from './openapi-document.ts'
export { openApiOf } from './openapi-of.ts'
export {
  type AddedResponse,
  checkOpenApiOptions,
  MOST_IN_FULL,
  OPENAPI_OPTIONS,
  type OpenApiOptions,
  type ServiceOptions,
} from './openapi-options.ts'
export { pathTemplate } from './paths.ts'
export { PROBLEM_MEDIA_TYPE, problemType } from './problem-schema.ts'
export { toOpenApi30 } from './to-openapi-30.ts'
