import { createLiveRecords, type DataClient, type LiveRecordsOptions } from '@fastify-crud/client/internal'

/** What has happened to records. */
export interface RealtimeEvent {
  readonly topic: string
  readonly type: 'created' | 'updated' | 'deleted'
  /** None: the list may have changed, and it is not known which of its records have. */
  readonly payload: { readonly ids: readonly (string | number)[] }
  readonly date: Date
}

/** The methods of a data provider that components for live updates call. */
export interface ReactAdminLive {
  /** Calls back when records have changed. Topics: `resource/book`, and `resource/book/1`. */
  subscribe(topic: string, callback: (event: RealtimeEvent) => void): Promise<{ data: null }>
  unsubscribe(topic: string, callback: (event: RealtimeEvent) => void): Promise<{ data: null }>
  /** Does nothing: the service tells of all writes itself. */
  publish(topic: string, event: unknown): Promise<{ data: null }>
}

const DONE = { data: null }

/**
 * The realtime methods of a data provider: they say when somebody else has written what a page shows. All subscriptions
 * share one stream of the service's changes, which ends with the last of them.
 *
 * Goes in: a client; `onError`: is told where a service does not tell of changes. Default: the console is.
 *
 * @example
 * const dataProvider = { ...reactAdminProvider(api), ...reactAdminLive(api) }
 * const listener = ({ type, payload }: RealtimeEvent) => console.log(type, payload.ids)
 * await dataProvider.subscribe('resource/book', listener)
 * await dataProvider.unsubscribe('resource/book', listener)
 */
export function reactAdminLive(api: DataClient, options: LiveRecordsOptions = {}): ReactAdminLive {
  const live = createLiveRecords(api, options)
  const subscriptions: { readonly topic: string; readonly callback: unknown; readonly end: () => void }[] = []
  return {
    async subscribe(topic, callback) {
      const [word, key, id, ...more] = topic.split('/').map(decodeURIComponent)
      if (word !== 'resource' || !key || more.length > 0)
        throw new Error(`there is no topic '${topic}', only such as 'resource/book' and 'resource/book/1'`)
      const end = live.follow(key, ({ type, ids, date }) => {
        if (id !== undefined && ids.length > 0 && !ids.some((one) => String(one) === id)) return
        callback({ topic, type: type === 'unknown' ? 'updated' : type, payload: { ids }, date })
      })
      subscriptions.push({ topic, callback, end })
      return DONE
    },
    async unsubscribe(topic, callback) {
      const index = subscriptions.findIndex((one) => one.topic === topic && one.callback === callback)
      if (index !== -1) for (const { end } of subscriptions.splice(index, 1)) end()
      return DONE
    },
    publish: async () => DONE,
  }
}
