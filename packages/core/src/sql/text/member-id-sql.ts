import { sql } from 'kysely'
import { ESCAPES, partsOfId } from '../../model/ids/composite-id.ts'
import type { Id, IdKind } from '../../model/ids/id-kind.ts'
import { type IdForm, idColumnsOf, idKindOf, idMembersOf } from '../../model/ids/short-id.ts'
import type { Field, ForeignKey, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowsColumn } from '../dialect/dialect.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import type { ColumnForm } from '../dialect/value-sql.ts'
import { formInId } from './field-column.ts'
import { column, constant, join, partsOf, rowValue, type Sql, slot } from './sql-text.ts'
import { tableOf } from './stored-rows.ts'

/** Ids that members of a resource make up. `kind`: the kind of these ids. */
interface MemberIds {
  readonly resource: Resource
  readonly kind: IdKind
  readonly members: readonly (Field | ForeignKey)[]
}

/**
 * How ids that members make up stand in SQL: as the values of the members, one beside the other (`rowValue`). Each has
 * the type of its column, whatever that is.
 */
export function memberIdSql(context: QueryContext, { resource, kind, members }: MemberIds): IdSql {
  const { dialect, names } = context
  const parts = members.map((member) => partSql(context, member))
  const single = parts.length === 1
  const columns = members.map(
    (member, index): RowsColumn => ({
      name: member.column,
      inDatabase: names.column(member.column),
      ...storageInRow(context, member, parts[index] as IdSql),
    }),
  )
  const rows = { table: tableOf(context, resource), columns }
  const each = (id: Sql, of: (part: IdSql, value: Sql) => Sql) =>
    partsOf(id).map((value, index) => of(parts[index] as IdSql, value))
  const text = (id: Sql) => {
    const texts = each(id, (part, value) => part.text(value))
    return single
      ? (texts[0] as Sql)
      : joined(texts.map((one, index) => (mayNeedEscapes(members[index]) ? escaped(one) : one)))
  }
  const [first] = parts as [IdSql, ...IdSql[]]
  const json = (id: Sql) => (single ? first.json(id) : dialect.ids.text.json(text(id)))
  return {
    typed: (value) => (single ? first.typed(value) : value),
    inRow: (value) => (single ? first.inRow(value) : value),
    list(parameter) {
      const given = sql`${dialect.rows(parameter, rows, 'joined')} as ${sql.id(GIVEN)}`
      return sql`select ${join(columns.map(({ name }, index) => sql`${column(GIVEN, name)} as ${sql.id(listedName(index))}`))} from ${given}`
    },
    encodeList: (ids) =>
      dialect.encodeRows(
        ids.map((id) => partsOfId(kind, id)),
        rows,
      ),
    equalsByIndex: (id, other) => sql`${id} = ${other}`,
    equalsInFewRows: (id, other) => sql`${id} = ${other}`,
    order: (id) => join(each(id, (part, value) => part.order(value))),
    orderAsCompared: (id) => join(each(id, (part, value) => part.orderAsCompared(value))),
    orderWithoutIndex: (id) => join(each(id, (part, value) => part.orderWithoutIndex(value))),
    last: first.last,
    json,
    jsonText: (id) => (single ? first.jsonText(id) : json(id)),
    text,
    fromText: (given) => (single ? first.fromText(given) : given),
    columns: first.columns,
    assigned: undefined,
  }
}

const GIVEN = 'crud_given'

/** The name of a part in the rows of `IdSql.list`. */
export function listedName(index: number): string {
  return index === 0 ? 'id' : `id${index}`
}

/** How one part stands in SQL. A column that spells values in its own way does so in an id, too: in each parameter, and
 * in what is shown. */
export function partSql(context: QueryContext, member: Field | ForeignKey): IdSql {
  const { ids } = context.dialect
  const field = fieldBehind(member)
  if (field === undefined) return ids[(member as ForeignKey).target.id.stored]
  if (field.storage === 'integer') return ids.integer
  const form = formInId(context, field)
  if (form === undefined) return ids.value
  const { text, json, jsonText, orderAsCompared, orderWithoutIndex } = ids.value
  const { read, ofParameter = (parameter) => parameter } = form
  return {
    ...ids.value,
    typed: ofParameter,
    text: (id) => text(read(id)),
    json: (id) => json(read(id)),
    jsonText: (id) => jsonText(read(id)),
    orderAsCompared: (id) => orderAsCompared(read(id)),
    orderWithoutIndex: (id) => orderWithoutIndex(read(id)),
  }
}

/** Makes of a part the parameter that {@link partSql} takes; undefined: the part is one. */
export function partEncoder(
  context: QueryContext,
  member: Field | ForeignKey,
): ((part: unknown) => unknown) | undefined {
  return formBehind(context, member)?.encode
}

/** The field whose values the member has: a foreign key has those of its target. Undefined where ids have a column of
 * their own. */
function fieldBehind(member: Field | ForeignKey): Field | undefined {
  let behind: Field | ForeignKey | undefined = member
  while (behind !== undefined && behind.kind !== 'field') behind = behind.target.idMembers[0]
  return behind
}

function formBehind(context: QueryContext, member: Field | ForeignKey): ColumnForm | undefined {
  const field = fieldBehind(member)
  return field && formInId(context, field)
}

/** How rows that travel together have a part. */
export function storageInRow(
  context: QueryContext,
  member: Field | ForeignKey,
  part: IdSql,
): Pick<RowsColumn, 'storage' | 'form'> {
  const form = formBehind(context, member)
  return form === undefined ? { storage: part } : { storage: 'string', form }
}

/** Numbers and UUIDs have none of the characters. */
function mayNeedEscapes(member: Field | ForeignKey | undefined): boolean {
  if (member?.kind === 'field') return member.storage === 'string'
  return member?.target.id.stored === 'text' || member?.target.id.stored === 'value'
}

/** As `joinedId` does it. */
function joined(texts: readonly Sql[]): Sql {
  return sql`(${join(texts, sql` || ',' || `)})`
}

function escaped(text: Sql): Sql {
  return ESCAPES.reduce(
    (inner, [character, written]) => sql`replace(${inner}, ${constant(character)}, ${constant(written)})`,
    text,
  )
}

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
