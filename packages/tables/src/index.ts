export { checkTables } from './check/check-tables.ts'
export type { TableProblemKind } from './check/difference.ts'
export type { TableProblem } from './check/table-problem.ts'
export {
  type GeneratedMigrations,
  type GenerateOptions,
  generateMigrations,
  type MigrationFile,
} from './generate/generate-migrations.ts'
export {
  type Introspection,
  type IntrospectOptions,
  introspect,
  type TableOutcome,
} from './introspect/introspect.ts'
export { type CreateTablesOptions, createTables } from './push/create-tables.ts'
export { pushTables } from './push/push-tables.ts'
export type { TableChange } from './push/run-alone.ts'
