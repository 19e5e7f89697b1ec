/** The OpenAPI document of a model, and its paths: what `@fastify-crud/core/schema` exports. */

export type { JsonSchema } from '../model/descriptors/json-schema.ts'
export { type ComponentKind, componentId, problemId } from './document/component-id.ts'
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
} from './document/openapi-document.ts'
export { openApiOf } from './document/openapi-of.ts'
export {
  type AddedResponse,
  checkOpenApiOptions,
  MOST_IN_FULL,
  OPENAPI_OPTIONS,
  type OpenApiOptions,
  type ServiceOptions,
} from './document/openapi-options.ts'
export { toOpenApi30 } from './document/to-openapi-30.ts'
export { pathTemplate } from './routes/paths.ts'
export { PROBLEM_MEDIA_TYPE, problemType } from './schemas/problem-schema.ts'
