import { defineResources } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../test/support/databases.ts'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { checkHandMade } from './hand-made.ts'

const access = { Edit: ['editor'] }
const model = defineResources({
  page: {
    fields: {
      title: Type.String(),
      length: Type.Integer({ access }),
      state: Type.String({ access, default: 'new' }),
      seen: Type.Optional(Type.Integer({ access })),
      note: Type.String({ access: { View: ['editor'] } }),
    },
  },
})

describeOnBoth('a field that only some callers may set, and its column', (database) => {
  let open: OpenDatabase

  beforeEach(async () => {
    open = await database.open()
  })
  afterEach(() => open.close())

  const messagesOf = async (length: string, seen = 'seen integer') => {
    const others = 'title text not null, state text not null, note text not null'
    const problems = await checkHandMade(
      open,
      { page: `create table page (id ID, ${others}, ${length}, ${seen})` },
      model,
    )
    return problems.map(({ severity, message }) => `${severity}: ${message}`)
  }

  test('a column that may not be null has a default, or a warning', async () => {
    expect(await messagesOf('length integer not null default 0')).toEqual([])
    expect(await messagesOf('length integer not null')).toEqual([
      'warning: column page.length is NOT NULL and has no default, but not every caller may set its field: give it a default, unless a trigger gives it a value',
    ])
  })

  test('a column has to take what other callers set', async () => {
    expect(await messagesOf('length integer not null generated always as (1 + 1) stored')).toEqual([
      'error: column page.length is computed by the database, but the service writes it',
    ])
    expect(await messagesOf('length integer not null default 0', 'seen integer not null default 0')).toEqual([
      expect.stringMatching(/^error: column page\.seen is NOT NULL, but the model allows null/),
    ])
  })

  test('the SQL for a missing one says that it needs a default for new rows, too', async () => {
    const [message] = await messagesOf('len integer')
    expect(message).toMatch(/ADD COLUMN "length" \w+ NOT NULL, with a DEFAULT$/)
  })
})
