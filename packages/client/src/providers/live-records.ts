import type { EffectChange, Id, LiveChange } from '@fastify-crud/core/types'
import { changes } from '../changes.ts'
import { shownBy } from '../query/reach.ts'
import { ServiceError } from '../service-error.ts'
import { type ResourceModel, resourceNamed, type ServiceModel } from '../service-model.ts'
import type { DataClient } from './record-places.ts'

/** What has happened to the records of a resource, by one write. */
export interface RecordsChanged {
  /** `unknown`: what was written is not kept any more, so anything may have happened. */
  readonly type: 'created' | 'updated' | 'deleted' | 'unknown'
  /** None: it is not known which records show what was written. */
  readonly ids: readonly Id[]
  readonly date: Date
}

export interface LiveRecordsOptions {
  /** Is told why changes are not followed, once for each reason. Default: the console is. */
  readonly onError?: (error: unknown) => void
}

export interface LiveRecords {
  /** Calls `tell` when records of a resource have changed, or what they show. Returns what ends it. */
  follow(key: string, tell: (event: RecordsChanged) => void): () => void
}

/**
 * The changes of a service as frameworks ask for them: by the name of a resource. All who follow share one stream,
 * which ends with the last of them.
 */
export function createLiveRecords(api: DataClient, { onError = logError }: LiveRecordsOptions = {}): LiveRecords {
  const listeners = new Map<string, Set<(event: RecordsChanged) => void>>()
  const failed = new Set<string>()
  let stream: AbortController | undefined

  const fail = (error: unknown): void => {
    const reason = String(error)
    if (!failed.has(reason)) onError(error)
    failed.add(reason)
  }

  const tell = (eventsFor: (key: string) => readonly RecordsChanged[]): void => {
    for (const [key, all] of listeners) for (const event of eventsFor(key)) for (const one of all) one(event)
  }

  const read = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        for await (const change of changes(api as never, { signal })) {
          const model = await api.model()
          tell((key) => eventsOf(model, key, change))
        }
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 410) throw error
        tell(() => [{ type: 'unknown', ids: [], date: new Date() }])
      }
    }
  }

  const begin = (): void => {
    if (stream !== undefined) return
    const ends = new AbortController()
    stream = ends
    const forget = () => {
      if (stream === ends) stream = undefined
    }
    read(ends.signal).finally(forget).catch(fail)
  }

  const end = (): void => {
    if (listeners.size > 0) return
    stream?.abort()
    stream = undefined
  }

  const follow: LiveRecords['follow'] = (key, tellOne) => {
    let isOver = false
    // Each has a function of its own: the same one may be given twice.
    const own = (event: RecordsChanged) => tellOne(event)
    const add = (model: ServiceModel): void => {
      if (isOver) return
      checkTold(model, key)
      listeners.set(key, (listeners.get(key) ?? new Set()).add(own))
      begin()
    }
    api.model().then(add).catch(fail)
    return () => {
      isOver = true
      const all = listeners.get(key)
      all?.delete(own)
      if (all?.size === 0) listeners.delete(key)
      // A page that takes the place of another one follows at once.
      setTimeout(end)
    }
  }
  return { follow }
}

/** Throws a TypeError where the service does not tell of changes of a resource. */
function checkTold(model: ServiceModel, key: string): void {
  const { operations = {} } = resourceNamed(model, key)
  if (operations.changes === true) return
  const why =
    operations.changes === false
      ? 'this caller may not see them'
      : 'the plugin needs `changes: true`, and the descriptor `history: true`'
  throw new TypeError(`the service does not tell of changes of '${key}': ${why}`)
}

/** What a write has done to the records of one resource, and to what they show. */
function eventsOf(model: ServiceModel, key: string, { changes: all, at }: LiveChange): RecordsChanged[] {
  const ids = { created: new Set<Id>(), updated: new Set<Id>(), deleted: new Set<Id>() }
  const shown = shownBy(model, { place: [key], method: 'list', options: {} })
  let isElsewhere = false
  for (const change of all) {
    const { resource, id } = change
    const owner = ownerIn(change, model.resources[resource])
    if (resource === key) ids[typeOf(change)].add(id as Id)
    else if (owner?.[0] === key) ids.updated.add(owner[1] as Id)
    else if (shown === undefined || shown.has(resource)) isElsewhere = true
  }
  const date = new Date(at)
  // A record that is new, or gone, is not changed besides.
  for (const id of [...ids.created, ...ids.deleted]) ids.updated.delete(id)
  const types = (['created', 'updated', 'deleted'] as const).filter((type) => ids[type].size > 0)
  const events: RecordsChanged[] = types.map((type) => ({ type, ids: [...ids[type]], date }))
  return isElsewhere ? [...events, { type: 'updated', ids: [], date }] : events
}

function typeOf({ action }: EffectChange): 'created' | 'updated' | 'deleted' {
  return action === 'Add' ? 'created' : action === 'Delete' ? 'deleted' : 'updated'
}

/** The owner of a record that has changed; undefined: it has none, or had another one before. */
function ownerIn(change: EffectChange, resource: ResourceModel | undefined): readonly [string, unknown] | undefined {
  if (!('within' in change)) return undefined
  const before = change.action === 'Edit' ? change.before : undefined
  const hasMoved = Object.values(resource?.relations ?? {}).some(
    ({ kind, foreignKey }) => kind === 'ownedBy' && foreignKey !== undefined && before?.[foreignKey] !== undefined,
  )
  return hasMoved ? undefined : change.within
}

function logError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: for the developer, who sees a page that stays as it is
  console.error(error)
}
