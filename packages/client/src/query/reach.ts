import type { ServiceModel } from '../service-model.ts'

// Which resources a query shows, and which a write may change: a query is stale if the two meet. Both may say too much,
// and never too little.

/** Where a query or a write is: a resource, then an id and a relation for each step. */
export type QueryPlace = readonly [resource: string, ...steps: unknown[]]

/** What a query is for. It is in its `meta`, so it survives JSON. */
export interface AskedQuery {
  readonly place: QueryPlace
  readonly method: 'find' | 'list' | 'pages' | 'group'
  readonly options: Readonly<Record<string, unknown>>
}

/** What a write does to a record, and what it is told of an action. */
export type WriteKind = 'create' | 'update' | 'delete' | 'link' | { readonly act: string }

/** The keys of the resources along a place; the last one is that of its records. Undefined for what the model lacks. */
export function resourcesAt(model: ServiceModel, [top, ...steps]: QueryPlace): readonly string[] | undefined {
  const found = [top]
  for (let step = 1; step < steps.length; step += 2) {
    const target = targetOf(model, found.at(-1) as string, String(steps[step]))
    if (target === undefined) return undefined
    found.push(target)
  }
  return found
}

/** All resources of which a change may make the answer of a query another one; undefined: any. */
export function shownBy(model: ServiceModel, { place, method, options }: AskedQuery): ReadonlySet<string> | undefined {
  const along = resourcesAt(model, place)
  const key = along?.at(-1)
  if (along === undefined || key === undefined) return undefined
  const shown = new Set(along)
  const { fields, include = [], nested = {}, sort, by, values } = options as Readonly<Record<string, readonly string[]>>
  if (fields === undefined && method !== 'group') addWhole(model, key, shown)
  for (const name of [...(fields ?? []), ...include]) addPath(model, key, name, shown, true)
  for (const name of [sort, by, values].flatMap((all) => all ?? [])) addPath(model, key, name, shown)
  for (const [path, { sort: keys = [], filter }] of Object.entries(nested) as [string, NestedOptions][]) {
    const target = addPath(model, key, path, shown, true)
    for (const name of keys) addPath(model, target, name, shown)
    addFilter(model, target, filter, shown)
  }
  addFilter(model, key, options.filter, shown)
  if (options.search !== undefined)
    for (const path of model.resources[key]?.search ?? []) addPath(model, key, path, shown)
  return shown
}

interface NestedOptions {
  readonly sort?: readonly string[]
  readonly filter?: unknown
}

/** All resources whose records a write may change; undefined: any. */
export function changedBy(model: ServiceModel, place: QueryPlace, kind: WriteKind): ReadonlySet<string> | undefined {
  const key = resourcesAt(model, place)?.at(-1)
  if (key === undefined) return undefined
  const changed = typeof kind === 'object' ? changedByAction(model, key, kind.act) : changedByWrite(model, key, kind)
  const isAny = changed === undefined || [...changed].some((one) => model.resources[one]?.ruled === true)
  return isAny ? undefined : changed
}

function changedByAction({ resources }: ServiceModel, key: string, name: string): ReadonlySet<string> | undefined {
  const changes = resources[key]?.actions?.[name]?.changes
  return changes && new Set(changes)
}

function changedByWrite(model: ServiceModel, key: string, kind: Exclude<WriteKind, object>): ReadonlySet<string> {
  if (kind === 'link') return new Set([key])
  const owned = ownedBy(model, key)
  const changed = new Set([key, ...owned])
  if (kind === 'create') return changed
  // What knows a record that goes loses its reference to it.
  const removed = kind === 'delete' ? changed : owned
  for (const [other, { relations }] of Object.entries(model.resources)) {
    const knows = Object.values(relations).some(
      ({ kind: how, target }) => how.startsWith('knows') && removed.has(target),
    )
    if (knows) changed.add(other)
  }
  return changed
}

/** The resources of what a record may own, at any depth: its own, too, if it owns records of its kind. */
function ownedBy(model: ServiceModel, key: string): ReadonlySet<string> {
  const owned = new Set<string>()
  // A set grows while it is walked.
  const open = new Set([key])
  for (const one of open) {
    for (const { kind, target } of Object.values(model.resources[one]?.relations ?? {})) {
      if (!kind.startsWith('owns')) continue
      owned.add(target)
      open.add(target)
    }
  }
  return owned
}

function targetOf({ resources }: ServiceModel, key: string, relation: string): string | undefined {
  const relations = resources[key]?.relations ?? {}
  return Object.hasOwn(relations, relation) ? relations[relation]?.target : undefined
}

/** A record as it shows itself: with what it carries, and what these carry that it owns. */
function addWhole(model: ServiceModel, key: string, shown: Set<string>, seen: Set<string> = new Set()): void {
  if (seen.has(key)) return
  seen.add(key)
  addSummary(model, key, shown)
  const { relations = {}, defaultInclude = [] } = model.resources[key] ?? {}
  for (const name of defaultInclude) {
    const relation = relations[name]
    if (relation === undefined) continue
    if (relation.kind.startsWith('owns')) addWhole(model, relation.target, shown, seen)
    else addSummary(model, relation.target, shown)
  }
}

/** A record's own fields. What is computed may be computed over the records at the other end of any relation. */
function addSummary({ resources }: ServiceModel, key: string, shown: Set<string>, isOf?: string): void {
  shown.add(key)
  const { fields = {}, relations = {} } = resources[key] ?? {}
  const named = isOf === undefined ? Object.values(fields) : [fields[isOf]]
  if (!named.some((field) => field?.computed === true)) return
  for (const { target } of Object.values(relations)) shown.add(target)
}

/**
 * What a name such as `-title`, `count(tags)` or `publisher.name` leads to, and all on the way. `isShown`: the records
 * at its end are shown, and not only counted or compared. Returns the last resource.
 */
function addPath(model: ServiceModel, key: string, name: string, shown: Set<string>, isShown = false): string {
  const [, word, inner = name] = /^-?(\w+)\((.*)\)$/.exec(name) ?? []
  let end = key
  for (const step of inner.replace(/^-/, '').split('.')) {
    const target = targetOf(model, end, step)
    if (target === undefined) {
      addSummary(model, end, shown, step)
      return end
    }
    end = target
    shown.add(end)
  }
  if (isShown && word === undefined) addWhole(model, end, shown)
  return end
}

function addFilter(model: ServiceModel, key: string, filter: unknown, shown: Set<string>): void {
  if (Array.isArray(filter)) for (const one of filter) addFilter(model, key, one, shown)
  else if (typeof filter === 'object' && filter !== null) {
    for (const [name, value] of Object.entries(filter)) {
      const isWord = ['and', 'or', 'not', 'some', 'every', 'none'].includes(name)
      addFilter(model, isWord ? key : addPath(model, key, name, shown), value, shown)
    }
  }
}
