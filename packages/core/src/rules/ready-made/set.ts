import { unknownEntries } from '../../model/check/entries.ts'
import { didYouMean } from '../../model/check/names.ts'
import { isObject } from '../../model/is-object.ts'
import type { Resource } from '../../model/model.ts'
import type { SetInput, SetMember } from '../rule-set.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'

export interface SetOptions {
  /** `'change'`: for new rows, and for rows that change. Default: for new rows. */
  readonly on?: 'change'
}

type Makers = Readonly<Record<string, (given: SetInput) => unknown>>

/**
 * A rule that gives values to fields and foreign keys. They are read-only in bodies. A function that returns undefined
 * leaves its value as it is. A row that has no other change is not changed.
 *
 * @example
 * const rules = { order: set({ orgId: ({ caller }) => caller.org }) }
 */
export function set<V extends Makers>(
  values: V,
  options: SetOptions = {},
): ReadyMadeRule<{ [N in keyof V]: unknown }, { [N in keyof V]: ReturnType<V[N]> }> {
  return Object.freeze({
    partsFor(resource, problems) {
      if (!isObject(values)) {
        problems.push(
          'set: must have an object with a function for each field, such as { orgId: ({ caller }) => caller.org }',
        )
        return {}
      }
      problems.push(...unknownEntries(options, ['on'], 'set: there is no option'))
      const { on } = options
      const setMembers: SetMember[] = []
      for (const [name, give] of Object.entries(values)) {
        if (!checkSettable(resource, name, problems)) continue
        if (typeof give === 'function') setMembers.push({ property: name, on: on ?? 'add', valueFor: give })
        else problems.push(`set: '${name}' must be a function that returns the value`)
      }
      if (on !== undefined && on !== 'change') problems.push("set: 'on' must be 'change', or be left out")
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}

/** Whether a rule can give the resource's rows a value of that name. If not, the problems have one more. */
function checkSettable(resource: Resource, name: string, problems: string[]): boolean {
  const { key, members, references, ownedBy } = resource
  const known = members.map(({ property }) => property)
  if (known.includes(name)) return true
  const reference = references.find((one) => one.name === name)
  const owner = ownedBy.find((one) => one.foreignKey === name)
  if (reference !== undefined) {
    problems.push(`'${name}' is a relation of ${key}: name its foreign key, '${reference.foreignKey}'`)
  } else if (owner !== undefined) {
    problems.push(`'${name}' is the foreign key of the owner of the ${key}, which the path names`)
  } else problems.push(`${key} has no field or foreign key '${name}'${didYouMean(name, known)}`)
  return false
}

/** The names of the caller's values that fields and foreign keys take. */
export interface Stamps {
  /** For new rows. */
  readonly createdBy?: string
  /** The foreign key of a relation `createdBy`. */
  readonly createdById?: string
  /** For new and changed rows. */
  readonly updatedBy?: string
  /** The foreign key of a relation `updatedBy`. */
  readonly updatedById?: string
}

const ON_ADD = ['createdBy', 'createdById'] as const
const ON_CHANGE = ['updatedBy', 'updatedById'] as const
const STAMPS = [...ON_ADD, ...ON_CHANGE] as const

/**
 * A rule that gives values of the caller to `createdBy` or `createdById` of new rows, and to `updatedBy` or
 * `updatedById` of new and changed ones. Where the caller has no such value, they stay as they are.
 *
 * @example
 * const rules = { order: stamps({ createdBy: 'id', updatedBy: 'id' }) }
 */
export function stamps<const S extends Stamps>(
  names: S,
): ReadyMadeRule<{ [N in keyof S]: unknown }, object, S[keyof S] & string> {
  return Object.freeze({
    partsFor(resource, problems, model) {
      if (!isObject(names)) {
        problems.push("stamps: must have an object such as { createdBy: 'id', updatedBy: 'id' }")
        return {}
      }
      const unknown = unknownEntries(names, STAMPS, 'stamps: there is no')
      problems.push(...unknown.map((problem) => `${problem}; there are ${STAMPS.join(', ')}`))
      const setMembers = STAMPS.flatMap((property) => {
        const value = names[property]
        if (value === undefined) return []
        if (typeof value !== 'string') {
          problems.push(`stamps: '${property}' must be the name of a value of the caller, such as 'id'`)
          return []
        }
        const options = ON_CHANGE.some((one) => one === property) ? ({ on: 'change' } as const) : {}
        return (
          set({ [property]: ({ caller }) => caller[value] }, options).partsFor(resource, problems, model).setMembers ??
          []
        )
      })
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}

/** What the fields are called that get the times. Default: `createdAt` and `updatedAt`. */
export interface TimestampNames<Created extends string = string, Updated extends string = string> {
  readonly createdAt?: Created
  readonly updatedAt?: Updated
}

type TimesRule<Name extends string> = ReadyMadeRule<{ readonly [N in Name]: string | null }, { [N in Name]: string }>

/**
 * A rule that gives the time of the request to `createdAt` of new rows, and to `updatedAt` of new and changed ones: in
 * UTC, as in `2026-11-23T20:15:00.000Z`. All rows of a request have the same time.
 *
 * @example
 * const rules = { order: timestamps(), line: timestamps({ createdAt: 'created_at', updatedAt: 'updated_at' }) }
 */
export function timestamps<const Created extends string = 'createdAt', const Updated extends string = 'updatedAt'>(
  names: TimestampNames<Created, Updated> = {},
): TimesRule<NoInfer<Created | Updated>> {
  return Object.freeze({
    partsFor(resource, problems, model) {
      if (!isObject(names)) {
        problems.push("timestamps: must have an object with names of fields, such as { createdAt: 'created_at' }")
        return {}
      }
      problems.push(...unknownEntries(names, ['createdAt', 'updatedAt'], 'timestamps: there is no option'))
      const { createdAt = 'createdAt', updatedAt = 'updatedAt' }: TimestampNames = names
      for (const { name, check } of resource.fields) {
        if (name !== createdAt && name !== updatedAt) continue
        if (check(new Date(0).toISOString()).length > 0)
          problems.push(`timestamps: '${name}' does not accept date-times`)
      }
      const created = set({ [createdAt]: timeOf })
      const updated = set({ [updatedAt]: timeOf }, { on: 'change' })
      const setMembers = [created, updated].flatMap((rule) => rule.partsFor(resource, problems, model).setMembers ?? [])
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}

function timeOf({ now }: SetInput): string {
  return now.toISOString()
}
