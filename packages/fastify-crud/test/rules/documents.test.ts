import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { caller } from '../policies/support/as-caller.ts'
import { ledger, ledgerRules } from './support/ledger.ts'
import { withRules } from './support/rules.ts'

const sqlite = databases.find(({ name }) => name === 'sqlite') as TestDatabase
const openapi = { path: '/openapi.json' }

describe('the OpenAPI document, with `set`', () => {
  const { plugin } = withRules(ledgerRules, { caller, openapi })
  const service = useApp(sqlite, ledger, { plugin })
  let schemas: JsonBody
  beforeAll(async () => {
    const { payload } = await service.fastify.inject('/api/openapi.json')
    schemas = JSON.parse(payload).components.schemas
  })

  test('says that its fields are read-only, and which others are not', () => {
    const { properties } = schemas['account.record']
    for (const name of ['orgId', 'slug', 'openedAt', 'editedBy', 'editedAt']) {
      expect(properties[name], name).toMatchObject({ readOnly: true })
    }
    expect(properties.name).not.toHaveProperty('readOnly')
  })

  test('has none of them in the bodies of POST and PATCH', () => {
    for (const body of ['account.create', 'account.patch']) {
      expect(schemas[body].properties, body).not.toHaveProperty('orgId')
      expect(schemas[body].properties, body).toHaveProperty('name')
      expect(schemas[body].required ?? []).not.toContain('orgId')
    }
  })
})
