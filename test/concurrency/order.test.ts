import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import type { JsonBody } from '../support/json-body.ts'
import { type Request, useServers } from '../support/servers.ts'
import { updatesIn } from '../support/statement-log.ts'

const fields = { name: Type.String() }

const model = defineResources({
  list: { fields, relations: { items: owns.many('item', { order: 'position' }) } },
  item: { fields, relations: { list: ownedBy('list') } },
  album: { fields, relations: { songs: knows.many('song', { order: 'position', through: 'track' }) } },
  song: {
    fields,
    relations: { albums: knows.many('album', { through: 'track', from: 'songId', to: 'albumId', order: 'albumRank' }) },
  },
})

const CHILDREN = 1_000
const CLIENTS = 20

describeServersOnDatabases('an order that many change at the same time', (database) => {
  const servers = useServers(database, model)

  async function addList(): Promise<{ path: string; ids: readonly unknown[] }> {
    const items = Array.from({ length: CHILDREN }, (_, index) => ({ name: `n${index}` }))
    const { id, items: added } = await servers.one.add('/api/list', { name: 'l', items })
    return { path: `/api/list/${id}`, ids: added.map(({ id }: JsonBody) => id) }
  }

  const idsOf = async (path: string): Promise<readonly unknown[]> =>
    (await servers.one.read(path)).items.map(({ id }: JsonBody) => id)

  /** The number of each element, by its id. */
  async function numbers(table: 'item' | 'track', key: 'id' | 'songId'): Promise<ReadonlyMap<unknown, unknown>> {
    const { [table]: rows = [] } = await servers.one.snapshot([table])
    const parsed = rows.map((row): JsonBody => JSON.parse(row))
    return new Map(parsed.map((row) => [row[key], row.position]))
  }

  /** How many rows have another number after that. */
  async function rewritten(run: () => Promise<unknown>): Promise<number> {
    const before = await numbers('item', 'id')
    await run()
    return [...(await numbers('item', 'id'))].filter(([id, number]) => before.get(id) !== number).length
  }

  test('a move from end to end of a thousand rewrites one row', async () => {
    const { path, ids } = await addList()
    const [first, second] = [ids[0], ids[1]]
    const move = () => servers.one.patch(`${path}/item/${first}`, { $before: null })
    const run = async () => expect(await rewritten(move)).toBe(1)
    expect(updatesIn(await servers.one.statements(run))).toHaveLength(1)
    expect(await idsOf(path)).toEqual([...ids.slice(1), first])
    await servers.one.patch(`${path}/item/${first}`, { $before: second })
    expect(await idsOf(path)).toEqual(ids)
  })

  test('twenty clients move a thousand children from end to end, and no child is lost or in two places', async () => {
    const { path, ids } = await addList()
    const moves = Array.from({ length: CLIENTS }, (_, client): Request => {
      const [from, before] = client % 2 === 0 ? [ids[client], null] : [ids.at(-client), ids[CHILDREN / 2]]
      return ['PATCH', `${path}/item/${from}`, { $before: before }]
    })
    const move = async () => {
      const answers = await servers.atOnce(...moves)
      expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200))
    }
    // The gap in the middle is halved by each, until a neighbour moves aside.
    expect(await rewritten(move)).toBeLessThanOrEqual(CLIENTS + CLIENTS / 2)
    const after = await idsOf(path)
    expect(after).toHaveLength(CHILDREN)
    expect(new Set(after)).toEqual(new Set(ids))
    const moved = new Set(moves.map(([, at]) => at.split('/').at(-1)))
    const stay = (all: readonly unknown[]) => all.filter((id) => !moved.has(String(id)))
    expect(stay(after)).toEqual(stay(ids))
    const middle = after.indexOf(ids[CHILDREN / 2])
    expect(new Set(after.slice(middle - CLIENTS / 2, middle).map(String))).toEqual(
      new Set(moves.flatMap(([, at], client) => (client % 2 === 0 ? [] : [at.split('/').at(-1)]))),
    )
  })

  test('no two children have one number meanwhile, where the table forbids it', async () => {
    const { path, ids } = await addList()
    const places = sql`create unique index item_places on item (${sql.ref('listId')}, position)`
    await places.execute(servers.one.db)
    try {
      // There are no gaps: neighbours move aside, and others take the numbers that these had.
      const numbered = sql`update item set position = -position`
      await numbered.execute(servers.one.db)
      const dense = sql`update item set position = (select count(*) from item as other where other.id < item.id)`
      await dense.execute(servers.one.db)
      const moves = Array.from({ length: CLIENTS }, (_, client): Request => {
        const [from, before] = client % 2 === 0 ? [ids[client], ids.at(-1)] : [ids.at(-1 - client), ids[1]]
        return ['PATCH', `${path}/item/${from}`, { $before: before }]
      })
      const answers = await servers.atOnce(...moves)
      expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200))
      const after = await idsOf(path)
      expect(new Set(after)).toEqual(new Set(ids))
      expect(after).toHaveLength(CHILDREN)
      expect(new Set((await numbers('item', 'id')).values()).size).toBe(CHILDREN)
    } finally {
      await sql`drop index item_places`.execute(servers.one.db)
    }
  })

  test('children that many add at the same time get places of their own', async () => {
    const { id } = await servers.one.add('/api/list', { name: 'l' })
    const path = `/api/list/${id}`
    const adds = Array.from({ length: CLIENTS }, (_, index): Request => ['POST', `${path}/item`, { name: `n${index}` }])
    const answers = await servers.atOnce(...adds)
    expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(201))
    const { rows } = await servers.one.read(`${path}/item?limit=100`)
    expect(rows).toHaveLength(CLIENTS)
    expect(rows).toEqual((await servers.one.read(path)).items)
  })

  test('links that are added from the other end get places of their own', async () => {
    const { id } = await servers.one.add('/api/album', { name: 'a' })
    const songs: JsonBody[] = []
    for (let index = 0; index < CLIENTS; index++) songs.push(await servers.one.add('/api/song', { name: `s${index}` }))
    const adds = songs.map((song): Request => ['PATCH', `/api/song/${song.id}`, { albums: [{ id }] }])
    const answers = await servers.atOnce(...adds)
    expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200))
    expect((await servers.one.read(`/api/album/${id}`)).songs).toHaveLength(CLIENTS)
    expect(new Set((await numbers('track', 'songId')).values()).size).toBe(CLIENTS)
  })

  test('links that are added from both ends, where both keep an order, wait for each other in no circle', async () => {
    const albums: JsonBody[] = []
    const songs: JsonBody[] = []
    for (let index = 0; index < 4; index++) {
      albums.push(await servers.one.add('/api/album', { name: `a${index}` }))
      songs.push(await servers.one.add('/api/song', { name: `s${index}` }))
    }
    const ids = (of: readonly JsonBody[]) => of.map(({ id }) => ({ id }))
    const adds = [
      ...albums.map(({ id }): Request => ['PATCH', `/api/album/${id}`, { songs: ids(songs) }]),
      ...songs.map(({ id }): Request => ['PATCH', `/api/song/${id}`, { albums: ids(albums).toReversed() }]),
    ]
    const answers = await servers.atOnce(...adds)
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { track = [] } = await servers.one.snapshot(['track'])
    const rows = track.map((row): JsonBody => JSON.parse(row))
    expect(new Set(rows.map(({ albumId, position }) => `${albumId} ${position}`)).size).toBe(16)
    expect(new Set(rows.map(({ songId, albumRank }) => `${songId} ${albumRank}`)).size).toBe(16)
  })
})
