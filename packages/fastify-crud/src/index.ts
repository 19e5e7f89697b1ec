export * from '@fastify-crud/core'
export type {
  AccessQuestion,
  Action,
  Authorize,
  CrudOptions,
  Handler,
  Handlers,
  Limits,
  ReplacedEndpoint,
} from './options.ts'
export { crudPlugin, crudPlugin as default } from './plugin.ts'
export type { ProblemBody } from './problems.ts'
