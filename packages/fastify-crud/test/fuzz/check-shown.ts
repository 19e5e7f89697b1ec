import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { type Caller, mayDo } from './callers.ts'
import { type Mark, marksIn } from './marks.ts'
import { queryOf } from './query-of.ts'
import { allRelationsOf } from './relations-of.ts'
import { type Sight, seesField } from './sight.ts'

type RecordData = Readonly<Record<string, unknown>>

/** A text that a caller gets, and what it asked with. */
export interface Told {
  readonly status: number
  /** The headers and the body. */
  readonly text: string
  readonly asked: string
  readonly url: string
}

/** The marks of hidden fields and hidden records in an answer. An error may repeat what the request itself says. */
export function hiddenMarks(model: Model, sight: Sight, { status, text, asked, url }: Told): string[] {
  return marksIn(text).flatMap((mark) => {
    if (status >= 400 && url.includes(mark.text)) return []
    if (isWriteOnly(model, mark)) return [`the answer has the write-only ${mark.text}`]
    const isHidden = !sight.seesMark(mark.text) || (status >= 400 && mark.field !== undefined)
    if (!isHidden || (status >= 400 && asked.includes(mark.text))) return []
    return [`${sight.caller.name} may not see ${mark.text}, which is in the answer`]
  })
}

/** The same of effects: they have what the caller saw before, or sees after. A preview repeats what the request says. */
export function hiddenInEffects(
  model: Model,
  sight: { readonly before: Sight; readonly after: Sight },
  told: Told,
): string[] {
  const after = new Set(hiddenMarks(model, sight.after, told))
  const hidden = hiddenMarks(model, sight.before, told).filter((one) => after.has(one))
  return hidden.filter((one) => !marksIn(one).every(({ text }) => told.asked.includes(text)))
}

/** What effects have of resources and fields that the caller may not see. */
export function wrongInEffects(model: Model, caller: Caller, body: unknown): string[] {
  const { changes } = body as { readonly changes: readonly RecordData[] }
  return changes.flatMap(({ resource: key, relation, before, after }) => {
    const resource = model.resources.get(String(key)) as Resource
    const other = resource.links.find(({ name }) => name === relation)?.target
    const unseen = [resource, ...(other === undefined ? [] : [other])].filter((one) => !mayDo(caller, 'View', one.key))
    const names = Object.keys({ ...(before as object), ...(after as object) })
    const fields = resource.fields.filter((field) => names.includes(field.name) && !seesField(caller, field))
    return [
      ...unseen.map((one) => `${caller.name} may not see a change of a ${one.key}`),
      ...fields.map(({ name }) => `${caller.name} may not see '${name}' of a ${resource.key} in a change`),
    ]
  })
}

/** The marks of fields that nobody sees, in lines of the log. The server logs the URL, whatever the client writes there. */
export function loggedMarks(model: Model, lines: readonly string[], url: string): string[] {
  const marks = lines
    .flatMap((line) => marksIn(line))
    .filter((mark) => isWriteOnly(model, mark) && !url.includes(mark.text))
  return marks.map(({ text }) => `the log has the write-only ${text}`)
}

function isWriteOnly(model: Model, { resource, field }: Mark): boolean {
  const fields = model.resources.get(resource)?.fields ?? []
  return fields.some(({ name, writeOnly }) => writeOnly && name === field)
}

/** What a record, or a page of records, has that the caller may not see there, or that nobody can have set. */
export function wrongIn(caller: Caller, resource: Resource, url: string, body: unknown): string[] {
  const asksForFields = queryOf(url).has('fields')
  const problems: string[] = []
  const open = recordsIn((body as { rows?: unknown }).rows ?? body).map((record) => ({ resource, record }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { resource, record } = next
    for (const field of resource.fields) {
      const { name, readOnly, default: standard } = field
      const isShown = Object.hasOwn(record, name)
      if (isShown && !seesField(caller, field))
        problems.push(`${caller.name} may not see '${name}' of a ${resource.key}`)
      if (isShown && readOnly && standard !== undefined && record[name] !== standard)
        problems.push(`the read-only '${name}' of a ${resource.key} has been set`)
    }
    const all = allRelationsOf(resource)
    for (const { name, target } of all) {
      if (Object.hasOwn(record, name) && !mayDo(caller, 'View', target.key))
        problems.push(`${caller.name} may not see '${name}' of a ${resource.key}`)
    }
    for (const { name, target } of all.filter(({ kind }) => kind !== 'owns')) {
      const hidden = target.fields.filter((field) => (!field.inSummary && !asksForFields) || !seesField(caller, field))
      const marks = marksIn(JSON.stringify(record[name] ?? null)).filter(({ field }) =>
        hidden.some((one) => one.name === field),
      )
      for (const { text } of marks) problems.push(`the summary '${name}' of a ${resource.key} has ${text}`)
    }
    for (const { name, target } of all) {
      open.push(...recordsIn(record[name]).map((related) => ({ resource: target, record: related })))
    }
  }
  return problems
}

function recordsIn(value: unknown): RecordData[] {
  return value === undefined || value === null ? [] : ([value].flat() as RecordData[])
}
