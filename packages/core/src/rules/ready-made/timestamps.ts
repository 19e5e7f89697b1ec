import type { ReadyMadeRule } from './ready-made-rule.ts'
import { set } from './set.ts'

/** The fields that {@link timestamps} gives values to. */
interface Times {
  readonly createdAt: string | null
  readonly updatedAt: string | null
}

/**
 * A rule that gives the time of the request to `createdAt` of new rows, and to `updatedAt` of new and changed ones: in UTC, as in
 * `2026-11-23T20:15:00.000Z`. All rows of a request have the same time.
 *
 * @example
 * const rules = { order: timestamps() }
 */
export function timestamps(): ReadyMadeRule<Times, { createdAt: string; updatedAt: string }> {
  const created = set({ createdAt: ({ now }) => now.toISOString() })
  const updated = set({ updatedAt: ({ now }) => now.toISOString() }, { on: 'change' })
  return Object.freeze({
    partsFor(resource, problems) {
      for (const { name, check } of resource.fields) {
        if (name !== 'createdAt' && name !== 'updatedAt') continue
        if (check(new Date(0).toISOString()).length > 0)
          problems.push(`timestamps: '${name}' does not accept date-times`)
      }
      const setMembers = [created, updated].flatMap((rule) => rule.partsFor(resource, problems).setMembers ?? [])
      return { setMembers }
    },
  } satisfies ReadyMadeRule)
}
