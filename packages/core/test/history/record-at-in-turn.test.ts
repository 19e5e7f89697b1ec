import { type AnyKysely, createStore, type Model, type Store } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'
import { anyWrite, resources } from './random-writes.ts'

const RUNS = Number(process.env.FC_RUNS ?? (isLong ? 150 : 6))
const WRITES = isLong ? 20 : 12
/** In ms. */
const LIMIT = 60_000 + RUNS * 5_000
const IDS = [1, 2, 3, 4, 5, 6]
const TOP = ['list', 'bin', 'node', 'tag', 'label'] as const

type Found = Record<string, unknown>
/** By the names of records; undefined: it is not there. */
type Records = ReadonlyMap<string, Found | undefined>

describeOnBoth('A record as it was', (database) => {
  test(
    `is what a GET said at that time, whatever writes have done since (FC_SEED=${seed})`,
    async () => {
      const counted = { done: 0, found: 0, gone: 0 }
      await fc.assert(
        fc.asyncProperty(fc.array(anyWrite, { minLength: WRITES, maxLength: WRITES }), async (writes) => {
          const open = await database.open()
          try {
            const { db } = open
            await createTables(db, resources as Model)
            const store = createStore({ db, resources })
            const states = new Map<string, Records>()
            const lists = new Map<number, number>()
            for (const write of [first, ...writes]) {
              await write(store).then(
                () => {
                  counted.done += 1
                },
                (error) => {
                  if (error.code === undefined || error.status >= 500) throw error
                },
              )
              // Of writes with equal moments, the last one counts.
              const records = await recordsOf(store)
              states.set(await lastMoment(db), records)
              for (const [part, list] of partsIn(records)) lists.set(part, list)
            }
            const now = await recordsOf(store)
            for (const [at, records] of states) {
              for (const [name, expected] of records) {
                // A part is found where it is now, or was last, and not where it was then.
                const address = name.replace(/^part (\d+)/, (_part, id) => `list ${lists.get(Number(id))} parts ${id}`)
                const found = await find(store, address, { at })
                expect([at, name, found]).toEqual([at, name, expected && asNow(expected, now)])
                counted[found === undefined ? 'gone' : 'found'] += 1
              }
            }
          } finally {
            await open.close()
          }
        }),
        { seed, numRuns: RUNS },
      )
      expect(counted.done).toBeGreaterThan(RUNS * WRITES * 0.4)
      expect(counted.found).toBeGreaterThan(RUNS * WRITES)
      expect(counted.gone).toBeGreaterThan(RUNS * WRITES)
    },
    LIMIT,
  )
})

/** Some of everything, so that few random writes are refused. */
async function first(store: Store<typeof resources>): Promise<void> {
  const ids = [1, 2, 3, 4, 5]
  await store.tag.createMany(ids.map((id) => ({ name: `x${id}` })) as never)
  await store.label.createMany(ids.map((id) => ({ name: `l${id}` })))
  const items = [{ text: '1' }, { text: '2' }]
  const lists = [1, 2, 3].map((id) => ({
    title: 'first',
    parts: [{ name: `p${id}`, items }],
    tags: [{ id }],
    labels: [{ id }],
    markId: id + 1,
  }))
  await store.list.createMany(lists as never)
}

async function lastMoment(db: AnyKysely): Promise<string> {
  const { at } = await db.selectFrom('crud_history').select('at').orderBy('position', 'desc').executeTakeFirstOrThrow()
  return new Date(Number(at)).toISOString()
}

async function recordsOf(store: Store<typeof resources>): Promise<Records> {
  const records = new Map<string, Found | undefined>()
  for (const key of TOP) for (const id of IDS) records.set(`${key} ${id}`, await find(store, `${key} ${id}`))
  for (const [part, list] of partsIn(records))
    records.set(`part ${part}`, await find(store, `list ${list} parts ${part}`))
  return records
}

/** The lists of parts, by their ids. */
function partsIn(records: Records): ReadonlyMap<number, number> {
  const lists = [...records].flatMap(([name, list]) => (/^list/.test(name) && list !== undefined ? [list] : []))
  return new Map(lists.flatMap(({ id, parts }) => (parts as Found[]).map((part) => [Number(part.id), Number(id)])))
}

/** Undefined where it is not there. */
async function find(
  store: Store<typeof resources>,
  name: string,
  ...options: readonly object[]
): Promise<Found | undefined> {
  const [key, id, relation, owned] = name.split(' ')
  const collection = (store as never as Record<string, Collection>)[key as string] as Collection
  const read = relation === undefined ? collection.find(Number(id), ...options) : undefined
  const ofOwned = () => collection.owned(Number(id), relation as string).find(Number(owned), ...options)
  return await (read ?? ofOwned()).catch((error) => {
    if (error.code !== 'CRUD_ERR_NOT_FOUND') throw error
    return undefined
  })
}

interface Collection {
  find(id: number, ...options: readonly object[]): Promise<Found>
  owned(id: number, relation: string): Collection
}

/** What a record referred to is shown as it is now; links to what is gone are left out. */
function asNow(record: Found, now: Records): Found {
  if (Array.isArray(record)) return record.map((one) => asNow(one, now)) as never
  const shown = Object.entries(record).map(([name, value]) => {
    const key = TARGETS[name]
    if (Array.isArray(value) && key !== undefined) return [name, value.flatMap(({ id }) => related(key, id, now) ?? [])]
    if (key !== undefined) return [name, related(key, record[`${name}Id`], now) ?? null]
    if (name === 'lead' || name === 'next') return [name, item(record[`${name}Id`], now) ?? null]
    return [name, typeof value === 'object' && value !== null ? asNow(value as Found, now) : value]
  })
  return Object.fromEntries(shown)
}

const TARGETS: Readonly<Record<string, string>> = {
  tags: 'tag',
  author: 'tag',
  lists: 'list',
  labels: 'label',
  mark: 'label',
}

/** The summary of a related record, as it is now. */
function related(key: string, id: unknown, now: Records): unknown {
  const found = now.get(`${key} ${id}`)
  if (found === undefined) return undefined
  const fields = Object.entries(found).filter(([name]) => ['id', 'name', 'title', 'code'].includes(name))
  return Object.fromEntries(fields)
}

/** An item as it is now, in any list. */
function item(id: unknown, now: Records): unknown {
  const lists = [...now].flatMap(([name, list]) => (/^list \d+$/.test(name) && list !== undefined ? [list] : []))
  const items = lists.flatMap(({ parts }) => (parts as Found[]).flatMap((part) => part.items as Found[]))
  const found = items.find((one) => one.id === id)
  return found && { id: found.id, text: found.text, done: found.done }
}
