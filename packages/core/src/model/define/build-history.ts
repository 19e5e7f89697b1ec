import { type ModelProblem, withArticle } from '../../errors.ts'
import { isObject } from '../is-object.ts'
import type { Resource } from '../model.ts'
import { whyUnwritten } from '../operations.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

const HOUR = 60 * 60 * 1_000
const UNITS: Readonly<Record<string, number>> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR }

/** Says of a resource whether a history of its records is kept, and for how long. */
export function buildHistory(draft: ResourceDraft): void {
  const declared = buildingOf(draft).descriptor.history
  if (declared === undefined) return
  draft.history = Object.freeze({ within: declared === true ? undefined : milliseconds(declared.within) })
}

/** What is wrong with the form of `history`; undefined: nothing. */
export function problemOfHistory(declared: unknown): string | undefined {
  if (declared === true) return undefined
  const isAlone = isObject(declared) && Object.keys(declared).every((name) => name === 'within')
  return isAlone && milliseconds(declared.within) !== undefined
    ? undefined
    : "must be true, or say how long it is kept: { within: '90 days' }, in hours, days or weeks"
}

function milliseconds(text: unknown): number | undefined {
  const [, count, unit = ''] = (typeof text === 'string' && /^([1-9]\d{0,5}) (hour|day|week)s?$/.exec(text)) || []
  return count === undefined ? undefined : Number(count) * (UNITS[unit] as number)
}

/** Refuses `history` where no write would be kept, and where a part of a tree would have one of its own. */
export function checkHistory(draft: ResourceDraft, problems: ModelProblem[]): void {
  const { key, history, ownedBy, isWritable } = draft
  if (history === undefined) return
  const refuse = (message: string) => problems.push({ place: `${key}.history`, message })
  const [owner] = ownedBy.filter(({ target }) => target !== (draft as Resource))
  if (owner !== undefined) {
    refuse(`${owner.target.key} owns ${key}: say history there, and it has the writes of what it owns, too`)
  }
  if (!isWritable) refuse(`has no effect: no request writes ${withArticle(key)}, which has ${whyUnwritten(draft)}`)
}
