/**
 * Writes, replaces, reads and deletes a record with very many children, in a process whose memory is limited by those
 * who start it: `node many-children-process.ts sqlite|postgres <file or URL> <children> assigned|members`. With `members`, the owner and a
 * number make up the id of a child, which then owns nothing. Sends one {@link Figure} for each step; ends with code 0 if all went well.
 */
import assert from 'node:assert/strict'
import { defineResources, type Model, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'
import { topPath } from '../../packages/core/src/model/collection-path.ts'
import { createJsonStore } from '../../packages/core/src/store/json-store.ts'

export interface Figure {
  readonly step: string
  readonly ms: number
  /** The most memory that the process has had so far, in MB. */
  readonly peakMb: number
}

interface Child {
  id?: number
  name: string
  rank: number
  number?: number
  parts?: object[]
}

const assigned = defineResources({
  owner: { fields: { name: Type.String() }, relations: { children: owns.many('child') } },
  child: {
    fields: { name: Type.String(), rank: Type.Integer() },
    relations: { owner: ownedBy('owner'), parts: owns.many('part') },
    unique: [['owner', 'rank']],
  },
  part: { fields: { name: Type.String() }, relations: { child: ownedBy('child') } },
})
const ofMembers = defineResources({
  owner: { fields: { name: Type.String() }, relations: { children: owns.many('child') } },
  child: {
    id: ['owner', 'number'],
    fields: { number: Type.Integer(), name: Type.String(), rank: Type.Integer() },
    relations: { owner: ownedBy('owner') },
    unique: [['owner', 'rank']],
  },
})

const [name, location = '', size, ids] = process.argv.slice(2)
const hasMembers = ids === 'members'
const resources: Model = hasMembers ? ofMembers : assigned
const count = Number(size)
const dialect =
  name === 'sqlite'
    ? new SqliteDialect({ database: new SqliteDriver(location) })
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: location, max: 2 }) })
const db = new Kysely<unknown>({ dialect })
await createTables(db, resources)
const store = createJsonStore({ db, resources, limits: { maxItems: 10 * count } })
const at = { path: topPath(resources, 'owner'), owners: [] }

async function measure<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now()
  const result = await work()
  const figure: Figure = {
    step,
    ms: Math.round(performance.now() - start),
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
  }
  process.send?.(figure)
  return result
}

function childrenOf({ json }: { readonly json: string | undefined }): Child[] {
  assert.ok(json)
  return JSON.parse(json).children
}

/** What tells a new child apart, or what it owns. */
const more = (number: number, parts: object[] = []) => (hasMembers ? { number } : { parts })

const children = Array.from({ length: count }, (_, rank): Child => {
  return { name: `child ${rank}`, rank, ...more(rank, rank % 10 === 0 ? [{ name: 'part' }] : []) }
})
const created = await measure('create', () => store.create(at, { name: 'o', children }))
assert.equal(childrenOf(created).length, count)

const record = await measure('read', async () => store.find(at, created.id))
const before = childrenOf({ json: record })
// Half of them stay and all of these swap their ranks, the other half goes, and as many come.
const kept = before.slice(0, count / 2).map((child, index, { length }): Child => {
  return { ...child, rank: before[length - 1 - index]?.rank as number, ...more(child.number ?? 0) }
})
const added = kept.map((_, index): Child => ({ name: 'new', rank: count / 2 + index, ...more(count + index) }))
const replaced = childrenOf(
  await measure('replace', () => store.replace(at, created.id, { name: 'p', children: [...kept, ...added] })),
)
assert.equal(replaced.length, count)
assert.deepEqual(replaced.slice(0, kept.length), kept)
assert.ok(
  replaced
    .slice(kept.length)
    .every((child) => child.name === 'new' && (child.id as number) > (before.at(-1)?.id as number)),
)

const one = await measure('patch', () =>
  store.patch(at, created.id, { children: [{ name: 'one more', rank: -1, ...more(-1) }] }),
)
assert.equal(childrenOf(one).length, count + 1)
await measure('delete', () => store.delete(at, created.id))
assert.deepEqual(JSON.parse(await store.list(at, { limit: 1, offset: 0 })), { rows: [], count: 0 })
await db.destroy()
process.disconnect?.()
