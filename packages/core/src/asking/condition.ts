import type { Relation, Resource } from '../model/model.ts'
import { dependsOnType, type GroupValue, type Operand } from './operand.ts'

/** Which records a filter matches. A condition is true or false of each record, never unknown. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly Condition[] }
  | Union
  | { readonly kind: 'not'; readonly condition: Condition }
  /** At least one record at the other end of the relation matches. */
  | { readonly kind: 'some'; readonly relation: Relation; readonly condition: Condition }
  | Comparison

/** Like `any`, of records of the resource. The database looks up the records of each condition by itself, by an index
 * where there is one. */
export interface Union {
  readonly kind: 'union'
  readonly resource: Resource
  readonly conditions: readonly Condition[]
}

/** Compares a value of the record. A null never matches, and a value of another type neither. */
export interface Comparison {
  readonly kind: 'compare'
  readonly operand: Operand
  readonly comparator: Comparator
  /** What it is compared with: none for `present`, a list for `in`, the two ends of a range for `startsWith`. */
  readonly value: unknown
}

/** The comparisons that a database makes. All operators of the grammar are one of these, or its opposite. */
export type Comparator =
  | 'eq'
  | 'in'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'contains'
  /** From the first text on, and before the second. */
  | 'startsWith'
  | 'endsWith'
  | 'icontains'
  /** The same, in a form that an index of trigrams serves. */
  | 'occurs'
  | 'istartsWith'
  | 'iendsWith'
  /** Has an element: of an array of scalars. */
  | 'has'
  /** Is not null. */
  | 'present'

export const EVERYTHING: Condition = { kind: 'all', conditions: [] }

export function not(condition: Condition): Condition {
  return { kind: 'not', condition }
}

/** A record that is found along a path matches. */
export function along(relations: readonly Relation[], condition: Condition): Condition {
  return relations.reduceRight<Condition>(
    (inner, relation) => ({ kind: 'some', relation, condition: inner }),
    condition,
  )
}

/** Whether a condition says nothing, so that all records match: `{}`, and what is made of it. */
export function matchesAll(condition: Condition): boolean {
  if (condition.kind === 'all') return condition.conditions.every(matchesAll)
  return condition.kind === 'any' && condition.conditions.some(matchesAll)
}

/** The unions that each record is in that matches, in their order. */
export function unionsIn(condition: Condition): readonly Union[] {
  if (condition.kind === 'union') return [condition]
  return condition.kind === 'all' ? condition.conditions.flatMap(unionsIn) : []
}

/** The comparisons of a condition, in their order. */
export function comparisonsIn(condition: Condition, found: Comparison[] = []): Comparison[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
    case 'union':
      for (const one of condition.conditions) comparisonsIn(one, found)
      break
    case 'not':
    case 'some':
      comparisonsIn(condition.condition, found)
      break
    case 'compare':
      found.push(condition)
  }
  return found
}

/** Whether the case of letters does not count somewhere in it. */
export function foldsCaseIn(condition: Condition): boolean {
  return comparisonsIn(condition).some(({ comparator }) => FOLDING.includes(comparator))
}

const FOLDING: readonly Comparator[] = ['icontains', 'occurs', 'istartsWith', 'iendsWith']

/** Whether SQL for it depends on the types of columns. */
export function comparesByType(condition: Condition): boolean {
  return comparisonsIn(condition).some(({ operand, comparator }) => comparator === 'has' || dependsOnType(operand))
}

/** Two conditions have one shape if they differ only in the values that they compare with. */
export function shapeOf(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
    case 'any':
    case 'union':
      return `${condition.kind}(${condition.conditions.map(shapeOf).join(' ')})`
    case 'not':
      return `not(${shapeOf(condition.condition)})`
    case 'some':
      return `some(${condition.relation.name} ${shapeOf(condition.condition)})`
    case 'compare':
      return `${condition.comparator}(${operandShape(condition.operand)})`
  }
}

/** A condition with its values. Parts that may have any order have one. An index makes no difference. */
export function textOf(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
      return `all(${partsInText(condition).map(textOf).sort().join(' ')})`
    case 'any':
    case 'union':
      return `any(${condition.conditions.map(textOf).sort().join(' ')})`
    case 'not':
      return `not(${textOf(condition.condition)})`
    case 'some':
      return `some(${condition.relation.name} ${textOf(condition.condition)})`
    case 'compare':
      return `${shapeOf(withoutIndex(condition))}${JSON.stringify(condition.value)}`
  }
}

/** The parts of an `all`, nested ones too. A union or an `any` of one part counts as this part: a search has the same
 * text with and without an index. */
function partsInText(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case 'all':
      return condition.conditions.flatMap(partsInText)
    case 'any':
    case 'union':
      return condition.conditions.length === 1 ? partsInText(condition.conditions[0] as Condition) : [condition]
    default:
      return [condition]
  }
}

function withoutIndex(comparison: Comparison): Comparison {
  return comparison.comparator === 'occurs' ? { ...comparison, comparator: 'icontains' } : comparison
}

export function operandShape(operand: Operand): string {
  switch (operand.kind) {
    case 'id':
      return 'id'
    case 'member':
      return JSON.stringify(operand.member.property)
    case 'json':
      return JSON.stringify([operand.field.name, ...operand.keys])
    case 'aggregate':
      return aggregateShape(operand.aggregate)
  }
}

export function aggregateShape({ word, relations, operand }: GroupValue): string {
  return `${word}(${operand === undefined ? '' : pathShape(relations, operand)})`
}

/** Of a value at the end of a path. */
export function pathShape(relations: readonly Relation[], operand: Operand): string {
  return `${relations.map(({ name }) => `${name}.`).join('')}${operandShape(operand)}`
}

/** What the database says of how it compares. */
export interface Comparing {
  /** Whether the database knows the lower case of all letters; else of ASCII only. */
  readonly foldsAll: boolean
  /** Whether sessions print moments as ISO 8601 does. */
  readonly printsIso: boolean
  /** Whether the texts of the list's records have an index that finds parts of them. On PostgreSQL, the statement is
   * the same without it. */
  readonly findsParts: boolean
}

/** For what compares neither letters without their case nor moments. */
export const ASCII_ONLY: Comparing = { foldsAll: false, printsIso: true, findsParts: false }
