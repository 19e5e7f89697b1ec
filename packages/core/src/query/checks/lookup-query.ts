import { sql } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { Link, Reference, Resource, UniqueKey } from '../../model/model.ts'
import type { GuardedRows } from '../../plan/decide/guarded-rows.ts'
import type { Facts, Lookups, Needing } from '../../plan/decide/lookups.ts'
import { mayHide } from '../../policies/rights.ts'
import type { QueryContext } from '../context.ts'
import { jsonArrayQuery, jsonTuple } from '../reads/json-text.ts'
import { amongIds } from '../rows/among-ids.ts'
import { forbiddenRows, shownRows } from '../rows/shown-rows.ts'
import { rowsOf } from '../steps/step-shape.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import type { Once } from '../text/once.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'

/** One question of a lookup: the SQL that answers it with a JSON array, its parameters, and what the answer means. */
interface Question {
  /** Equal questions differ only in their parameters. */
  readonly name: string
  answer(slotName: string): Sql
  readonly parameters: readonly string[]
  note(answer: readonly unknown[], facts: MutableFacts): void
}

type MutableFacts = {
  existing: Map<Resource, Set<Id>>
  existingForRules: Map<Resource, Set<Id>>
  holders: Map<UniqueKey, Map<number, Id>>
  linkHolders: Map<Link, Map<Id, Id[]>>
  needing: Map<Reference | Link, Map<Id, Needing>>
  forbidden: (string | undefined)[]
}

/** One query for everything that a write has to know of other records. */
export interface LookupQuery {
  readonly query: Prepared
  readonly values: Readonly<Record<string, string>>
  /** Reads the answer, the JSON text in the column `json`. */
  toFacts(json: string): Facts
}

export function lookupQuery(context: QueryContext, lookups: Lookups, once: Once): LookupQuery {
  const questions = [
    ...[...lookups.existing].map(([resource, ids]) => whichExist(context, 'existing', resource, ids)),
    ...[...lookups.existingForRules].map(([resource, ids]) => whichExist(context, 'existingForRules', resource, ids)),
    ...lookups.holders.map((one) => whoHolds(context, one)),
    ...[...lookups.linkHolders].map(([link, targets]) => whomTheyServe(context, link, targets)),
    ...lookups.guarded.map((one) => whichAreForbidden(context, one)),
    ...[...lookups.needing].map(([relation, { targets, except }]) => howManyNeed(context, relation, targets, except)),
  ]
  const name = questions.map((question) => question.name).join(' ')
  const query = once(name, () => {
    const answers = questions.map((question, index) => question.answer(`q${index}`))
    return prepare(context.db, sql`select ${jsonTuple(answers)} as json`)
  })
  const values: Record<string, string> = {}
  for (const [index, { parameters }] of questions.entries()) {
    for (const [number, parameter] of parameters.entries()) values[`q${index}_${number}`] = parameter
  }
  return {
    query,
    values,
    toFacts(json) {
      const facts: MutableFacts = {
        existing: new Map(),
        existingForRules: new Map(),
        holders: new Map(),
        linkHolders: new Map(),
        needing: new Map(),
        forbidden: [],
      }
      const answers = JSON.parse(json) as unknown[][]
      for (const [index, question] of questions.entries()) question.note(answers[index] ?? [], facts)
      return facts
    },
  }
}

function whichExist(
  context: QueryContext,
  fact: 'existing' | 'existingForRules',
  resource: Resource,
  ids: ReadonlySet<Id>,
): Question {
  const { encodeList, jsonText, order } = idSqlOf(context, resource)
  const rowsIn = fact === 'existing' ? shownRows : storedRows
  return {
    name: `${fact}:${resource.key}`,
    answer(name) {
      const id = column('t', resource.idColumn)
      const from = sql`from ${amongIds(context, resource, slot(`${name}_0`), rowsIn(context, resource, 't'))}`
      return sql`(${jsonArrayQuery(jsonText(id), from, order(id))})`
    },
    parameters: [encodeList([...ids])],
    note: (answer, facts) => facts[fact].set(resource, new Set(answer as Id[])),
  }
}

function whoHolds(context: QueryContext, { resource, key, values }: Lookups['holders'][number]): Question {
  const { dialect } = context
  const { json, order, fromIndex, toIndex } = idSqlOf(context, resource)
  // The rows have the column types of the table. So the index of the values travels in the id column, as an id.
  const rows = rowsOf(context, resource, true, key.members)
  return {
    name: `holds:${resource.key}:${resource.uniques.indexOf(key)}`,
    answer(name) {
      const id = column('t', resource.idColumn)
      const same = join(
        key.members.map((member) => sql`${column('t', member.column)} = ${column('x', member.column)}`),
        sql` and `,
      )
      const item = jsonTuple([json(column('x', resource.idColumn)), json(id)])
      const from = sql`from ${dialect.rows(slot(`${name}_0`), rows, 'joined')} as ${sql.id('x')} join ${storedRows(context, resource, 't').joinedOn(same)}`
      return sql`(${jsonArrayQuery(item, from, order(id))})`
    },
    parameters: [
      dialect.encodeRows(
        values.map((one, index) => [fromIndex(index), ...one.values]),
        rows,
      ),
    ],
    note(answer, facts) {
      const found = answer as [index: Id, holder: Id][]
      facts.holders.set(key, new Map(found.map(([index, holder]) => [toIndex(index), holder])))
    },
  }
}

function whomTheyServe(context: QueryContext, link: Link, targets: readonly Id[]): Question {
  const ids = idSqlOf(context, link.target)
  const sources = idSqlOf(context, link.source)
  return {
    name: `serves:${link.source.key}.${link.name}`,
    answer(name) {
      const [from, to] = [column('t', link.fromColumn), column('t', link.toColumn)]
      const rows = storedRows(context, link, 't').from(sql`${to} in (${ids.list(slot(`${name}_0`))})`)
      const item = jsonTuple([ids.json(to), sources.json(from)])
      return sql`(${jsonArrayQuery(item, rows, sources.order(from))})`
    },
    parameters: [ids.encodeList(targets)],
    note(answer, facts) {
      const serves = new Map<Id, Id[]>()
      for (const [to, from] of answer as [Id, Id][]) serves.set(to, [...(serves.get(to) ?? []), from])
      facts.linkHolders.set(link, serves)
    },
  }
}

function howManyNeed(
  context: QueryContext,
  relation: Reference | Link,
  targets: readonly Id[],
  except: readonly Id[],
): Question {
  const { dialect } = context
  const ids = idSqlOf(context, relation.target)
  const sources = idSqlOf(context, relation.source)
  const isLink = relation.kind === 'link'
  return {
    name: `needs:${relation.source.key}.${relation.name}`,
    answer(name) {
      const naming = storedRows(context, isLink ? relation : relation.source, 't')
      const target = column('x', 'id')
      const isTarget = ids.equalsInFewRows(column('t', isLink ? relation.toColumn : relation.column), target)
      const asked = sql`(${ids.list(slot(`${name}_0`))}) as ${sql.id('x')}`
      const rows = dialect.joinRowByRow(asked, naming, isTarget)
      const source = column('t', isLink ? relation.fromColumn : relation.source.idColumn)
      const shown = mayHide(context.rights, relation.source)
        ? countShown(context, relation.source, source)
        : sql`count(*)`
      const counted = sql`select ${target}, count(*) as ${sql.id('needs')}, ${shown} as ${sql.id('shown')} from ${rows} where ${source} not in (${sources.list(slot(`${name}_1`))}) group by ${target}`
      const id = column('n', 'id')
      const item = jsonTuple([ids.json(id), column('n', 'needs'), column('n', 'shown')])
      return sql`(${jsonArrayQuery(item, sql`from (${counted}) as ${sql.id('n')}`, ids.order(id))})`
    },
    parameters: [ids.encodeList(targets), sources.encodeList(except)],
    note(answer, facts) {
      const found = answer as [target: Id, count: number, shown: number][]
      facts.needing.set(relation, new Map(found.map(([id, count, shown]) => [id, { count, shown }])))
    },
  }
}

/** How many of the rows have an id of a record that the caller may see. */
function countShown(context: QueryContext, resource: Resource, id: Sql): Sql {
  const hasId = sql`${column('s', resource.idColumn)} = ${id}`
  return sql`sum(case when exists (select 1 ${shownRows(context, resource, 's').from(hasId)}) then 1 else 0 end)`
}

function whichAreForbidden(context: QueryContext, { resource, action, rows }: GuardedRows<Id>): Question {
  const { encodeList, jsonText, order } = idSqlOf(context, resource)
  return {
    name: `forbids:${action}:${resource.key}`,
    answer(name) {
      const id = column('t', resource.idColumn)
      const from = sql`from ${amongIds(context, resource, slot(`${name}_0`), forbiddenRows(context, resource, action))}`
      return sql`(${jsonArrayQuery(jsonText(id), from, order(id))})`
    },
    parameters: [encodeList([...rows.keys()])],
    note: (answer, facts) => facts.forbidden.push(...(answer as Id[]).map((id) => rows.get(id))),
  }
}
