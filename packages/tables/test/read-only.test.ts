import { defineResources } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { checkHandMade } from './hand-made.ts'

const model = defineResources({
  page: {
    fields: {
      title: Type.String(),
      length: Type.Integer({ readOnly: true }),
      state: Type.String({ readOnly: true, default: 'new' }),
      seen: Type.Optional(Type.Integer({ readOnly: true })),
    },
  },
})

describeOnBoth('a read-only field, and its column', (database) => {
  let open: OpenDatabase

  beforeEach(async () => {
    open = await database.open()
  })
  afterEach(() => open.close())

  const messagesOf = async (columns: string) => {
    const problems = await checkHandMade(open, { page: `create table page (id ID, ${columns})` }, model)
    return problems.map(({ severity, message }) => `${severity}: ${message}`)
  }

  test('the database may compute a column that no request writes', async () => {
    const length = 'length integer not null generated always as (1 + 1) stored'
    expect(await messagesOf(`title text not null, ${length}, state text not null, seen integer`)).toEqual([])
  })

  test('a column that may not be null has a default, or a warning', async () => {
    const columns = (length: string, seen: string) =>
      `title text not null, length integer ${length}, state text not null, seen integer ${seen}`
    expect(await messagesOf(columns('not null default 0', 'not null default 0'))).toEqual([])
    const warning = (name: string) =>
      `warning: column page.${name} is NOT NULL and has no default, but its field is read-only: give it a default, unless a trigger gives it a value`
    expect(await messagesOf(columns('not null', 'not null'))).toEqual([warning('length'), warning('seen')])
  })

  test('a default of the model is written, so the column must not be computed', async () => {
    const state = "state text not null generated always as ('a') stored"
    expect(await messagesOf(`title text not null, length integer not null default 0, ${state}, seen integer`)).toEqual([
      'error: column page.state is computed by the database, but the service writes it',
    ])
  })

  test('a column that may be null is an error where the field may not', async () => {
    expect(await messagesOf('title text not null, length integer, state text not null, seen integer')).toEqual([
      expect.stringMatching(/^error: column page\.length allows null, but the model does not/),
    ])
  })

  test('the SQL for a missing one says that it needs a default for new rows, too', async () => {
    const [message] = await messagesOf('title text not null, state text not null, seen integer')
    expect(message).toMatch(/ADD COLUMN "length" \w+ NOT NULL, with a DEFAULT$/)
  })

  test('createTables makes a required one NOT NULL, and checkTables says that it needs a default', async () => {
    await createTables(open.db, model)
    expect(await checkTables(open.db, model)).toMatchObject([
      {
        kind: 'default',
        severity: 'warning',
        table: 'page',
        column: 'length',
        message: expect.stringMatching(/^column page\.length is NOT NULL and has no default/),
      },
    ])
  })
})
