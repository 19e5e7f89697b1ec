import { Type } from '@sinclair/typebox'
import { createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { refuseBy, TRIGGER_WORDS } from '../../../../test/support/trigger.ts'

const resources = defineResources({
  order: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { text: Type.String() }, relations: { order: ownedBy('order') } },
})

async function createTablesWithTriggers(database: OpenDatabase): Promise<void> {
  await createTables(database.db, resources)
  await refuseBy(database, { table: 'order', on: 'insert', when: "new.name = 'bad'" })
  await refuseBy(database, { table: 'order', on: 'update', when: "new.name = 'bad'" })
  await refuseBy(database, { table: 'line', on: 'insert', when: "new.text = 'bad'" })
  await refuseBy(database, { table: 'line', on: 'delete', when: "old.text = 'kept'" })
  // A function may give its error any code, also one that PostgreSQL has for something else.
  await refuseBy(database, { table: 'line', on: 'update', when: "new.text = 'bad'", code: '23514' })
}

const code = 'CRUD_ERR_REFUSED'

describeOnDrivers('an error that a trigger raises', (database) => {
  const { fastify, lines } = errorLog('info')
  const service = useApp(database, resources, { tables: createTablesWithTriggers, fastify })

  test('is 409, whichever row and whichever write it refuses, and nothing is stored', async () => {
    await service.refuse('POST', '/api/order', { name: 'bad' }, { code, pointers: [''] })
    const { id } = await service.add('/api/order', { name: 'good', lines: [{ text: 'a' }, { text: 'b' }] })
    const path = `/api/order/${id}`
    await service.refuse('PATCH', path, { name: 'bad' }, { code, pointers: [''] })
    await service.refuse('PUT', path, { name: 'bad', lines: [] }, { code, pointers: [''] })
    await service.refuse(
      'PATCH',
      path,
      { note: 'n', lines: [{ text: 'c' }, { text: 'bad' }] },
      { code, pointers: ['/lines/1'] },
    )
  })

  test('of a row that is changed in place points to that row', async () => {
    const { id, lines } = await service.add('/api/order', { name: 'good', lines: [{ text: 'a' }, { text: 'b' }] })
    const bad = [lines[0], { ...lines[1], text: 'bad' }]
    await service.refuse('PATCH', `/api/order/${id}`, { lines: bad }, { code, pointers: ['/lines/1'] })
  })

  test('keeps a record and its owner from being deleted', async () => {
    const { id, lines } = await service.add('/api/order', { name: 'good', lines: [{ text: 'kept' }, { text: 'b' }] })
    await service.refuse('DELETE', `/api/order/${id}`, undefined, { code })
    await service.refuse('DELETE', `/api/order/${id}/line/${lines[0].id}`, undefined, { code })
    await service.refuse('PUT', `/api/order/${id}`, { name: 'good' }, { code })
    const text = 'not kept any more'
    await service.patch(`/api/order/${id}/line/${lines[0].id}`, { text })
    expect((await service.delete(`/api/order/${id}/line/${lines[0].id}`)).status).toBe(204)
    expect((await service.delete(`/api/order/${id}/line/${lines[1].id}`)).status).toBe(204)
  })

  test('is told in the log and to nobody else', async () => {
    const answer = await service.post('/api/order', { name: 'bad' })
    expect(JSON.stringify(answer)).not.toContain(TRIGGER_WORDS)
    expect(lines.some((line) => line.includes(TRIGGER_WORDS))).toBe(true)
  })
})
