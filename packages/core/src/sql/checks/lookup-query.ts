import { sql } from 'kysely'
import { mayHide } from '../../asking/policies/rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Field, Link, Reference, Resource } from '../../model/model.ts'
import { LAST_INTEGER } from '../../model/values/storage.ts'
import type { GuardedRows } from '../../planning/decide/guarded-rows.ts'
import type { ElementsAsked, Facts, Lookups, MutableFacts } from '../../planning/decide/lookups.ts'
import { ofHeld, type QueryContext } from '../context.ts'
import { ROW_INDEX } from '../dialect/dialect.ts'
import { jsonArrayQuery, jsonTuple } from '../reads/json-text.ts'
import { amongIds } from '../rows/path-condition.ts'
import { forbiddenRows, visibleRows } from '../rows/visible-rows.ts'
import { rowsOf } from '../steps/step-shape.ts'
import { columnCondition } from '../text/field-column.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, constant, join, type Source, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { heldRows, storedRows, tableRows } from '../text/stored-rows.ts'

/** One query for everything that a write has to know of other records. */
export interface LookupQuery {
  readonly query: Prepared
  readonly values: Readonly<Record<string, string>>
  /** Reads the answer, the JSON text in the column `json`. */
  toFacts(json: string): Facts
}

/** One kind of question. `Lookup` is one of the lookups that ask it. */
interface QuestionKind<Lookup> {
  lookupsIn(lookups: Lookups): Iterable<Lookup>
  /** What its SQL depends on, besides the context: not on the ids and values that it asks about. */
  keyOf(lookup: Lookup): readonly unknown[]
  parametersOf(context: QueryContext, lookup: Lookup): readonly string[]
  /** SQL that answers with a JSON array. The slots of its parameters are the name with a number behind it. */
  toSql(context: QueryContext, lookup: Lookup, name: string): Sql
  note(facts: MutableFacts, lookup: Lookup, answer: readonly unknown[]): void
}

interface Asked {
  readonly kind: QuestionKind<unknown>
  readonly lookup: unknown
}

export function lookupQueries(context: QueryContext, statements: StatementCache): (lookups: Lookups) => LookupQuery {
  const queryOf = statements.each(
    (context, asked: readonly Asked[]) => {
      const answers = asked.map(({ kind, lookup }, index) => kind.toSql(context, lookup, `q${index}`))
      return prepare(context.db, sql`select ${jsonTuple(answers)} as json`)
    },
    (asked) => [asked.map(({ kind, lookup }) => [kind, ...kind.keyOf(lookup)])],
  )
  return (lookups) => {
    const asked: Asked[] = []
    const values: Record<string, string> = {}
    for (const kind of KINDS) {
      for (const lookup of kind.lookupsIn(lookups)) {
        const parameters = kind.parametersOf(context, lookup)
        for (let number = 0; number < parameters.length; number++) {
          values[`q${asked.length}_${number}`] = parameters[number] as string
        }
        asked.push({ kind, lookup })
      }
    }
    return { query: queryOf(asked), values, toFacts: (json) => toFacts(asked, JSON.parse(json) as unknown[][]) }
  }
}

function toFacts(asked: readonly Asked[], answers: readonly (readonly unknown[])[]): Facts {
  const facts: MutableFacts = {
    existing: new Map(),
    existingForRules: new Map(),
    given: new Map(),
    holders: new Map(),
    linkHolders: new Map(),
    siblings: new Map(),
    needing: new Map(),
    forbidden: [],
  }
  for (const [index, { kind, lookup }] of asked.entries()) kind.note(facts, lookup, answers[index] ?? [])
  return facts
}

/** Which of these ids are there? */
function idsIn(
  fact: 'existing' | 'existingForRules' | 'given',
  rowsIn: (context: QueryContext, resource: Resource, alias: string) => Source,
): QuestionKind<readonly [Resource, ReadonlySet<Id>]> {
  return {
    lookupsIn: (lookups) => lookups[fact],
    keyOf: ([resource]) => [resource],
    parametersOf: (context, [resource, ids]) => [idSqlOf(context, resource).encodeList([...ids])],
    toSql: (context, [resource], name) => idsAmong(context, resource, rowsIn(context, resource, 't'), name),
    note: (facts, [resource], answer) => facts[fact].set(resource, new Set(answer as Id[])),
  }
}

const forbidden: QuestionKind<GuardedRows<Id>> = {
  lookupsIn: ({ guarded }) => guarded,
  keyOf: ({ resource, action }) => [resource, action],
  parametersOf: (context, { resource, rows }) => [idSqlOf(context, resource).encodeList([...rows.keys()])],
  toSql: (context, { resource, action }, name) =>
    idsAmong(context, resource, forbiddenRows(context, resource, action), name),
  note: (facts, { rows }, answer) => facts.forbidden.push(...(answer as Id[]).map((id) => rows.get(id))),
}

function idsAmong(context: QueryContext, resource: Resource, rows: Source, name: string): Sql {
  const { jsonText, order } = idSqlOf(context, resource)
  const id = rowId(resource, 't')
  const from = sql`from ${amongIds(context, resource, slot(`${name}_0`), rows)}`
  return sql`(${jsonArrayQuery(jsonText(id), from, order(id))})`
}

const holders: QuestionKind<Lookups['holders'][number]> = {
  lookupsIn: (lookups) => lookups.holders,
  keyOf: ({ resource, key }) => [resource, key],
  parametersOf(context, { resource, key, values }) {
    const rows = values.map((one) => one.values)
    return [context.dialect.encodeRows(rows, rowsOf(context, resource, false, key.members))]
  },
  toSql(context, { resource, key }, name) {
    const { json, order } = idSqlOf(context, resource)
    const id = rowId(resource, 't')
    const same = key.members.map((member) => sql`${column('t', member.column)} = ${column('x', member.column)}`)
    const where = key.where.map(({ member, is }) => columnCondition(context, column('t', member.column), is))
    const item = jsonTuple([column('x', ROW_INDEX), json(id)])
    const table = rowsOf(context, resource, false, key.members)
    const given = sql`${context.dialect.rows(slot(`${name}_0`), table, 'numbered')} as ${sql.id('x')}`
    const isHolder = join([...same, ...where], sql` and `)
    const rows = context.dialect.joinRowByRow(given, storedRows(context, resource, 't'), isHolder)
    return sql`(${jsonArrayQuery(item, sql`from ${rows}`, order(id))})`
  },
  note: (facts, { key }, answer) => facts.holders.set(key, new Map(answer as [index: number, holder: Id][])),
}

const linkHolders: QuestionKind<readonly [Link, readonly Id[]]> = {
  lookupsIn: (lookups) => lookups.linkHolders,
  keyOf: ([link]) => [link],
  parametersOf: (context, [link, targets]) => [idSqlOf(context, link.target).encodeList(targets)],
  toSql(context, [link], name) {
    const ids = idSqlOf(context, link.target)
    const sources = idSqlOf(context, link.source)
    const [from, to] = [column('t', link.fromColumn), column('t', link.toColumn)]
    const rows = storedRows(context, link, 't').from(sql`${to} in (${ids.list(slot(`${name}_0`))})`)
    const item = jsonTuple([ids.json(to), sources.json(from)])
    return sql`(${jsonArrayQuery(item, rows, sources.order(from))})`
  },
  note(facts, [link], answer) {
    const serves = new Map<Id, Id[]>()
    for (const [to, from] of answer as [Id, Id][]) serves.set(to, [...(serves.get(to) ?? []), from])
    facts.linkHolders.set(link, serves)
  },
}

const siblings: QuestionKind<ElementsAsked> = {
  lookupsIn: (lookups) => lookups.siblings,
  keyOf: ({ array, isWhole }) => [array, isWhole],
  parametersOf: (context, { array: { source }, owners }) => [idSqlOf(context, source).encodeList(owners)],
  toSql: (context, asked, name) => elementsOf(context, asked, slot(`${name}_0`)),
  note(facts, { array }, answer) {
    const found = answer as [owner: Id, id: Id, number: number | null, isVisible: number, isDeleted: number][]
    const elements = found.map(([owner, id, number, isVisible, isDeleted]) => {
      return { owner, id, number, isVisible: isVisible === 1, isDeleted: isDeleted === 1 }
    })
    const byOwner = Map.groupBy(elements, ({ owner }) => owner)
    facts.siblings.set(array, new Map([...(facts.siblings.get(array) ?? []), ...byOwner]))
  },
}

/** The elements of the arrays of some owners, in their order, whoever may see them; deleted ones, too. */
function elementsOf(context: QueryContext, { array, isWhole }: ElementsAsked, owners: Sql): Sql {
  const { source, target } = array
  const isLink = array.kind === 'link'
  const owner = column('t', isLink ? array.fromColumn : array.inverse.column)
  const id = isLink ? column('t', array.toColumn) : rowId(target, 't')
  const number = column('t', isLink ? (array.order as string) : (array.order as Field).column)
  const ids = idSqlOf(context, target)
  const shown = visibleRows(context, target, 's').from(sql`${rowId(target, 's')} = ${id}`)
  const isHideable = isLink || mayHide(context.rights, target)
  const isVisible = isHideable ? sql`case when exists (select 1 ${shown}) then '1' else '0' end` : constant('1')
  const stamp = isLink ? undefined : target.softDelete
  const isDeleted = stamp && sql`case when ${column('t', stamp.column)} is null then '0' else '1' end`
  const text = sql`coalesce(cast(${number} as text), 'null')`
  const item = jsonTuple([
    idSqlOf(context, source).json(owner),
    ids.json(id),
    text,
    isVisible,
    isDeleted ?? constant('0'),
  ])
  const rows = heldRows(context, isLink ? array : target, 't')
  const from = rows.from(sql`${owner} in (${idSqlOf(context, source).list(owners)})`)
  const live = stamp === undefined ? number : sql`case when ${column('t', stamp.column)} is null then ${number} end`
  const lastOf = sql`max(${live}) over (partition by ${owner})`
  const asked = isWhole ? from : lastElements(number, lastOf, from)
  return sql`(${jsonArrayQuery(item, asked, sql`${number} nulls last, ${ids.orderAsCompared(id)}`)})`
}

/** Of elements, the last one with a number, and those without; all, if there is hardly room for others behind it. */
function lastElements(number: Sql, lastOf: Sql, from: Sql): Sql {
  const last = column('t', 'crud_last')
  const isLast = sql`${number} is null or ${number} >= ${last} or ${last} is null or ${last} > ${sql.lit(LAST_INTEGER / 2)}`
  return sql`from (select t.*, ${lastOf} as crud_last ${from}) as t where ${isLast}`
}

const needing: QuestionKind<
  readonly [Reference | Link, { readonly targets: readonly Id[]; readonly except: readonly Id[] }]
> = {
  lookupsIn: (lookups) => lookups.needing,
  keyOf: ([relation]) => [relation],
  parametersOf: (context, [{ target, source }, { targets, except }]) => [
    idSqlOf(context, target).encodeList(targets),
    idSqlOf(context, source).encodeList(except),
  ],
  toSql: (context, [relation], name) => howManyNeed(context, relation, name),
  note(facts, [relation], answer) {
    const found = answer as [target: Id, count: number, shown: number][]
    facts.needing.set(relation, new Map(found.map(([id, count, shown]) => [id, { count, shown }])))
  },
}

/** In the order of their answers. */
const KINDS: readonly QuestionKind<unknown>[] = [
  idsIn('existing', visibleRows),
  idsIn('existingForRules', storedRows),
  idsIn('given', tableRows),
  holders,
  linkHolders,
  siblings,
  forbidden,
  needing,
]

function howManyNeed(context: QueryContext, relation: Reference | Link, name: string): Sql {
  const ids = idSqlOf(context, relation.target)
  const sources = idSqlOf(context, relation.source)
  const isLink = relation.kind === 'link'
  // Of a record that goes for good, the database counts what is deleted and kept, too.
  const counting = relation.target.softDelete === undefined ? ofHeld(context) : context
  const naming = storedRows(counting, isLink ? relation : relation.source, 't')
  const target = column('x', 'id')
  const isTarget = ids.equalsInFewRows(column('t', isLink ? relation.toColumn : relation.column), target)
  const asked = sql`(${ids.list(slot(`${name}_0`))}) as ${sql.id('x')}`
  const rows = context.dialect.joinRowByRow(asked, naming, isTarget)
  const source = isLink ? column('t', relation.fromColumn) : rowId(relation.source, 't')
  const mayBeUnseen = mayHide(context.rights, relation.source) || (counting !== context && isKept(relation.source))
  const shown = mayBeUnseen ? countVisible(context, relation.source, source) : sql`count(*)`
  const counted = sql`select ${target}, count(*) as ${sql.id('needs')}, ${shown} as ${sql.id('shown')} from ${rows} where ${source} not in (${sources.list(slot(`${name}_1`))}) group by ${target}`
  const id = column('n', 'id')
  const item = jsonTuple([ids.json(id), column('n', 'needs'), column('n', 'shown')])
  return sql`(${jsonArrayQuery(item, sql`from (${counted}) as ${sql.id('n')}`, ids.order(id))})`
}

/** Whether rows of deleted records are kept. */
function isKept({ softDelete }: Resource): boolean {
  return softDelete !== undefined
}

/** How many of the rows have an id of a record that the caller may see. */
function countVisible(context: QueryContext, resource: Resource, id: Sql): Sql {
  const hasId = sql`${rowId(resource, 's')} = ${id}`
  return sql`sum(case when exists (select 1 ${visibleRows(context, resource, 's').from(hasId)}) then 1 else 0 end)`
}
