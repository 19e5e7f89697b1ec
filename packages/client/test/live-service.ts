import type { ServerResponse } from 'node:http'
import { defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import type { CrudOptions } from 'fastify-crud'
import type { Setup } from '../../../test/support/databases.ts'
import { useService } from './use-service.ts'

const text = Type.String()

/** Lists are followed; tags are not. */
export const lists = defineResources({
  list: {
    fields: { title: text },
    relations: { items: owns.many('item'), shelf: needs.one('shelf'), tags: knows.many('tag') },
    history: true,
  },
  item: {
    fields: { text },
    relations: { list: ownedBy('list', { moves: true }), notes: owns.many('note') },
    topLevel: true,
  },
  note: { fields: { text }, relations: { item: ownedBy('item') } },
  shelf: { id: 'uuid', fields: { name: text }, history: true },
  tag: { fields: { name: text } },
})

/** A service whose streams of changes a test can count. */
export function useLiveService(database: Setup, plugin: Partial<CrudOptions> = { changes: { poll: 50 } }) {
  const streams = new Map<ServerResponse, string>()
  const service = useService(database, lists, plugin, (app) => {
    app.addHook('onRequest', async ({ url }, { raw }) => {
      if (!url.endsWith('/$changes')) return
      streams.set(raw, url.replace('/api', ''))
      raw.once('close', () => streams.delete(raw))
    })
  })
  return Object.assign(service, {
    /** The paths of the streams that follow the database. */
    streams: () =>
      [...streams]
        .filter(([{ headersSent }]) => headersSent)
        .map(([, path]) => path)
        .sort(),
  })
}

/** Waits for a condition. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
