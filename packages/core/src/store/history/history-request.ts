import type { RecordRequest } from '../../asking/record-query.ts'
import type { HistoryFilter, HistoryMoments, HistoryOptions } from '../../effects-form.ts'
import { CrudError, invalid, type Problem, shortened } from '../../errors.ts'
import type { HistoryRow } from '../../history/history-row.ts'
import { didYouMean } from '../../model/check/names.ts'
import { DEFAULT_LIMITS } from '../../model/descriptors/default-limits.ts'
import { isObject } from '../../model/is-object.ts'
import { sameValue } from '../../planning/diff/changes.ts'

/** What is asked of a record's history, checked. */
export interface HistoryRequest {
  readonly limit: number
  /** Only writes before this position. */
  readonly before: number
  readonly filter: HistoryFilter
}

const MOST = 100

/** Throws a {@link CrudError} that lists all that is wrong with the options. */
export function readHistoryRequest(options: HistoryOptions = {}): HistoryRequest {
  const { limit = DEFAULT_LIMITS.defaultPage, after, filter = {} } = options
  const problems: Problem[] = unknownNames(options, ['limit', 'after', 'filter'], '')
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MOST) {
    problems.push({ parameter: 'limit', message: `must be an integer from 1 to ${MOST}`, keyword: 'range' })
  }
  const before = after === undefined ? Number.MAX_SAFE_INTEGER : Number(after)
  if (after !== undefined && !/^[1-9][0-9]{0,15}$/.test(String(after))) {
    problems.push({ parameter: 'after', message: "must be the 'next' of a page before", keyword: 'cursor' })
  }
  problems.push(...problemsOfFilter(filter))
  if (problems.length > 0) throw new CrudError(invalid(problems))
  return { limit, before, filter }
}

const MOMENTS = ['gte', 'gt', 'lte', 'lt'] as const

function problemsOfFilter(filter: unknown): readonly Problem[] {
  if (!isObject(filter)) return [{ parameter: 'filter', message: 'must be an object', keyword: 'type' }]
  const problems = unknownNames(filter, ['operation', 'by', 'at'], 'filter')
  const { operation, at } = filter as HistoryFilter
  const names: readonly unknown[] = Array.isArray(operation) ? operation : [operation ?? '']
  if (names.some((name) => typeof name !== 'string')) {
    problems.push({ parameter: 'filter[operation]', message: 'must be a name, or an array of names', keyword: 'type' })
  }
  if (at === undefined) return problems
  if (!isObject(at)) {
    return [...problems, { parameter: 'filter[at]', message: 'must have gte, gt, lte or lt', keyword: 'type' }]
  }
  problems.push(...unknownNames(at, MOMENTS, 'filter[at]'))
  for (const name of MOMENTS) {
    const moment = (at as HistoryMoments)[name]
    if (moment === undefined || isMoment(moment)) continue
    problems.push({
      parameter: `filter[at][${name}]`,
      message: MOMENT,
      keyword: 'format',
      params: { format: 'date-time' },
    })
  }
  return problems
}

/** A point in time as RFC 3339 has it. */
const MOMENT = "must be a date-time, such as '2026-11-25T10:00:00Z'"

/** What is asked of a record as it was. It is shown whole. */
export interface RequestThen extends RecordRequest {
  readonly at: unknown
}

/** The moment, in milliseconds since 1970. Throws a {@link CrudError} that lists all that is wrong with the request. */
export function readMoment({ at, fields, include, nested }: RequestThen): number {
  const chosen = Object.entries({ fields, include, nested }).filter(([, value]) => value !== undefined)
  const problems = chosen.map(([parameter]): Problem => {
    const message = `${parameter}: cannot be combined with at: a record as it was is shown whole`
    return { parameter, message, keyword: 'at' }
  })
  if (problems.length === 0 && isMoment(at)) return Date.parse(at)
  if (!isMoment(at)) {
    problems.push({ parameter: 'at', message: `at: ${MOMENT}`, keyword: 'format', params: { format: 'date-time' } })
  }
  throw new CrudError(invalid(problems))
}

function isMoment(value: unknown): value is string {
  const isText =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(value)
  return isText && !Number.isNaN(Date.parse(value))
}

function unknownNames(of: object, known: readonly string[], within: string): Problem[] {
  return Object.keys(of).flatMap((name) => {
    if (known.includes(name)) return []
    const parameter = within === '' ? shortened(name) : `${within}[${shortened(name)}]`
    const message = `is not known${didYouMean(name, known)}`
    return [{ parameter, message, keyword: 'additionalProperties', params: { additionalProperty: name } }]
  })
}

/** Whether the request asks for a write. */
export function isAsked({ filter: { operation, by, at } }: HistoryRequest, row: HistoryRow): boolean {
  if (operation !== undefined && ![operation].flat().includes(row.operation)) return false
  if (by !== undefined && !sameValue(by, row.by)) return false
  return at === undefined || isBetween(Date.parse(row.at), at)
}

function isBetween(time: number, { gte, gt, lte, lt }: HistoryMoments): boolean {
  const is = (moment: string | undefined, holds: (other: number) => boolean) =>
    moment === undefined || holds(Date.parse(moment))
  return (
    is(gte, (other) => time >= other) &&
    is(gt, (other) => time > other) &&
    is(lte, (other) => time <= other) &&
    is(lt, (other) => time < other)
  )
}
