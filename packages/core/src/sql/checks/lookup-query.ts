import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Reference, Resource, UniqueKey } from '../../model/model.ts'
import type { GuardedRows } from '../../planning/decide/guarded-rows.ts'
import type { Facts, Lookups, Needing } from '../../planning/decide/lookups.ts'
import type { QueryContext } from '../context.ts'
import { jsonTuple } from '../reads/json-text.ts'
import { idSqlOf } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { answerTo, type LookupQuestion, rowsOfKey } from './lookup-question.ts'

/** One query for everything that a write has to know of other records. */
export interface LookupQuery {
  readonly query: Prepared
  readonly values: Readonly<Record<string, string>>
  /** Reads the answer, the JSON text in the column `json`. */
  toFacts(json: string): Facts
}

/** A question with the parameters of its answer, and what the answer means. */
interface Asked {
  readonly question: LookupQuestion
  readonly parameters: readonly string[]
  note(answer: readonly unknown[], facts: MutableFacts): void
}

type MutableFacts = {
  existing: Map<Resource, Set<Id>>
  existingForRules: Map<Resource, Set<Id>>
  given: Map<Resource, Set<Id>>
  holders: Map<UniqueKey, Map<number, Id>>
  linkHolders: Map<Link, Map<Id, Id[]>>
  needing: Map<Reference | Link, Map<Id, Needing>>
  forbidden: (string | undefined)[]
}

export function lookupQueries(context: QueryContext, statements: StatementCache): (lookups: Lookups) => LookupQuery {
  const queryOf = statements.each((context, questions: readonly LookupQuestion[]) => {
    const answers = questions.map((question, index) => answerTo(context, question, `q${index}`))
    return prepare(context.db, sql`select ${jsonTuple(answers)} as json`)
  })
  return (lookups) => {
    const asked = [
      ...[...lookups.existing].map(([resource, ids]) => whichExist(context, 'existing', resource, ids)),
      ...[...lookups.existingForRules].map(([resource, ids]) => whichExist(context, 'existingForRules', resource, ids)),
      ...[...lookups.given].map(([resource, ids]) => whichExist(context, 'given', resource, ids)),
      ...lookups.holders.map((one) => whoHolds(context, one)),
      ...[...lookups.linkHolders].map(([link, targets]) => whomTheyServe(context, link, targets)),
      ...lookups.guarded.map((one) => whichAreForbidden(context, one)),
      ...[...lookups.needing].map(([relation, { targets, except }]) => howManyNeed(context, relation, targets, except)),
    ]
    const values: Record<string, string> = {}
    for (const [index, { parameters }] of asked.entries()) {
      for (const [number, parameter] of parameters.entries()) values[`q${index}_${number}`] = parameter
    }
    return {
      query: queryOf(asked.map(({ question }) => question)),
      values,
      toFacts: (json) => toFacts(asked, JSON.parse(json) as unknown[][]),
    }
  }
}

function toFacts(asked: readonly Asked[], answers: readonly (readonly unknown[])[]): Facts {
  const facts: MutableFacts = {
    existing: new Map(),
    existingForRules: new Map(),
    given: new Map(),
    holders: new Map(),
    linkHolders: new Map(),
    needing: new Map(),
    forbidden: [],
  }
  for (const [index, one] of asked.entries()) one.note(answers[index] ?? [], facts)
  return facts
}

function whichExist(
  context: QueryContext,
  fact: 'existing' | 'existingForRules' | 'given',
  resource: Resource,
  ids: ReadonlySet<Id>,
): Asked {
  return {
    question: [fact, resource],
    parameters: [idSqlOf(context, resource).encodeList([...ids])],
    note: (answer, facts) => facts[fact].set(resource, new Set(answer as Id[])),
  }
}

function whoHolds(context: QueryContext, { resource, key, values }: Lookups['holders'][number]): Asked {
  const rows = values.map((one) => one.values)
  return {
    question: ['holders', resource, key],
    parameters: [context.dialect.encodeRows(rows, rowsOfKey(context, resource, key))],
    note(answer, facts) {
      facts.holders.set(key, new Map(answer as [index: number, holder: Id][]))
    },
  }
}

function whomTheyServe(context: QueryContext, link: Link, targets: readonly Id[]): Asked {
  return {
    question: ['linkHolders', link],
    parameters: [idSqlOf(context, link.target).encodeList(targets)],
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
): Asked {
  const { encodeList } = idSqlOf(context, relation.target)
  return {
    question: ['needing', relation],
    parameters: [encodeList(targets), idSqlOf(context, relation.source).encodeList(except)],
    note(answer, facts) {
      const found = answer as [target: Id, count: number, shown: number][]
      facts.needing.set(relation, new Map(found.map(([id, count, shown]) => [id, { count, shown }])))
    },
  }
}

function whichAreForbidden(context: QueryContext, { resource, action, rows }: GuardedRows<Id>): Asked {
  return {
    question: ['forbidden', resource, action],
    parameters: [idSqlOf(context, resource).encodeList([...rows.keys()])],
    note: (answer, facts) => facts.forbidden.push(...(answer as Id[]).map((id) => rows.get(id))),
  }
}
