import { markLostDigits, type Resource } from '@fastify-crud/core/internal'
import { jsonText } from '../http/body/json-text.ts'

type RecordData = { [name: string]: unknown }

/** The JSON of a record, or of a page of records, without the records of hidden resources. Foreign keys stay: they are fields. */
export function withoutHidden(resource: Resource, json: string, hidden: ReadonlySet<Resource>): string {
  const marked = markLostDigits(json)
  const data = (marked === undefined ? JSON.parse(json) : marked.unmark(JSON.parse(marked.text))) as RecordData
  // Every record has an id, and a page has none.
  const records = 'id' in data ? [data] : (data.rows as RecordData[])
  const open = records.map((record) => ({ resource, record }))
  // Does not recurse: a tree may be deep.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { references, links, owns } = next.resource
    for (const { name, target } of [...references, ...links]) if (hidden.has(target)) delete next.record[name]
    for (const { name, target } of owns) {
      // A record does not carry all by default.
      const owned = next.record[name] as RecordData | RecordData[] | null | undefined
      if (hidden.has(target)) delete next.record[name]
      else for (const record of [owned ?? []].flat()) open.push({ resource: target, record })
    }
  }
  return jsonText(data) as string
}
