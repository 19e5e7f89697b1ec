import { type Caller, mayDo } from './callers.ts'
import type { FuzzSubject } from './fuzz-service.ts'
import { marksIn } from './marks.ts'
import { seesField } from './sight.ts'
import type { StoredRow, StoredRows } from './stored-rows.ts'

/** The marks of texts that callers may be shown of earlier states. */
export interface MarksThen {
  /** Remembers what is stored. */
  learn(stored: StoredRows): void
  /** Whether a text that is marked so has been in a field that the caller sees, of a row that its policy allows. Where the row was is not asked. */
  mayShow(caller: Caller, text: string): boolean
}

/** By the policies of the rows themselves: an entry of the history asks about the owner as it is now. */
export function marksThen({ resources: model, rowRules, callers }: FuzzSubject): MarksThen {
  const byName = new Map(callers.map((caller) => [caller.name, { caller, marks: new Set<string>() }]))
  const known = new Set<string>()
  return {
    learn(stored) {
      for (const resource of model.resources.values()) {
        for (const line of stored.get(resource.table)?.values() ?? []) {
          const name = `${resource.table} ${line}`
          if (known.has(name)) continue
          known.add(name)
          const row = JSON.parse(line) as StoredRow
          for (const { caller, marks } of byName.values()) {
            const isAllowed = rowRules[resource.key]?.(caller, 'View', row) !== false
            if (!isAllowed || !mayDo(caller, 'View', resource.key)) continue
            for (const field of resource.fields.filter((one) => seesField(caller, one))) {
              for (const { text } of marksIn(JSON.stringify(row[field.column] ?? null))) marks.add(text)
            }
          }
        }
      }
    },
    mayShow: ({ name }, text) => byName.get(name)?.marks.has(text) === true,
  }
}
