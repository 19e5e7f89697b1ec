export * from '@fastify-crud/core'
export type { CrudPlugin } from './crud-register.ts'
export type {
  AccessQuestion,
  Action,
  Authorize,
  CrudOptions,
  Limits,
} from './options.ts'
export { crudPlugin, crudPlugin as default } from './plugin.ts'
export type { ProblemBody } from './problems.ts'
export type { Handlers, ReplacedEndpoint } from './replaced-endpoint.ts'
