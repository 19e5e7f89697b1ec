export { checkTables } from './check/check-tables.ts'
export type { TableProblem, TableProblemKind } from './check/table-problem.ts'
export { type CreateTablesOptions, createTables } from './create/create-tables.ts'
export type { TableChange } from './create/run-alone.ts'
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
export { pushTables } from './push/push-tables.ts'
