import type { Link, Resource } from '../model/model.ts'
import type { QueryContext } from './context.ts'
import type { RowsColumn, RowsTable } from './dialect.ts'
import { columnNameOf, fieldOf } from './sql-text.ts'

/** The rows of a step: their columns, and the properties that these are. */
export interface Shape {
  readonly rows: RowsTable
  readonly properties: readonly string[]
}

export function shapeOf({ names }: QueryContext, resource: Resource, properties: readonly string[]): Shape {
  const columns = properties.map((property): RowsColumn => {
    const name = columnNameOf(resource, property)
    return { name, inDatabase: names.column(name), storage: fieldOf(resource, property)?.storage ?? 'id' }
  })
  return { rows: { table: names.table(resource.table), columns }, properties }
}

export function pairsOf({ names }: QueryContext, link: Link): Shape {
  const properties = [link.from, link.to]
  const columns = properties.map((name): RowsColumn => ({ name, inDatabase: names.column(name), storage: 'id' }))
  return { rows: { table: names.table(link.table), columns }, properties }
}
