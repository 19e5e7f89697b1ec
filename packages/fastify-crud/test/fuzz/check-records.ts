import type { Link, Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { pathnameOf } from './pathname-of.ts'
import { queryOf } from './query-of.ts'
import { allRelationsOf } from './relations-of.ts'
import type { Sight } from './sight.ts'
import { keyColumnOf } from './stored-rows.ts'

type RecordData = Readonly<Record<string, unknown>>

/**
 * The records in an answer that the caller does not see, and those that it sees and that are not there, though the query leaves none out.
 * `isList`: they are those of the list at the path, or some of them; `link`: that of the records on a page.
 */
export function wrongRecords(
  sight: Sight,
  resource: Resource,
  { url, isList }: { readonly url: string; readonly isList: boolean },
  body: unknown,
  link?: Link,
): string[] {
  const problems: string[] = []
  const { rows, count } = body as { rows?: RecordData[]; count?: number }
  const [path, query] = [pathnameOf(url), queryOf(url)]
  const open = [rows ?? body].flat().map((record) => ({ resource, record: record as RecordData }))
  const seen =
    rows === undefined || !isList ? undefined : link ? idsBehind(sight, link, path) : idsAt(sight, resource, path)
  const isSome = query.has('filter') || query.has('search') || query.has('count')
  if (seen !== undefined && count !== undefined && (isSome ? count > seen.length : count !== seen.length))
    problems.push(`${sight.caller.name} sees ${seen.length} at ${path}, and ${count} are counted`)
  for (const { id } of seen === undefined ? [] : (rows ?? [])) {
    if (!seen?.includes(String(id))) problems.push(`${sight.caller.name} does not see ${id} at ${path}`)
  }
  const showsAll = !query.has('nested')
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { resource, record } = next
    const where = `${resource.key} ${record.id}`
    if (!sight.sees(resource, record.id)) {
      problems.push(`${sight.caller.name} does not see ${where}, which is in the answer`)
      continue
    }
    const compare = (name: string, target: Resource, expected: readonly string[], order: Places = NO_PLACES): void => {
      if (!Object.hasOwn(record, name)) return
      const shown = recordsIn(record[name]).map(({ id }) => String(id))
      const place = (id: string) => order.get(id) ?? Number.POSITIVE_INFINITY
      const inOrder = (a: string, b: string) =>
        place(a) === place(b) ? target.shortId.compare(a, b) : place(a) - place(b)
      const right = expected.toSorted(inOrder)
      const isRight = showsAll
        ? JSON.stringify(shown) === JSON.stringify(right)
        : shown.every((id) => right.includes(id))
      if (!isRight)
        problems.push(`${sight.caller.name} sees '${name}' of ${where} to be ${right}, and the answer has ${shown}`)
    }
    for (const { name, target, column } of resource.references) {
      const id = sight.row(resource, record.id)?.[column]
      compare(name, target, sight.sees(target, id) ? [String(id)] : [])
    }
    for (const one of resource.links) {
      const rows = sight.rowsOf(one.table).filter((row) => String(row[one.fromColumn]) === String(record.id))
      compare(one.name, one.target, linkedTo(sight, one, record.id), placesIn(rows, one.toColumn, one.order))
    }
    for (const { name, target, inverse, order } of resource.owns) {
      compare(
        name,
        target,
        sight.idsOf(target, (row) => String(row[inverse.column]) === String(record.id)),
        placesIn(sight.rowsOf(target.table), keyColumnOf(target), order?.column),
      )
    }
    for (const { name, target } of allRelationsOf(resource)) {
      open.push(...recordsIn(record[name]).map((related) => ({ resource: target, record: related })))
    }
  }
  return problems
}

/** The numbers that keep an array's order, by the elements' ids. */
type Places = ReadonlyMap<string, number>

const NO_PLACES: Places = new Map()

function placesIn(rows: readonly RecordData[], idColumn: string, column: string | undefined): Places {
  if (column === undefined) return NO_PLACES
  const numbered = rows.filter((row) => row[column] !== null)
  return new Map(numbered.map((row) => [String(row[idColumn]), Number(row[column])]))
}

/** The records that the list at a path has for the caller; undefined where the path is written in an unusual way. */
function idsAt(sight: Sight, resource: Resource, path: string): readonly string[] | undefined {
  const [, ownerId, route] = /^\/api\/(?:[a-z]+\/(?:[^/]+\/[a-z]+\/)*([^/]+)\/)?([a-z]+)$/.exec(path) ?? []
  if (route !== resource.route) return undefined
  return sight.idsOf(resource, (row) =>
    ownerId === undefined && resource.isTopLevel
      ? true
      : ownerId === undefined
        ? resource.ownedBy.every(({ column }) => row[column] === null)
        : resource.ownedBy.some(({ column }) => String(row[column]) === decodeURIComponent(ownerId)),
  )
}

/** The records that one is linked to, as far as the caller sees them. */
function linkedTo(sight: Sight, { target, table, fromColumn, toColumn }: Link, id: unknown): readonly string[] {
  const linked = sight.rowsOf(table).filter((row) => String(row[fromColumn]) === String(id))
  return linked.map((row) => String(row[toColumn])).filter((to) => sight.sees(target, to))
}

/** The same for the record at a path; undefined where the path is written in an unusual way. */
function idsBehind(sight: Sight, link: Link, path: string): readonly string[] | undefined {
  const [, id] = /^\/api\/(?:[a-z]+\/[^/]+\/)*[a-z]+\/([^/]+)\/[a-z]+$/i.exec(path) ?? []
  if (id === undefined || link.source.holdsShortIds) return undefined
  const whole = link.source.id.fromPath(decodeURIComponent(id))
  return whole === undefined ? undefined : linkedTo(sight, link, whole)
}

/** An error that says how many records stand in the way counts those that the caller sees. */
export function wrongNumber(model: Model, sight: Sight, text: string): string[] {
  const counts = [...text.matchAll(/still needed by (\d+) (\w+)/g), ...text.matchAll(/ and (\d+) (\w+) record/g)]
  return counts.flatMap(([said, number, key = '']) => {
    const resource = model.resources.get(key)
    const seen = resource === undefined ? 0 : sight.idsOf(resource, () => true).length
    return Number(number) <= seen ? [] : [`${sight.caller.name} sees ${seen} ${key}, and the error says '${said}'`]
  })
}

function recordsIn(value: unknown): RecordData[] {
  return value === undefined || value === null ? [] : ([value].flat() as RecordData[])
}
