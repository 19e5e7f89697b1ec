import { isDeepStrictEqual } from 'node:util'
import { GONE_AT } from '../../../../test/support/test-soft-delete.ts'
import type { IdMap, SideId } from './id-map.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'
import type { Answer, Refusal } from './reference-answer.ts'
import type { RefModel, RefResource } from './reference-model.ts'
import type { SideAnswer } from './side.ts'
import { spelledOn } from './spelled-on.ts'
import { checkOrder, pairIds, toReference } from './translate.ts'

/** @throws Error that says in what a database's answer is not the documented one. Learns the ids of new records. */
export function compareAnswer(model: RefModel, expected: Answer, actual: SideAnswer, ids: IdMap): void {
  if (actual.status !== expected.status) {
    const code = 'code' in expected ? ` ${expected.code}` : ''
    throw new Error(`expected ${expected.status}${code}${pointersIn(expected)}`)
  }
  if ('code' in expected) compareProblem(expected, actual)
  else if ('value' in expected) compareValue(expected.value, actual.body ?? null)
  else if ('body' in expected) compareBody(model, expected, actual.body ?? null, ids)
  else if (actual.body !== undefined) throw new Error('expected no body')
  else if (actual.status !== 204 && actual.headers['preference-applied'] !== 'return=minimal') {
    throw new Error('expected Preference-Applied: return=minimal')
  }
}

function compareValue(expected: Json, actual: Json): void {
  if (!isDeepStrictEqual(expected, actual)) throw new Error(`expected ${JSON.stringify(expected)}`)
}

function pointersIn(expected: Answer): string {
  return 'pointers' in expected && expected.pointers !== undefined ? ` at ${[...expected.pointers].join(', ')}` : ''
}

function compareProblem(expected: Refusal, actual: SideAnswer): void {
  const { code, status, pointers, others: possible = new Set() } = expected
  const problem: Json = actual.body ?? null
  if (!isObject(problem)) throw new Error('expected a problem')
  const type = `urn:fastify-crud:${code.slice('CRUD_ERR_'.length).toLowerCase().replaceAll('_', '-')}`
  const isProblem = String(actual.headers['content-type']).startsWith('application/problem+json')
  if (!isProblem) throw new Error(`expected application/problem+json, not ${actual.headers['content-type']}`)
  if (problem.code !== code) throw new Error(`expected ${code}${pointersIn(expected)}`)
  if (problem.type !== type || problem.status !== status) throw new Error(`expected the type ${type}`)
  if (typeof problem.title !== 'string' || typeof problem.detail !== 'string') throw new Error('no title or detail')
  if (status === 405 && !String(actual.headers.allow).includes('GET')) throw new Error('expected an Allow header')
  if (expected.needing !== undefined) compareNeeding(expected.needing, problem)
  if (pointers === undefined) return
  const named = pointersOf(problem)
  const isOf = (pointer: string, place: string): boolean => pointer === place || pointer.startsWith(`${place}/`)
  const unnamed = [...pointers].filter((place) => !named.some((pointer) => isOf(pointer, place)))
  const places = [...pointers, ...possible]
  const others = named.filter((pointer) => !places.some((place) => isOf(pointer, place)))
  if (unnamed.length > 0) throw new Error(`expected a problem at ${unnamed.join(', ')}`)
  if (others.length > 0) throw new Error(`expected no problem at ${others.join(', ')}`)
}

/** An error counts and names only what the caller sees. */
function compareNeeding(needing: number, problem: JsonObject): void {
  const { detail } = problem
  const counts = [...String(detail).matchAll(/ is still needed by (\d+) /g)].map(([, count]) => Number(count))
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum > needing) throw new Error(`expected ${needing} needing records at most, not ${sum}`)
  const isSilent = detail === 'it is still needed' && pointersOf(problem).length === 0
  if (needing === 0 && !isSilent) throw new Error('expected that nothing is named')
}

function pointersOf(problem: JsonObject): string[] {
  const errors = own(problem, 'errors')
  return (Array.isArray(errors) ? errors : []).map((error) => (isObject(error) ? String(error.pointer) : 'no object'))
}

function compareBody(model: RefModel, expected: Extract<Answer, { body: JsonObject }>, actual: Json, ids: IdMap): void {
  const { resource, isList, body, moments } = expected
  if (!isList) {
    compareRecord(model, resource, body, moments === undefined ? actual : withoutMoment(actual).record, ids)
    return
  }
  const rows = isObject(actual) ? own(actual, 'rows') : undefined
  const wanted = own(body, 'rows')
  if (!isObject(actual) || !Array.isArray(rows) || !Array.isArray(wanted)) throw new Error('expected a list')
  if (actual.count !== body.count) throw new Error(`expected the count ${body.count}`)
  if (rows.length !== wanted.length) throw new Error(`expected ${wanted.length} rows`)
  // What a cursor looks like is the service's own affair.
  const names = Object.keys(body)
  if (!isDeepStrictEqual(Object.keys(actual), names)) throw new Error(`expected nothing but ${names}`)
  if (moments !== undefined) {
    compareDeleted(model, expected, moments, rows, ids)
    return
  }
  const inOrder = resource.isTop && expected.isInOrder !== true ? likeReference(resource, rows, ids) : rows
  for (const [index, row] of wanted.entries()) compareRecord(model, resource, row, inOrder[index] ?? null, ids)
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z$/

/** A deleted record shows when it was deleted. */
function withoutMoment(record: Json): { readonly record: Json; readonly moment: string } {
  const { [GONE_AT]: moment, ...others } = isObject(record) ? record : {}
  if (typeof moment !== 'string' || !MOMENT.test(moment)) throw new Error(`expected a moment as ${GONE_AT}`)
  return { record: others, moment }
}

/** What was deleted by one write has one moment, that of another write another one. */
function compareDeleted(
  model: RefModel,
  { resource, body }: Extract<Answer, { body: JsonObject }>,
  moments: readonly number[],
  rows: readonly Json[],
  ids: IdMap,
): void {
  const all = rows.map(withoutMoment)
  const texts = new Map(moments.map((moment, index) => [moment, all[index]?.moment]))
  if (!all.every(({ moment }, index) => texts.get(moments[index] ?? 0) === moment)) {
    throw new Error('expected one moment for the records that one write has deleted')
  }
  if (new Set(texts.values()).size < texts.size) throw new Error('expected another moment for each write')
  const byWrite = Map.groupBy(all, ({ moment }) => moment)
  const inOrder = [...byWrite.values()].flatMap((some) => {
    return likeReference(
      resource,
      some.map(({ record }) => record),
      ids,
    )
  })
  const wanted = body.rows
  if (!Array.isArray(wanted)) throw new Error('expected a list')
  for (const [index, row] of wanted.entries()) compareRecord(model, resource, row, inOrder[index] ?? null, ids)
}

/** Records of several owners that one request has made may have their ids in another order than those of the reference. */
function likeReference({ key }: RefResource, rows: readonly Json[], ids: IdMap): readonly Json[] {
  const numbers = new Map(rows.map((row) => [row, isObject(row) && ids.toReference(key, row.id as SideId)]))
  if ([...numbers.values()].some((number) => typeof number !== 'number')) return rows
  return [...rows].sort((a, b) => Number(numbers.get(a)) - Number(numbers.get(b)))
}

export function compareRecord(model: RefModel, resource: RefResource, expected: Json, actual: Json, ids: IdMap): void {
  checkOrder(model, resource, actual)
  pairIds(model, resource, expected, actual, ids)
  const translated = toReference(model, resource, actual, ids)
  const spelled = spelledOn(ids.database, JSON.parse(JSON.stringify(expected)))
  if (isDeepStrictEqual(translated, spelled)) return
  throw new Error(
    `expected, with the reference's ids, ${JSON.stringify(spelled)}\n      but was ${JSON.stringify(translated)}`,
  )
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** A refusal as both databases must give it: ids, which may differ, are left out. */
export function comparable(answer: SideAnswer): string {
  return answer.status < 400
    ? String(answer.status)
    : JSON.stringify(answer.body).replaceAll(UUID, '#').replaceAll(/\d+/g, '#')
}
