// What the plugin needs besides, and users do not.
export { keepsStatements } from './connection/keeps-statements.ts'
export { invalid, shortened } from './errors.ts'
export { databaseOf } from './query/dialect/database.ts'
