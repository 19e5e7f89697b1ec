import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { asCaller, caller, type Policies } from './support/as-caller.ts'

const things = defineResources({
  thing: {
    table: 'things',
    columns: { isOpen: 'is_open', ownerNo: 'owner_no', kindId: 'kind_no' },
    fields: {
      code: Type.String(),
      isOpen: Type.Boolean(),
      ownerNo: Type.Optional(Type.Integer()),
      price: Type.Optional(Type.Number()),
      day: Type.Optional(Type.String({ format: 'date' })),
      at: Type.Optional(Type.String({ format: 'date-time' })),
      data: Type.Optional(Type.Any()),
      secret: Type.Optional(Type.String({ writeOnly: true })),
    },
    relations: { kind: knows.one('kind'), bits: owns.many('bit') },
    unique: [['code']],
  },
  bit: {
    fields: { n: Type.Integer(), flag: Type.Optional(Type.Boolean()), data: Type.Optional(Type.Any()) },
    relations: { thing: ownedBy('thing') },
    unique: [['thing', 'n']],
  },
  kind: { fields: { name: Type.String() } },
})

type Rule = Policies[string]

/** A rule for rows that are added and changed; each may be seen. */
const policyOf = (Add: Rule): Rule => ({ View: true, Add, Edit: { before: true, after: Add }, Delete: true }) as Rule

const rules: Policies = {
  boolean: ({ eb }) => eb('is_open', '=', true),
  caller: ({ eb, my }) => eb('owner_no', '=', my('id')),
  number: ({ eb }) => eb('price', '>', 1.5),
  date: ({ eb }) => eb('day', '>', '2026-01-01'),
  moment: ({ eb }) => eb('at', 'is not', null),
  empty: ({ eb }) => eb('price', 'is', null),
  secret: ({ eb }) => eb('secret', '=', 's'),
  kind: ({ eb }) =>
    eb.exists(
      eb
        .selectFrom('kind')
        .select('kind.id')
        .whereRef('kind.id', '=', 'things.kind_no')
        .where('kind.name', '=', 'good'),
    ),
}

const bitRule: Rule = policyOf(({ eb }) => eb('flag', '=', true))

const taken = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('a planned row with a value that is taken', (database) => {
  const service = useApp(database, things, {
    plugin: {
      caller,
      policies: {
        kind: true,
        bit: bitRule,
        thing: Object.fromEntries(Object.entries(rules).map(([role, rule]) => [role, policyOf(rule)])) as Rule,
      } as Policies,
    },
  })
  let full: JsonBody
  let bad: number
  let id: number

  beforeEach(async () => {
    const all = createStore({ db: service.db, resources: things })
    const [good, other] = [await all.kind.create({ name: 'good' }), await all.kind.create({ name: 'bad' })]
    bad = other.id
    full = {
      isOpen: true,
      ownerNo: 7,
      price: 2.25,
      day: '2026-02-02',
      at: '2026-02-02T10:00:00Z',
      data: { a: [1, 'x', null] },
      secret: 's',
      kindId: good.id,
    }
    await all.thing.create({ ...full, code: 'taken' } as never)
    id = (await all.thing.create({ ...full, code: 'other', bits: [{ n: 1, flag: true }] } as never)).id
  })

  test.each<[role: string, allowed: object, refused: object]>([
    ['boolean', {}, { isOpen: false }],
    ['caller', {}, { ownerNo: 8 }],
    ['caller', {}, { ownerNo: null }],
    ['number', {}, { price: 1 }],
    ['date', {}, { day: '2025-01-01' }],
    ['moment', {}, { at: null }],
    ['empty', { price: null }, {}],
    ['secret', {}, { secret: 't' }],
    ['kind', {}, { kindId: 0 }],
  ])('is 409 if the policy allows it, else 403: %s %j %j', async (role, allowed, refused) => {
    const client = asCaller(service, { user: 7, roles: [role] })
    const ok = { ...full, ...allowed, code: 'taken' }
    const no = { ...full, ...refused, code: 'taken' }
    if (no.kindId === 0) no.kindId = bad
    for (const [method, path] of [
      ['POST', '/api/thing'],
      ['POST', '/api/thing/900000'],
      ['PUT', `/api/thing/${id}`],
      ['PATCH', `/api/thing/${id}`],
    ] as const) {
      await client.refuse(method, path, ok, taken)
      await client.refuse(method, path, no, forbidden)
    }
  })

  test('is judged below its owner, too', async () => {
    const client = asCaller(service, { roles: ['boolean'] })
    const path = `/api/thing/${id}`
    await client.refuse('PATCH', path, { bits: [{ n: 1, flag: true }] }, taken)
    await client.refuse('PATCH', path, { bits: [{ n: 1, flag: false }] }, forbidden)
    await client.refuse('PATCH', path, { bits: [{ n: 2, flag: true, data: 'x' }, { n: 1 }] }, forbidden)
    await client.refuse('POST', `${path}/bit`, { n: 1, flag: true }, taken)
    await client.refuse('POST', `${path}/bit`, { n: 1, flag: false }, forbidden)
    await client.refuse('POST', '/api/thing', { ...full, code: 'taken', bits: [{ n: 1, flag: false }] }, forbidden)
    const twice = (flag: boolean) => ({
      ...full,
      code: 'new',
      bits: [
        { n: 1, flag: true },
        { n: 1, flag },
      ],
    })
    await client.refuse('POST', '/api/thing', twice(true), taken)
    await client.refuse('POST', '/api/thing', twice(false), forbidden)
  })
})

describeOnBoth('a policy over many rows of one body', (database) => {
  const policies = { kind: true, bit: bitRule, thing: true } as Policies
  const service = useApp(database, things, { plugin: { caller, policies } })

  test('refuses all for one of them', async () => {
    const client = asCaller(service, {})
    const size = 2000
    const bits = Array.from({ length: size }, (_, n) => ({ n, flag: true }))
    const { body: thing } = await client.post('/api/thing', { code: 'many', isOpen: true, bits })
    expect(thing.bits).toHaveLength(size)
    const path = `/api/thing/${thing.id}`
    const changed = (wrong?: number) =>
      thing.bits.map((bit: JsonBody, index: number) => ({ ...bit, n: bit.n - size, flag: index !== wrong }))
    await client.refuse('PUT', path, { ...thing, bits: changed(1500) }, forbidden)
    await client.refuse('PUT', path, { ...thing, bits: [...thing.bits, { n: -1, flag: false }] }, forbidden)
    expect((await client.put(path, { ...thing, bits: changed() })).status).toBe(200)
  })
})
