import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const count = Type.Integer()
const resources = defineResources({
  order: {
    softDelete: 'deletedAt',
    fields: { name: Type.String() },
    computed: {
      byText: { schema: count, value: () => sql<number>`(select count(*) from "order")` },
      byBuilder: {
        schema: count,
        value: ({ eb }) => eb.selectFrom('order').select(({ fn }) => fn.countAll<number>().as('n')),
      },
      ofItself: { schema: count, value: () => sql<number>`1 + 1` },
    },
  },
})

describeOnBoth('SQL text over a table with softDelete', (database) => {
  test('is named in the log at start, as deleted rows count there', async () => {
    const { db, close } = await database.open()
    const lines: string[] = []
    const fastify = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => void lines.push(line) } } })
    try {
      await createTables(db, resources)
      await fastify.register(crudPlugin, { db, resources })
      await fastify.ready()
      const said = lines.map((line) => JSON.parse(line).msg as string).filter((text) => text.includes('SQL text'))
      expect(said).toEqual([
        "fastify-crud: order.computed.byText: its SQL text reads the table 'order', so deleted rows count there; use Kysely's builder",
      ])
    } finally {
      await fastify.close()
      await close()
    }
  })
})
