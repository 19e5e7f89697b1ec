import { stamps, timestamps, transitions } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { caller } from '../policies/support/as-caller.ts'
import { catalog } from './support/catalog.ts'
import { desk, deskRules } from './support/desk.ts'
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

describe('the OpenAPI document, with `set` of foreign keys', () => {
  const { plugin } = withRules(deskRules, { caller, openapi })
  const service = useApp(sqlite, desk, { plugin })
  let document: JsonBody
  beforeAll(async () => {
    document = JSON.parse((await service.fastify.inject('/api/openapi.json')).payload)
  })

  test('says that they are read-only, and which others are not', () => {
    const { properties, required } = document.components.schemas['ticket.record']
    for (const name of ['orgId', 'createdById', 'updatedById']) {
      expect(properties[name], name).toMatchObject({ readOnly: true })
      expect(required).toContain(name)
    }
    expect(properties.topicId).not.toHaveProperty('readOnly')
  })

  test('has none of them in the bodies of POST and PATCH, at every depth, nor in their examples', () => {
    const bodies = {
      'ticket.create': 'orgId',
      'ticket.patch': 'createdById',
      'comment.create': 'authorId',
      'comment.patch': 'authorId',
      'reply.create': 'writtenBy',
    }
    for (const [body, name] of Object.entries(bodies)) {
      const { properties, required = [] } = document.components.schemas[body]
      expect(properties, body).not.toHaveProperty(name)
      expect(required, body).not.toContain(name)
    }
    const { post } = document.paths['/api/ticket']
    expect(JSON.stringify(post.requestBody)).not.toMatch(/orgId|authorId|writtenBy/)
    expect(post.description).not.toMatch(/must name the existing records/)
    expect(document.components.schemas['ticket.create'].properties).toHaveProperty('topicId')
  })

  test('says that a PUT ignores them, in new records as well', () => {
    const { schemas } = document.components
    for (const body of ['ticket.replace', 'comment.replace', 'comment.createInReplace']) {
      const name = body.startsWith('ticket') ? 'orgId' : 'authorId'
      expect(schemas[body]?.properties[name], body).toEqual({ description: 'Read-only, and ignored here.' })
      expect(schemas[body].required).not.toContain(name)
    }
  })
})

const time = Type.String({ format: 'date-time' })

const papers = defineResources({
  paper: {
    fields: { status: Type.String(), createdAt: time, updatedAt: time, createdBy: Type.Integer() },
    relations: { pages: owns.many('page') },
  },
  page: { fields: { text: Type.String() }, relations: { paper: ownedBy('paper'), seeAlso: knows.one('paper') } },
})

describe('the OpenAPI document, with ready-made rules', () => {
  const { plugin } = withRules(
    {
      paper: [timestamps(), stamps({ createdBy: 'id' }), transitions('status', { draft: ['done'], done: [] })],
    },
    { caller, openapi },
  )
  const service = useApp(sqlite, papers, { plugin })
  let document: JsonBody
  beforeAll(async () => {
    document = JSON.parse((await service.fastify.inject('/api/openapi.json')).payload)
  })

  test('says that times and stamps are read-only, and has them in no body that would be refused', () => {
    const { schemas } = document.components
    for (const name of ['createdAt', 'updatedAt', 'createdBy']) {
      expect(schemas['paper.record'].properties[name], name).toMatchObject({ readOnly: true })
      expect(schemas['paper.record'].required).toContain(name)
      for (const body of ['paper.create', 'paper.patch']) {
        expect(schemas[body].properties, body).not.toHaveProperty(name)
        expect(schemas[body].required ?? []).not.toContain(name)
      }
    }
  })

  test('says with what a status begins, and that a body may leave it out', () => {
    const { properties, required = [] } = document.components.schemas['paper.create']
    expect(properties.status).toMatchObject({ default: 'draft' })
    expect(required).not.toContain('status')
  })

  test('has CRUD_ERR_REFUSED wherever a rule can refuse: also below the record and beside it', () => {
    let writes = 0
    for (const [path, item] of Object.entries<JsonBody>(document.paths)) {
      for (const [method, operation] of Object.entries<JsonBody>(item)) {
        const isQuery = /\/\$(?:list|group)$/.test(path)
        const isWrite = ['post', 'put', 'patch', 'delete'].includes(method) && !isQuery
        if (!isWrite) continue
        const ref = operation.responses[409].$ref as string
        const { description } = document.components.responses[ref.split('/').at(-1) as string]
        expect(description, `${method} ${path}`).toContain(
          'a rule or the database refused the change (`CRUD_ERR_REFUSED`)',
        )
        writes++
      }
    }
    expect(writes).toBe(16)
  })
})

describe('the OpenAPI document, with computed fields', () => {
  const service = useApp(sqlite, catalog, { plugin: { openapi } })
  let document: JsonBody
  beforeAll(async () => {
    const { payload } = await service.fastify.inject('/api/openapi.json')
    document = JSON.parse(payload)
  })

  test('has them in the record, read-only, with their types', () => {
    const { properties } = document.components.schemas['bill.record']
    for (const name of ['total', 'shown', 'label', 'twice']) expect(properties[name]).toMatchObject({ readOnly: true })
    expect(JSON.stringify(properties.total)).toMatch(/integer|number/)
    expect(JSON.stringify(properties.label)).toContain('string')
  })

  test('has none of them in the bodies of POST and PATCH', () => {
    for (const body of ['bill.create', 'bill.patch']) {
      const { properties } = document.components.schemas[body]
      for (const name of ['total', 'shown', 'label', 'twice']) expect(properties, body).not.toHaveProperty(name)
    }
  })

  test('has them among the keys of filters', () => {
    const { parameters } = document.paths['/api/bill'].get
    const text = JSON.stringify([parameters, document.components.parameters])
    expect(text).toContain('total')
    expect(text).toContain('label')
  })
})
