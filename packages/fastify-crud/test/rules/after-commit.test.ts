import { beforeEach, expect, test } from 'vitest'
import { buildApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { asCaller, caller } from '../policies/support/as-caller.ts'
import { useCommits } from './support/commits.ts'
import { gate } from './support/gate.ts'
import { type Committed, type TestRules, withRules } from './support/rules.ts'
import { fillShop, shop } from './support/shop.ts'
import { useShop } from './support/use-shop.ts'

describeOnBoth('`afterCommit`', (database) => {
  const commits = useCommits()
  const rules: TestRules = { line: commits.rule, customer: commits.rule }
  const filled = useShop(database, rules, { caller })
  const ada = asCaller(filled.service, { user: 4 })

  test('gets the rows of its resource in one call for each write, and the caller', async () => {
    const [first] = filled.order.lines
    const lines = [
      { ...first, text: 'A' },
      { text: 'c', amount: 3 },
    ]
    const { body } = await ada.put(filled.path, { ...filled.order, lines })
    await commits.until(1)
    const [commit] = commits.calls
    expect(commits.calls).toHaveLength(1)
    expect(commit?.caller).toMatchObject({ id: 4 })
    expect(commit?.rows).toHaveLength(3)
    expect(Object.fromEntries(commit?.rows.map((row) => [row.action, row]) ?? [])).toMatchObject({
      Add: { after: { id: body.lines[1].id, text: 'c' } },
      Edit: { before: { id: first.id, text: 'a' }, after: { id: first.id, text: 'A' } },
      Delete: { before: { text: 'b' } },
    })
  })

  test('is not called for a write that changes nothing, nor for another resource', async () => {
    await ada.put(filled.path, await ada.read(filled.path))
    await ada.patch(filled.path, { title: 'second' })
    await ada.patch(`/api/customer/${filled.rows.other.id}`, { name: 'Cy' })
    await commits.until(1)
    expect(commits.calls.map(({ rows }) => rows)).toMatchObject([[{ action: 'Edit', after: { name: 'Cy' } }]])
  })
})

describeOnBoth('`afterCommit` is called', (database) => {
  test('when others see what was written: never before the commit', async () => {
    const seen: unknown[] = []
    const service = await buildApp(
      database,
      shop,
      withRules({
        customer: {
          async afterCommit({ rows }: Committed) {
            const ids = rows.map(({ after }) => after.id)
            seen.push(await service.db.selectFrom('customer').select('name').where('id', 'in', ids).execute())
          },
        },
      }),
    )
    try {
      for (const name of ['a', 'b', 'c']) await service.add('/api/customer', { name })
      await service.fastify.close()
      expect(seen).toHaveLength(3)
      expect(seen).toEqual(expect.arrayContaining([[{ name: 'a' }], [{ name: 'b' }], [{ name: 'c' }]]))
    } finally {
      await service.close()
    }
  })

  test('never for what was rolled back, and once for everything else', async () => {
    const calls: Committed[] = []
    const rules: TestRules = {
      customer: [
        {
          validate({ after, refuse, invalid }) {
            if (after?.name === 'refused') refuse('refused')
            if (after?.name === 'invalid') invalid('name', 'invalid')
          },
        },
        {
          invariant: {
            reads: ['name'],
            test({ after, refuse }) {
              if (after?.name === 'broken') refuse('broken')
            },
          },
        },
        {
          afterWrite({ after }) {
            if (after?.name === 'thrown') throw new Error('thrown')
          },
        },
        { afterCommit: (committed: Committed) => void calls.push(committed) },
      ],
    }
    const service = await buildApp(database, shop, withRules(rules))
    try {
      const { customer } = await fillShop(service.db)
      const statuses: number[] = []
      for (const name of ['refused', 'invalid', 'broken', 'thrown', 'good']) {
        statuses.push((await service.post('/api/customer', { name })).status)
        statuses.push((await service.patch(`/api/customer/${customer.id}`, { name })).status)
      }
      await service.request('POST', '/api/customer', { name: 'dry' }, { prefer: 'tx=rollback' })
      statuses.push((await service.delete(`/api/customer/${customer.id}`)).status)
      expect(statuses).toEqual([409, 409, 400, 400, 409, 409, 500, 500, 201, 200, 409])
      await service.fastify.close()
      expect(calls.flatMap(({ rows }) => rows.map(({ action, after }) => [action, after.name])).sort()).toEqual([
        ['Add', 'good'],
        ['Edit', 'good'],
      ])
    } finally {
      await service.close()
    }
  })
})

describeOnBoth('`afterCommit` that takes its time', (database) => {
  let held = gate()
  beforeEach(() => {
    held = gate()
  })

  test('keeps nobody waiting but `app.close()`', async () => {
    const turns: string[] = []
    const service = await buildApp(
      database,
      shop,
      withRules({
        customer: {
          async afterCommit() {
            await held.opened
            turns.push('afterCommit is done')
          },
        },
      }),
    )
    try {
      await service.add('/api/customer', { name: 'a' })
      expect((await service.read('/api/customer')).count).toBe(1)
      await service.add('/api/coupon', { code: 'c' })
      const closed = service.fastify.close().then(() => turns.push('closed'))
      await service.db.selectFrom('customer').selectAll().execute()
      expect(turns).toEqual([])
      held.open()
      await closed
      expect(turns).toEqual(['afterCommit is done', 'closed'])
    } finally {
      held.open()
      await service.close()
    }
  })
})

describeOnBoth('`afterCommit` that throws', (database) => {
  test('is logged, and the answer has been sent already', async () => {
    for (const afterCommit of [
      () => {
        throw new Error('at once, no mail')
      },
      async () => {
        throw new Error('later, no mail')
      },
    ]) {
      const { fastify, lines } = errorLog()
      const others: string[] = []
      const other = { afterCommit: () => void others.push('called') }
      const rules = { customer: [{ afterCommit }, other] }
      const service = await buildApp(database, shop, { ...withRules(rules), fastify })
      try {
        const { id } = await service.add('/api/customer', { name: 'a' })
        expect(await service.read(`/api/customer/${id}`)).toEqual({ id, name: 'a' })
        await service.fastify.close()
        expect(lines.filter((line) => line.includes('no mail'))).toHaveLength(1)
        expect(others).toEqual(['called'])
      } finally {
        await service.close()
      }
    }
  })

  test('ends nothing where the log fails as well', async () => {
    let attempts = 0
    const failing = {
      write() {
        attempts += 1
        throw new Error('the disk is full')
      },
    }
    const afterCommit = () => {
      throw new Error('no mail')
    }
    const rules = { customer: { afterCommit } }
    const fastify = { logger: { level: 'error', stream: failing } } as const
    const service = await buildApp(database, shop, { ...withRules(rules), fastify })
    try {
      // Nobody closes the service meanwhile. A rejection that nobody handles would end a process, and fails a test.
      const { id } = await service.add('/api/customer', { name: 'a' })
      await expect.poll(() => attempts).toBe(1)
      expect(await service.read(`/api/customer/${id}`)).toEqual({ id, name: 'a' })
    } finally {
      await service.close()
    }
  })

  test('can write to the log of the request', async () => {
    const { fastify, lines } = errorLog('info')
    const rules = { customer: { afterCommit: ({ log }: Committed) => log.info('a mail was sent') } }
    const service = await buildApp(database, shop, { ...withRules(rules), fastify })
    try {
      await service.add('/api/customer', { name: 'a' })
      await service.fastify.close()
      expect(lines.filter((line) => line.includes('a mail was sent'))).toHaveLength(1)
    } finally {
      await service.close()
    }
  })
})
