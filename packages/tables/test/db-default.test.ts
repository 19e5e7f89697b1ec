import { dbDefault, defineResources } from '@fastify-crud/core'
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
      length: Type.Integer({ default: dbDefault }),
      seen: Type.Optional(Type.Integer({ default: dbDefault })),
    },
  },
})

describeOnBoth('a field with `default: dbDefault`, and its column', (database) => {
  let open: OpenDatabase

  beforeEach(async () => {
    open = await database.open()
  })
  afterEach(() => open.close())

  const messagesOf = async (length: string, seen = 'seen integer default 0') => {
    const problems = await checkHandMade(
      open,
      { page: `create table page (id ID, title text not null, ${length}, ${seen})` },
      model,
    )
    return problems.map(({ severity, message }) => `${severity}: ${message}`)
  }

  test('a column with a default fits', async () => {
    expect(await messagesOf('length integer not null default 0')).toEqual([])
  })

  test('one without is named in a warning, as a trigger may fill it', async () => {
    const advice = 'but its field has dbDefault: give it a default, unless a trigger gives it a value'
    expect(await messagesOf('length integer not null', 'seen integer')).toEqual([
      `warning: column page.length is NOT NULL and has no default, ${advice}`,
      `warning: column page.seen has no default, ${advice}`,
    ])
  })

  test('a generated column that says nothing of null is a warning', async () => {
    const [, severity] = (await messagesOf('length integer generated always as (1 + 1) stored')).map(
      (message) => message.split(':')[0],
    )
    expect(severity).toBe('warning')
  })

  test('a generated column fits, but no body can set it', async () => {
    expect(await messagesOf('length integer not null generated always as (1 + 1) stored')).toEqual([
      'warning: column page.length is computed by the database: make its field readOnly, as no body can set it',
    ])
  })

  test('the SQL for a missing one says that it needs a default', async () => {
    const messages = await messagesOf('len integer', 'saw integer')
    expect(messages[0]).toMatch(/ADD COLUMN "length" \w+ NOT NULL, with a DEFAULT$/)
    expect(messages[1]).toMatch(/ADD COLUMN "seen" \w+, with a DEFAULT$/)
  })

  test('`createTables` makes the column without a default, and `checkTables` says so', async () => {
    await createTables(open.db, model)
    const problems = await checkTables(open.db, model)
    expect(problems.map(({ severity, column }) => `${severity}: ${column}`)).toEqual([
      'warning: length',
      'warning: seen',
    ])
  })
})
