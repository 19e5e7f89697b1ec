import { sql } from 'kysely'
import { ESCAPES, partsOfId } from '../../model/ids/composite-id.ts'
import type { IdKind } from '../../model/ids/id-kind.ts'
import type { Field, ForeignKey, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { ColumnForm } from '../dialect/column-form.ts'
import type { RowsColumn } from '../dialect/dialect.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import { formInId } from './field-column.ts'
import { partsOf } from './row-value.ts'
import { column, constant, join, type Sql } from './sql-text.ts'
import { tableOf } from './stored-rows.ts'

/** Ids that members of a resource make up. `kind`: the kind of these ids. */
export interface MemberIds {
  readonly resource: Resource
  readonly kind: IdKind
  readonly members: readonly (Field | ForeignKey)[]
}

/**
 * How ids that members make up stand in SQL: as the values of the members, one beside the other (`rowValue`). Each has the type of its
 * column, whatever that is.
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

/** How one part stands in SQL. A column that spells values in its own way does so in an id, too: in each parameter, and in what is shown. */
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

/** The field whose values the member has: a foreign key has those of its target. Undefined where ids have a column of their own. */
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
