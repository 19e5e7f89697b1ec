import type { Resource } from '@fastify-crud/core/internal'
import { expect } from 'vitest'
import type { TestApp } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { nthValue } from './nth-value.ts'

interface Made {
  readonly path: string
  readonly collection: string
  readonly record: JsonBody
}

/** How many records of each resource are made. */
const RECORDS = 2

const WRITES = /^\s*(?:update|insert|delete)/i

/**
 * Sends requests to every route of a service: makes records of each resource, reads, lists, filters by and sorts by each of their fields, puts
 * back what was read, changes and deletes them. Of rows without ids, there is the list.
 *
 * @param types the type of a column in the database, for texts of which not every one will do
 */
export async function tryEveryRoute(
  service: TestApp,
  resources: readonly Resource[],
  types: (table: string, column: string) => string | undefined,
): Promise<void> {
  const made = new Map<string, Made[]>()
  const inOrder = resources.filter(({ isWritable }) => isWritable).sort((one, other) => one.rank - other.rank)
  for (const resource of inOrder) {
    const records: Made[] = []
    made.set(resource.key, records)
    for (let n = 0; n < RECORDS; n += 1) records.push(await make(service, resource, n, made, types))
    for (const one of records) await readAndPutBack(service, one)
    await listThem(service, resource, records)
    if (resource.isTopLevel) await useAtTop(service, resource, records)
    for (const [n, one] of records.entries()) await change(service, resource, one, n, types)
  }
  for (const resource of resources) if (!resource.hasId) await listRows(service, resource)
  for (const resource of inOrder.reverse()) {
    for (const { path } of made.get(resource.key) ?? []) {
      const { status, body } = await service.delete(path)
      expect([path, status, body]).toEqual([path, 204, undefined])
    }
  }
}

async function make(
  service: TestApp,
  resource: Resource,
  n: number,
  made: ReadonlyMap<string, readonly Made[]>,
  types: (table: string, column: string) => string | undefined,
): Promise<Made> {
  const [ownedBy] = resource.ownedBy
  const owner = resource.isRoot || ownedBy === undefined ? undefined : made.get(ownedBy.target.key)?.[n]
  const collection = owner === undefined ? `/api/${resource.route}` : `${owner.path}/${ownedBy?.inverse.segment}`
  const body: Record<string, unknown> = {}
  if (resource.id.assignedBy === 'client') body.id = idOf(resource, n)
  for (const field of resource.fields) {
    if (!field.readOnly) body[field.name] = nthValue(field, n, types(resource.table, field.column))
  }
  for (const { property, target } of resource.references) {
    const other = made.get(target.key)?.[n]
    if (other !== undefined) body[property] = other.record.id
  }
  const { status, body: record } = await service.post(collection, body)
  expect([collection, body, status, record]).toEqual([collection, body, 201, record])
  for (const field of resource.fields) {
    if (!field.readOnly && !field.writeOnly)
      expect([field.name, inUtc(record[field.name])]).toEqual([field.name, body[field.name]])
  }
  return { collection, record, path: `${collection}/${encodeURIComponent(record.id)}` }
}

function idOf({ id }: Resource, n: number): unknown {
  if (id.name === 'text') return `k${n}`
  return id.name === 'uuid' ? `7f1de3f0-3c0b-4f5e-9d0a-2f9d6c1b8a1${n}` : id.name === 'bigint' ? `${n + 101}` : n + 101
}

async function readAndPutBack(service: TestApp, { path, record }: Made): Promise<void> {
  expect(await service.read(path)).toEqual(record)
  const statements = await service.statements(async () => {
    const { status, body } = await service.put(path, record)
    expect([path, status, body]).toEqual([path, 200, record])
  })
  expect(statements.filter((one) => WRITES.test(one))).toEqual([])
}

async function listThem(service: TestApp, { fields, references }: Resource, records: readonly Made[]): Promise<void> {
  for (const { collection, record } of records) {
    const query = (value: object) => `${collection}?filter=${encodeURIComponent(JSON.stringify(value))}`
    const compared = fields.filter(({ writeOnly, storage }) => !writeOnly && storage !== 'json' && storage !== 'bytes')
    for (const name of [...compared.map((field) => field.name), ...references.map(({ property }) => property)]) {
      const value = record[name]
      const { rows } = await service.read(query({ [name]: value ?? { null: true } }))
      expect([name, value, rows.map(({ id }: JsonBody) => id)]).toEqual([
        name,
        value,
        expect.arrayContaining([record.id]),
      ])
    }
    for (const { name } of compared) {
      const ids: unknown[] = []
      for (
        let path: string | undefined = `${collection}?limit=1&sort=${encodeURIComponent(name)}`;
        path !== undefined;
      ) {
        const page = await service.get(path)
        expect([path, page.status]).toEqual([path, 200])
        ids.push(...page.body.rows.map(({ id }: JsonBody) => id))
        path = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1]
      }
      const siblings = records.filter((other) => other.collection === collection).map((other) => other.record.id)
      expect([name, ids]).toEqual([name, expect.arrayContaining(siblings)])
      expect([name, new Set(ids).size]).toEqual([name, ids.length])
    }
  }
}

/** The same records by the route that names no owner: they have the foreign keys of their owners. */
async function useAtTop(service: TestApp, resource: Resource, records: readonly Made[]): Promise<void> {
  const collection = `/api/${resource.route}`
  const atTop: Made[] = []
  for (const { record } of records) {
    const path = `${collection}/${encodeURIComponent(record.id)}`
    const shown = await service.read(path)
    expect(shown).toMatchObject(record)
    for (const { foreignKey } of resource.ownedBy) {
      const filter = encodeURIComponent(JSON.stringify({ [foreignKey]: shown[foreignKey] ?? { null: true } }))
      const { rows } = await service.read(`${collection}?filter=${filter}`)
      expect(rows.map(({ id }: JsonBody) => id)).toContainEqual(record.id)
    }
    atTop.push({ collection, path, record: shown })
  }
  for (const one of atTop) await readAndPutBack(service, one)
  await listThem(service, resource, atTop)
}

/** Filters by and sorts by each field of rows without ids, with the values that there are. */
async function listRows(service: TestApp, { route, fields }: Resource): Promise<void> {
  const collection = `/api/${route}`
  expect((await service.post(collection, {})).status).toBe(405)
  const { rows, count } = await service.read(`${collection}?limit=100`)
  expect(count).toBe(rows.length)
  const compared = fields.filter(({ writeOnly, storage }) => !writeOnly && storage !== 'json' && storage !== 'bytes')
  for (const { name } of compared) {
    for (const { [name]: value } of rows) {
      const filter = encodeURIComponent(JSON.stringify({ [name]: value ?? { null: true } }))
      const found = await service.read(`${collection}?limit=100&filter=${filter}`)
      expect(found.rows.map((row: JsonBody) => row[name])).toContainEqual(value)
    }
    const sorted: JsonBody[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: JsonBody = await service.read(
        `${collection}?limit=1&sort=${encodeURIComponent(name)}${after && `&after=${after}`}`,
      )
      sorted.push(...page.rows)
      after = page.next
    }
    expect([name, sorted.map((row) => JSON.stringify(row)).sort()]).toEqual([
      name,
      rows.map((row: JsonBody) => JSON.stringify(row)).sort(),
    ])
  }
}

/** Each record gets the values of another one that does not exist. */
async function change(
  service: TestApp,
  resource: Resource,
  { path, record }: Made,
  n: number,
  types: (table: string, column: string) => string | undefined,
): Promise<void> {
  const changes = resource.fields
    .filter((field) => !field.readOnly && !resource.idMembers.includes(field))
    .map((field) => [field.name, nthValue(field, n + RECORDS, types(resource.table, field.column))] as const)
  const { status, body } = await service.patch(path, Object.fromEntries(changes))
  expect([path, status, body]).toEqual([path, 200, body])
  const hidden = new Set(resource.fields.flatMap(({ name, writeOnly }) => (writeOnly ? [name] : [])))
  const shown = Object.fromEntries(changes.filter(([name]) => !hidden.has(name)))
  const changed = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, inUtc(value)]))
  expect(changed).toMatchObject({ id: record.id, ...shown })
}

/** A column of milliseconds shows them all. */
function inUtc(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(?<=T\d\d:\d\d:\d\d)\.000Z$/, 'Z') : value
}
