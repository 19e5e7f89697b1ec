import { createLiveRecords, type DataClient, type LiveRecordsOptions } from '@fastify-crud/client/internal'
import type { BaseKey, LiveProvider } from '@refinedev/core'

const OF_RESOURCES = 'resources/'

/**
 * A live provider of Refine: pages are read again when somebody else has written what they show. All subscriptions
 * share one stream of the service's changes, which ends with the last of them. What Refine publishes goes nowhere, as
 * the service tells of all writes itself.
 *
 * Goes in: a client; `onError`: is told where a service does not tell of changes. Default: the console is.
 *
 * @example
 * const liveProvider = refineLive(api)
 * const subscription = liveProvider.subscribe({ channel: 'resources/book', types: ['*'], callback: console.log })
 * liveProvider.unsubscribe(subscription)
 */
export function refineLive(api: DataClient, options: LiveRecordsOptions = {}): Required<LiveProvider> {
  const live = createLiveRecords(api, options)
  return {
    subscribe({ channel, types, callback, params = {} }) {
      if (!channel.startsWith(OF_RESOURCES)) throw new Error(`there is no channel '${channel}', only 'resources/book'`)
      const { id, ids: many } = params as { readonly id?: BaseKey; readonly ids?: readonly BaseKey[] }
      const chosen = id === undefined ? many : [id]
      const wanted = chosen && new Set(chosen.map(String))
      return live.follow(channel.slice(OF_RESOURCES.length), ({ type, ids, date }) => {
        const isOf = wanted === undefined || ids.length === 0 || ids.some((one) => wanted.has(String(one)))
        const isAny = types.includes('*') || type === 'unknown' || types.includes(type)
        if (isOf && isAny)
          callback({ channel, type: type === 'unknown' ? '*' : type, payload: { ids: [...ids] }, date })
      })
    },
    unsubscribe(subscription: (() => void) | undefined) {
      subscription?.()
    },
    publish() {},
  }
}
