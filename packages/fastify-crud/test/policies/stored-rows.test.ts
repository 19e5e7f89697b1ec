import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('a write that leaves a row', (database) => {
  const { rows, ada } = useOffices(database)
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.second.id}`
  })

  test('outside of Add is 403, and nothing is stored', async () => {
    await ada.refuse('POST', '/api/customer', { name: 'x', orgId: 2 }, forbidden)
    await ada.refuse('POST', '/api/customer/900000', { name: 'x', orgId: 2 }, forbidden)
    expect((await ada.post('/api/customer', { name: 'x', orgId: 1 })).status).toBe(201)
  })

  test('outside of Edit is 403, and nothing is stored', async () => {
    const customer = `/api/customer/${rows.customer.ours.id}`
    await ada.refuse('PATCH', customer, { orgId: 2 }, forbidden)
    await ada.refuse('PUT', customer, { ...rows.customer.ours, orgId: 2 }, forbidden)
    await ada.refuse('PATCH', path, { orgId: 2 }, forbidden)
    await ada.refuse('PUT', path, { ...rows.invoice.second, orgId: 2, lines: [{ text: 'x' }] }, forbidden)
    expect((await ada.patch(customer, { name: 'x' })).status).toBe(200)
  })

  test('below it outside of Add or Edit is 403, at any place of the body', async () => {
    const { body: invoice } = await ada.patch(path, { notes: [{ text: 'mine', authorId: 1 }] })
    const [note] = invoice.notes
    const others = { text: 'in the name of Bob', authorId: 2 }
    await ada.refuse('POST', `${path}/note`, others, forbidden)
    await ada.refuse('PATCH', path, { number: 'x', notes: [{ text: 'x', authorId: 1 }, others] }, forbidden)
    await ada.refuse('PATCH', path, { notes: [{ id: note.id, authorId: 2 }] }, forbidden)
    await ada.refuse('PATCH', `${path}/note/${note.id}`, { authorId: 2 }, forbidden)
    await ada.refuse('PUT', path, { ...invoice, seal: { ...invoice.seal, signerId: 2 } }, forbidden)
    const created = { number: 'x', orgId: 1, customerId: rows.customer.ours.id }
    await ada.refuse('POST', '/api/invoice', { ...created, notes: [others] }, forbidden)
  })

  test('of many outside of Add is 403, and none of them is stored', async () => {
    const notes = Array.from({ length: 20 }, (_, n) => ({ text: `${n}`, authorId: n === 13 ? 2 : 1 }))
    await ada.refuse('PATCH', path, { notes }, forbidden)
  })
})

describeOnBoth('a row that the database changes as it is stored', (database) => {
  const { service, rows, ada } = useOffices(database)

  /** Rows whose name begins with `move` go to the other organisation. */
  async function addTrigger(): Promise<void> {
    if (database.name === 'sqlite') {
      for (const event of ['insert', 'update']) {
        await sql`create trigger ${sql.raw(`move_on_${event}`)} after ${sql.raw(event)} on project
          when new.name like 'move%' and new."orgId" <> 2
          begin update project set "orgId" = 2 where id = new.id; end`.execute(service.db)
      }
    } else {
      await sql`create or replace function move() returns trigger language plpgsql as
        $$ begin if new.name like 'move%' then new."orgId" := 2; end if; return new; end $$`.execute(service.db)
      await sql`create trigger move before insert or update on project for each row execute function move()`.execute(
        service.db,
      )
    }
  }

  test('is judged as it is stored, not as the body has it', async () => {
    await addTrigger()
    await ada.refuse('POST', '/api/project', { name: 'move it', orgId: 1 }, forbidden)
    const path = `/api/project/${rows.project.ours.id}`
    await ada.refuse('PATCH', path, { name: 'move it' }, forbidden)
    await ada.refuse('PUT', path, { name: 'move it', orgId: 1 }, forbidden)
    expect((await ada.patch(path, { name: 'stay' })).status).toBe(200)
  })
})
