import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { defineResources } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'

const resources = defineResources({ note: { fields: { text: Type.String() } } })

const sqlite = databases.find(({ name }) => name === 'sqlite') as TestDatabase

describe('a list of all records (sqlite)', () => {
  const service = useApp(sqlite, resources)

  test('counts them by the pages of the table, without a look at each', async () => {
    const [statement = ''] = await service.statements(() => service.read('/api/note'))
    const database = new SqliteDriver(service.database.location)
    const program = database
      .prepare<unknown[], { opcode: string }>(`explain ${statement}`)
      .all(...Array(statement.split('?').length - 1).fill(null))
    database.close()
    expect(program.map(({ opcode }) => opcode)).toContain('Count')
  })
})
