import {
  type Address,
  type CollectionPath,
  type JsonStore,
  markLostDigits,
  namedInBody,
  ownedTree,
  type Resource,
  type ResourcesInRecord,
  resourceOf,
  resourcesInRecord,
} from '@fastify-crud/core/internal'
import { jsonText } from '../http/body/json-text.ts'
import type { Service } from '../service.ts'
import type { Access } from './access.ts'
import { type View, viewsOf } from './questions.ts'

/** A request whose access is asked about. */
interface AskedCall {
  readonly access: Access | undefined
  readonly store: JsonStore
}

/**
 * Finds the resources that make a difference to a request and that it may not see; undefined: it may see all of them.
 * `query`: may name further ones. `shown`: what the record has besides by default, if that matters.
 */
type FindHidden = (
  call: AskedCall,
  at: Address,
  query: QueryOfRead | undefined,
  shown?: ResourcesInRecord,
) => Promise<ReadonlySet<Resource> | undefined> | undefined

/**
 * For one route, which answers with records of `path` or writes them. `besides`: the resources that always matter to
 * it, such as those for which rules run. Undefined without `authorize`: nothing is hidden then.
 */
export function hiddenResources(
  { stores, authorize }: Service,
  path: CollectionPath,
  besides: readonly Resource[],
): FindHidden | undefined {
  if (authorize === undefined) return undefined
  const { resource } = path
  const atRoute = withOthers(resource, resourcesInRecord(resource), besides)
  // The same for nearly all requests, so it is kept.
  let usual: readonly View[] | undefined
  return ({ access, store }, at, query, shown = atRoute) => {
    const keys = query === undefined ? [] : store.namedBy(at, query)
    const named = keys.map((key) => resourceOf(stores.model, key))
    const concerned = withOthers(resource, shown, shown === atRoute ? named : [...named, ...besides])
    if (concerned !== atRoute || at.path !== path) return access?.hiddenAmong(viewsOf(at.path, concerned))
    usual ??= viewsOf(path, atRoute)
    return access?.hiddenAmong(usual)
  }
}

type QueryOfRead = Parameters<JsonStore['namedBy']>[1]

/** What a record has that it does not carry by default, and that a write with this body is about nevertheless. */
export function namedByBody(resource: Resource, body: unknown): ResourcesInRecord {
  const named = namedInBody(resource, body)
  return resourcesInRecord(resource, (relation) => named.has(relation))
}

/** All that a record may have: where records are removed or counted. */
export function allInRecord(resource: Resource): ResourcesInRecord {
  return resourcesInRecord(resource, () => true)
}

function withOthers(resource: Resource, known: ResourcesInRecord, resources: readonly Resource[]): ResourcesInRecord {
  const { owned, related } = known
  const others = resources.filter((one) => !owned.includes(one) && !related.includes(one))
  if (others.length === 0) return known
  const tree = ownedTree(resource)
  return {
    owned: [...owned, ...others.filter((one) => tree.includes(one))],
    related: [...related, ...others.filter((one) => !tree.includes(one))],
  }
}

type RecordData = { [name: string]: unknown }

/** The JSON of a record, or of a page of records, without the records of hidden resources. Foreign keys stay: they are
 * fields. */
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
