import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { category } from '../../packages/fastify-crud/test/contract/models/category.ts'
import { useApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { describeOnBoth } from '../support/describe-on-databases.ts'
import { festival } from '../support/festival.ts'
import { exercise } from './exercise.ts'
import { fill, numbersTo } from './fill.ts'
import { plansOf, thatAreCompiled, thatCompareWithEachId, thatReadWholeTables } from './plans.ts'

const ROWS = 10_000

describeOnBoth('the statements of a model with every relation kind', (database) => {
  const service = useApp(database, festival, { plugin: { handlers: {} } })

  test(`all use an index, in tables of ${ROWS.toLocaleString('en')} rows that the database knows nothing of`, async () => {
    await fill(service, ROWS)
    expect(thatReadWholeTables(await plansOf(service, 60, () => exercise(service)))).toEqual([])
  })
})

describeOnBoth('the statements of a model with every relation kind', (database) => {
  const service = useApp(database, festival, { plugin: { handlers: {} } })

  test('all use an index and none is compiled, in tables that the database knows', async () => {
    await fill(service, ROWS)
    await sql`analyze`.execute(service.db)
    const plans = await plansOf(service, 60, () => exercise(service))
    expect(thatReadWholeTables(plans)).toEqual([])
    expect(thatCompareWithEachId(plans)).toEqual([])
    expect(thatAreCompiled(plans)).toEqual([])
  })
})

describe('the statement that reads a record on PostgreSQL', () => {
  const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase
  const service = useApp(postgres, festival, { plugin: { handlers: {} } })

  test('finds what it needs and knows by an index, even in tables of 100 rows', async () => {
    await fill(service, 100)
    await sql`analyze`.execute(service.db)
    const [plan] = await plansOf(service, 0, () => service.read('/api/band/7'))
    for (const table of ['city', 'manager', 'sponsor', 'van', 'genre']) {
      const scans = plan?.steps.filter((step) => step.includes(` on ${table} `)) ?? []
      expect(scans).not.toEqual([])
      for (const scan of scans) expect(scan).toContain(`Index Scan using ${table}_pkey on`)
    }
  })
})

describeOnBoth('the statements of a tree of one kind of children', (database) => {
  const service = useApp(database, category, { plugin: { handlers: {} } })

  test('use an index, in a table that had no children when the database last looked', async () => {
    await sql`insert into category (id, name) ${numbersTo(ROWS)} select i, 'filled' from n`.execute(service.db)
    await sql`analyze`.execute(service.db)
    const plans = await plansOf(service, 5, async () => {
      const { id, categories } = await service.add('/api/category', { name: 'a', categories: [{ name: 'b' }] })
      const path = `/api/category/${id}`
      await service.add(`/api/category/${categories[0].id}/category`, { name: 'c' })
      for (const method of ['PATCH', 'PUT']) {
        expect((await service.request(method, path, { name: method })).status).toBe(200)
      }
      expect((await service.delete(path)).status).toBe(204)
    })
    expect(thatReadWholeTables(plans)).toEqual([])
    expect(thatAreCompiled(plans)).toEqual([])
  })
})

const name = Type.String()

/** Trees of two kinds of children, at the top or owned by another resource. */
const projects = defineResources({
  project: { fields: { name }, relations: { tasks: owns.many('task', { inverse: 'project' }) } },
  task: {
    fields: { name },
    relations: {
      project: ownedBy('project'),
      partOf: ownedBy('task', { optional: true }),
      parts: owns.many('task', { inverse: 'partOf' }),
      after: ownedBy('task', { optional: true }),
      next: owns.one('task', { inverse: 'after' }),
    },
  },
})

describeOnBoth('the statements of a tree of two kinds of children', (database) => {
  const service = useApp(database, projects, { plugin: { handlers: {} } })

  async function fillTrees(): Promise<void> {
    await sql`insert into project (id, name) ${numbersTo(ROWS)} select i, 'filled' from n`.execute(service.db)
    await sql`insert into task (id, name, "projectId", "partOfId", "afterId") ${numbersTo(ROWS)}
      select i, 'filled', case when i <= 20 then i end, case when i > 20 and i % 20 > 0 then i / 20 end,
        case when i > 20 and i % 20 = 0 then i / 20 end from n`.execute(service.db)
  }

  async function requestTrees(): Promise<void> {
    const tree = { name: 'a', parts: [{ name: 'b', next: { name: 'c' }, parts: [{ name: 'd' }] }] }
    const { id, tasks } = await service.add('/api/project', { name: 'p', tasks: [tree] })
    const free = await service.add('/api/task', tree)
    for (const path of [`/api/project/${id}/task/${tasks[0].id}`, `/api/task/${free.id}`]) {
      const [part] = (await service.read(path)).parts
      await service.add(`${path}/parts`, { name: 'e' })
      for (const one of [`${path}/parts/${part.id}`, path]) {
        for (const method of ['PATCH', 'PUT'])
          expect((await service.request(method, one, { name: method })).status).toBe(200)
      }
      expect((await service.delete(path)).status).toBe(204)
    }
  }

  async function requestTreesWithIndexes(): Promise<void> {
    const plans = await plansOf(service, 15, requestTrees)
    expect(thatReadWholeTables(plans)).toEqual([])
    expect(thatAreCompiled(plans)).toEqual([])
  }

  // In this order: what a database knows of a table outlives its rows.
  test('use an index and are not compiled, in tables that the database knows nothing of', async () => {
    await fillTrees()
    await requestTreesWithIndexes()
  })

  test('use an index and are not compiled, in tables that were empty when the database last looked', async () => {
    await sql`analyze`.execute(service.db)
    await fillTrees()
    await requestTreesWithIndexes()
  })

  test('use an index and are not compiled, in tables that the database knows', async () => {
    await fillTrees()
    await sql`analyze`.execute(service.db)
    await requestTreesWithIndexes()
  })
})

const tickets = defineResources({
  ticket: {
    fields: { status: Type.String({ maxLength: 20, index: true }), title: Type.String() },
    relations: { notes: owns.many('note') },
  },
  note: { fields: { title: Type.String() }, relations: { ticket: ownedBy('ticket') } },
})

describeOnBoth('a filter that makes the lower case of a text once', (database) => {
  const service = useApp(database, tickets)

  test('finds its rows by the indexes of its other conditions', async () => {
    await sql`insert into ticket (id, status, title) ${numbersTo(ROWS)} select i, 's' || i, 'Title' from n`.execute(
      service.db,
    )
    await sql`insert into note (id, title, "ticketId") ${numbersTo(ROWS)} select i, 'Note', i from n`.execute(
      service.db,
    )
    await sql`analyze`.execute(service.db)
    const or = ['a', 'TITLE', 'NOTE'].map((word) => ({ title: { icontains: word } }))
    const filters = [
      { status: 's7', or },
      { and: [{ or }, { status: { in: ['s7', 's8'] } }, { notes: { some: { id: 7, or } } }] },
    ]
    // The first list asks the driver what it can do.
    await service.read('/api/ticket?limit=1')
    const plans = await plansOf(service, 1, async () => {
      for (const filter of filters) {
        const query = new URLSearchParams({ filter: JSON.stringify(filter), count: 'none' })
        expect((await service.read(`/api/ticket?${query}`)).rows).toMatchObject([{ id: 7 }])
      }
    })
    for (const { steps } of plans) {
      const finds = /SEARCH t0 USING|Index Scan (?:using \S+ )?on ticket/
      expect(steps.filter((step) => finds.test(step))).not.toEqual([])
      expect(steps.filter((step) => /Seq Scan/.test(step))).toEqual([])
    }
  })
})
