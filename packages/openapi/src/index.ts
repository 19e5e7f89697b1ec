/** The OpenAPI document of a model, and its paths: what `@fastify-crud/openapi` exports. */

export type { JsonSchema } from '@fastify-crud/core/internal'
export { type ComponentKind, componentId, problemId } from './components/component-id.ts'
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
} from './components/openapi-document.ts'
export { openApiOf } from './document/openapi-of.ts'
export { toOpenApi30 } from './document/to-openapi-30.ts'
export {
  type AddedResponse,
  checkOpenApiOptions,
  MOST_IN_FULL,
  OPENAPI_OPTIONS,
  type OpenApiOptions,
  type ServiceOptions,
} from './openapi-options.ts'
export { pathTemplate } from './routes/paths.ts'
export { EFFECTS_MEDIA_TYPE } from './schemas/effects-schema.ts'
export { movedSchema, valueSchema } from './schemas/field-schema.ts'
export { PROBLEM_MEDIA_TYPE, problemType } from './schemas/problem-schema.ts'
