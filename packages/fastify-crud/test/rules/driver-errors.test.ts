import { createTables } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { type AppOptions, useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { refuseBy, TRIGGER_WORDS } from '../../../../test/support/trigger.ts'
import { expectRefusals } from './support/expect-refusals.ts'
import type { Refusing } from './support/rules.ts'
import { shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'

async function createTablesWithTrigger(database: OpenDatabase): Promise<void> {
  await createTables(database.db, shop)
  for (const on of ['insert', 'update'] as const) {
    await refuseBy(database, { table: 'customer', on, when: "new.name like 'bad%'" })
  }
}

describeOnBoth('the option `errors`', (database) => {
  const seen: unknown[] = []
  let report: (refusing: Refusing) => void = () => {}
  const errors = (error: unknown, refusing: Refusing): void => {
    seen.push(error)
    report(refusing)
  }
  const plugin: NonNullable<AppOptions['plugin']> = { errors }
  const service = useApp(database, shop, { plugin, tables: createTablesWithTrigger })
  beforeEach(() => {
    seen.splice(0)
    report = () => {}
  })

  test('gets the error of the driver', async () => {
    await service.post('/api/customer', { name: 'bad' })
    expect(seen.length).toBeGreaterThan(0)
    for (const error of seen) {
      expect(error).toBeInstanceOf(Error)
      expect(String(error)).toContain(TRIGGER_WORDS)
    }
  })

  test('may refuse in the application’s own words', async () => {
    report = ({ refuse }) => refuse('no customer of this name')
    const expected = { code: 'CRUD_ERR_REFUSED' } as const
    const problem = await service.refuse('POST', '/api/customer', { name: 'bad' }, expected)
    expect(JSON.stringify(problem)).toContain('no customer of this name')
    expect(JSON.stringify(problem)).not.toContain(TRIGGER_WORDS)
  })

  test('may call a field invalid', async () => {
    report = ({ invalid }) => invalid('name', 'not this name')
    const { id } = await service.add('/api/customer', { name: 'good' })
    for (const [method, path] of [
      ['POST', '/api/customer'],
      ['PATCH', `/api/customer/${id}`],
    ] as const) {
      const problem = await service.refuse(method, path, { name: 'bad' }, { code: 'CRUD_ERR_INVALID' })
      expectRefusals(problem, ['/name', 'not this name'])
    }
  })

  test('that says nothing leaves the neutral answer', async () => {
    const problem = await service.refuse('POST', '/api/customer', { name: 'bad' }, { code: 'CRUD_ERR_REFUSED' })
    expect(JSON.stringify(problem)).not.toContain(TRIGGER_WORDS)
  })

  test('is not asked where nothing fails', async () => {
    await service.add('/api/customer', { name: 'good' })
    await service.refuse('POST', '/api/customer', { name: 1 }, { code: 'CRUD_ERR_INVALID' })
    expect(seen).toEqual([])
  })

  test('holds in the store, too', async () => {
    report = ({ refuse }) => refuse('no customer of this name')
    const store = storeWith(service.db, shop, {}, { errors })
    const created = store.resource('customer').create({ name: 'bad' })
    await expect(created).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    await expect(created).rejects.toThrow('no customer of this name')
  })
})
