import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { type Caller, mayDo } from './callers.ts'
import { type Mark, marksIn } from './marks.ts'
import { type Sight, seesField } from './sight.ts'

type RecordData = Readonly<Record<string, unknown>>

/** A text that a caller gets, and what it asked with. */
export interface Told {
  readonly status: number
  /** The headers and the body. */
  readonly text: string
  readonly asked: string
}

/** The marks of hidden fields and hidden records in an answer. An error may repeat what the request itself says. */
export function hiddenMarks(model: Model, sight: Sight, { status, text, asked }: Told): string[] {
  return marksIn(text).flatMap((mark) => {
    if (isWriteOnly(model, mark)) return [`the answer has the write-only ${mark.text}`]
    const isHidden = !sight.seesMark(mark.text) || (status >= 400 && mark.field !== undefined)
    if (!isHidden || (status >= 400 && asked.includes(mark.text))) return []
    return [`${sight.caller.name} may not see ${mark.text}, which is in the answer`]
  })
}

/** The marks of fields that nobody sees, in lines of the log. */
export function loggedMarks(model: Model, lines: readonly string[]): string[] {
  const marks = lines.flatMap((line) => marksIn(line)).filter((mark) => isWriteOnly(model, mark))
  return marks.map(({ text }) => `the log has the write-only ${text}`)
}

function isWriteOnly(model: Model, { resource, field }: Mark): boolean {
  const fields = model.resources.get(resource)?.fields ?? []
  return fields.some(({ name, writeOnly }) => writeOnly && name === field)
}

/** What a record, or a page of records, has that the caller may not see there, or that nobody can have set. */
export function wrongIn(caller: Caller, resource: Resource, body: unknown): string[] {
  const problems: string[] = []
  const open = recordsIn((body as { rows?: unknown }).rows ?? body).map((record) => ({ resource, record }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { resource, record } = next
    for (const field of resource.fields) {
      const { name, readOnly, default: standard } = field
      if (Object.hasOwn(record, name) && !seesField(caller, field))
        problems.push(`${caller.name} may not see '${name}' of a ${resource.key}`)
      if (readOnly && standard !== undefined && record[name] !== standard)
        problems.push(`the read-only '${name}' of a ${resource.key} has been set`)
    }
    const related = [...resource.references, ...resource.links]
    for (const { name, target } of [...resource.owns, ...related]) {
      if (Object.hasOwn(record, name) && !mayDo(caller, 'View', target.key))
        problems.push(`${caller.name} may not see '${name}' of a ${resource.key}`)
    }
    for (const { name, target } of related) {
      const hidden = target.fields.filter((field) => !field.inSummary || !seesField(caller, field))
      const marks = marksIn(JSON.stringify(record[name] ?? null)).filter(({ field }) =>
        hidden.some((one) => one.name === field),
      )
      for (const { text } of marks) problems.push(`the summary '${name}' of a ${resource.key} has ${text}`)
    }
    for (const { name, target } of resource.owns) {
      open.push(...recordsIn(record[name]).map((owned) => ({ resource: target, record: owned })))
    }
  }
  return problems
}

function recordsIn(value: unknown): RecordData[] {
  return value === undefined || value === null ? [] : ([value].flat() as RecordData[])
}
