import { sql } from 'kysely'
import { partsOfId } from '../../model/ids/composite-id.ts'
import type { Id, IdKind } from '../../model/ids/id-kind.ts'
import { type IdForm, idColumnsOf, idKindOf, idMembersOf } from '../../model/ids/short-id.ts'
import type { Field, ForeignKey, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { listedName, memberIdSql, partEncoder, partSql } from './member-id-sql.ts'
import { partsOf, rowValue } from './row-value.ts'
import { column, type Sql, slot } from './sql-text.ts'

/** How the ids of a resource stand in SQL. Foreign keys and link columns have the ids of their target. */
export function idSqlOf(context: QueryContext, resource: Resource, form: IdForm = 'whole'): IdSql {
  const members = idMembersOf(resource, form)
  const kind = idKindOf(resource, form)
  const hasOwnType = kind.parts === undefined && kind.stored !== 'value'
  return hasOwnType ? context.dialect.ids[kind.stored] : memberIdSql(context, { resource, kind, members })
}

/** The slot of an id of a resource. */
export function idSlot(
  context: QueryContext,
  resource: Resource,
  name: string | number = 'id',
  form: IdForm = 'whole',
): Sql {
  const kind = idKindOf(resource, form)
  const members = idMembersOf(resource, form)
  const [only] = members
  if (kind.parts === undefined) {
    return idSqlOf(context, resource, form).typed(slot(name, only && partEncoder(context, only)))
  }
  const [first, ...others] = members.map((member, index) =>
    partSql(context, member).typed(slot(name, partReader(context, kind, member, index))),
  )
  return rowValue([first as Sql, ...others])
}

/** Reads one part of an id, as its parameter. */
function partReader(context: QueryContext, kind: IdKind, member: Field | ForeignKey, index: number) {
  const encode = partEncoder(context, member)
  const read = (id: unknown) => partsOfId(kind, id as Id)[index]
  return encode === undefined ? read : (id: unknown) => encode(read(id))
}

/** The same, as what any column may be compared with. */
export function comparedIdSlot(context: QueryContext, resource: Resource, name: string, form?: IdForm): Sql {
  const [first, ...others] = partsOf(idSlot(context, resource, name, form))
  const { compared } = context.dialect
  return rowValue([compared(first), ...others.map(compared)])
}

/** The id of a row. `alias`: what the row goes by; undefined in a query of one table. */
export function rowId(resource: Resource, alias?: string, form: IdForm = 'whole'): Sql {
  const [first, ...others] = idColumnsOf(resource, form)
  const inRow = (name: string): Sql => (alias === undefined ? sql`${sql.id(name)}` : column(alias, name))
  return rowValue([inRow(first), ...others.map(inRow)])
}

/** The id of a row of `IdSql.list`. */
export function listedId({ idColumns }: Resource, alias: string): Sql {
  const [first, ...others] = idColumns.map((_, index) => column(alias, listedName(index)))
  return rowValue([first as Sql, ...others])
}
