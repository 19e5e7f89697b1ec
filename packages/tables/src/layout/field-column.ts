import { type Field, isGivenByDatabase, mayBeGivenByDatabase } from '@fastify-crud/core/internal'
import type { FieldColumn } from './table-layout.ts'

export function fieldColumn(key: string, field: Field): FieldColumn {
  return {
    name: field.column,
    nameInModel: `${key}.${field.name}`,
    kind: field.storage,
    nullable: field.nullable,
    schema: field.schema,
    stored: field.stored,
    was: field.was,
    isGiven: isGivenByDatabase(field),
    mayBeGiven: mayBeGivenByDatabase(field),
    hasDbDefault: field.hasDbDefault,
    default: field.default,
  }
}
