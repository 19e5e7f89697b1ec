import { Type } from '@sinclair/typebox'
import { defineResources, knows, ModelError, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({
  team: {
    fields: { name: Type.String() },
    relations: { admins: owns.many('admin'), members: owns.many('member') },
  },
  admin: {
    table: 'person',
    where: { type: "Admin's" },
    fields: { name: Type.String(), level: Type.Integer() },
    relations: {
      team: ownedBy('team'),
      reports: neededBy.many('member', { inverse: 'boss' }),
      friends: knows.many('member'),
    },
    unique: [['name']],
  },
  member: {
    table: 'person',
    where: { type: 'Member' },
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { team: ownedBy('team'), boss: needs.one('admin'), mentor: knows.one('admin') },
    unique: [['name']],
  },
  file: { id: 'text', table: 'entry', where: { isFolder: false }, fields: { size: Type.Integer() } },
  folder: { id: 'text', table: 'entry', where: { isFolder: true } },
})

describeOnBoth('two resources that share a table', (database) => {
  const service = useApp(database, resources)
  let team: JsonBody
  let path: string
  let admin: JsonBody
  let member: JsonBody

  beforeEach(async () => {
    const { id } = await service.add('/api/team', {
      name: 't',
      admins: [
        { name: 'a', level: 1 },
        { name: 'b', level: 2 },
      ],
    })
    path = `/api/team/${id}`
    const { admins } = await service.read(path)
    admin = admins[0]
    member = await service.add(`${path}/member`, { name: 'a', bossId: admin.id })
    team = await service.read(path)
  })

  test('each shows its own rows, in records, lists, filters and counts', async () => {
    expect(team.admins.map(({ name }: JsonBody) => name)).toEqual(['a', 'b'])
    expect(team.members).toMatchObject([
      { id: member.id, name: 'a', note: null, bossId: admin.id, boss: { name: 'a' } },
    ])
    expect(team.members[0]).not.toHaveProperty('type')
    expect(await service.read(`${path}/admin`)).toMatchObject({ count: 2 })
    expect(await service.read(`${path}/member?filter[name]=a`)).toMatchObject({ count: 1, rows: [{ id: member.id }] })
    expect(await service.read(`${path}/member?sort=-name&count=none`)).toMatchObject({ rows: [{ id: member.id }] })
    expect(await service.read(`${path}?fields=count(admins),count(members)`)).toMatchObject({
      'count(admins)': 2,
      'count(members)': 1,
    })
  })

  test("the other resource's rows are not there for any method", async () => {
    const before = await service.snapshot()
    for (const other of [`${path}/admin/${member.id}`, `${path}/member/${admin.id}`]) {
      expect((await service.get(other)).status).toBe(404)
      expect((await service.put(other, { name: 'x', level: 1, bossId: admin.id })).status).toBeGreaterThanOrEqual(400)
      expect((await service.patch(other, { name: 'x' })).status).toBe(404)
      expect((await service.delete(other)).status).toBe(404)
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('a reference to a row of the other resource is unknown', async () => {
    for (const body of [{ bossId: member.id }, { mentorId: member.id }]) {
      const answer = await service.patch(`${path}/member/${member.id}`, body)
      expect(answer).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } })
    }
    const linked = await service.patch(`${path}/admin/${admin.id}`, { friends: [{ id: admin.id }] })
    expect(linked).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } })
    const friend = await service.patch(`${path}/admin/${admin.id}`, { friends: [{ id: member.id }] })
    expect(friend).toMatchObject({ status: 200, body: { friends: [{ id: member.id, name: 'a' }] } })
  })

  test('a row in a body is one of its resource', async () => {
    const members = [{ id: admin.id, name: 'x', bossId: admin.id }]
    const answer = await service.put(path, { ...team, members })
    expect(answer).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } })
  })

  test('values are unique among the rows of each', async () => {
    expect(await service.post(`${path}/admin`, { name: 'a', level: 1 })).toMatchObject({
      status: 409,
      body: { errors: [{ pointer: '/name', message: 'another admin has this name already' }] },
    })
    const [one, two] = team.admins
    const admins = [
      { ...one, name: 'b' },
      { ...two, name: 'a' },
    ]
    expect(await service.put(path, { ...team, admins })).toMatchObject({ status: 200, body: { admins } })
  })

  test('rows of both get ids of their own in one request', async () => {
    const more = {
      ...team,
      admins: [...team.admins, { name: 'c', level: 3 }],
      members: [...team.members, { name: 'b', bossId: admin.id }, { name: 'c', bossId: admin.id }],
    }
    const { status, body } = await service.put(path, more)
    expect(status).toBe(200)
    const ids = [...body.admins, ...body.members].map(({ id }: JsonBody) => id)
    expect(new Set(ids).size).toBe(6)
    const rows = await service.db.selectFrom('person').select(['name', 'type']).where('name', '=', 'c').execute()
    expect(rows.map(({ type }) => type).sort()).toEqual(["Admin's", 'Member'])
  })

  test('a record that the other resource needs is kept, and a DELETE of the owner takes both', async () => {
    expect(await service.delete(`${path}/admin/${admin.id}`)).toMatchObject({ status: 409 })
    expect((await service.delete(path)).status).toBe(204)
    expect(await service.db.selectFrom('person').selectAll().execute()).toEqual([])
  })

  test("an id that the client gives is taken by the other resource's row", async () => {
    await service.add('/api/folder', { id: 'x' })
    expect(await service.post('/api/file', { id: 'x', size: 1 })).toMatchObject({
      status: 409,
      body: { code: 'CRUD_ERR_EXISTS' },
    })
    expect((await service.get('/api/file/x')).status).toBe(404)
    expect((await service.post('/api/file', { id: 'y', size: 1 })).status).toBe(201)
    expect(await service.read('/api/folder')).toMatchObject({ count: 1, rows: [{ id: 'x' }] })
  })
})

describeOnBoth('policies of resources that share a table', (database) => {
  const levels = defineResources({
    admin: {
      table: 'person',
      where: { type: 'Admin' },
      fields: { name: Type.String(), level: Type.Integer() },
      unique: [['name']],
    },
    member: {
      table: 'person',
      where: { type: 'Member' },
      fields: { name: Type.String() },
      relations: { boss: needs.one('admin') },
      computed: {
        people: {
          schema: Type.Integer(),
          value: ({ eb }: JsonBody) =>
            eb.selectFrom('person as everyone').select(({ fn }: JsonBody) => fn.countAll().as('all')),
        },
      },
    },
  })

  const policies = {
    admin: ({ eb }: JsonBody) => eb.and([eb('person.level', '>', 1), eb('person.type', '=', 'Admin')]),
    member: ({ can, eb }: JsonBody) => can('View', 'admin', eb.ref('person.bossId')),
  }
  const service = useApp(database, levels, { plugin: { caller: () => ({}), policies: policies as never } })

  test('hold for the rows of their resource, stored or planned', async () => {
    const admin = await service.add('/api/admin', { name: 'a', level: 2 })
    expect((await service.post('/api/admin', { name: 'b', level: 1 })).status).toBe(403)
    expect((await service.post('/api/admin', { name: 'a', level: 1 })).status).toBe(403)
    expect((await service.patch(`/api/admin/${admin.id}`, { level: 1 })).status).toBe(403)
    const member = await service.add('/api/member', { name: 'a', bossId: admin.id })
    expect(await service.read('/api/member')).toMatchObject({ count: 1, rows: [{ id: member.id, bossId: admin.id }] })
    expect(await service.read('/api/admin')).toMatchObject({ count: 1 })
  })

  test("another table in an expression is the application's, with the rows of all", async () => {
    const admin = await service.add('/api/admin', { name: 'a', level: 2 })
    expect(await service.add('/api/member', { name: 'a', bossId: admin.id })).toMatchObject({ people: 2 })
  })
})

function problemsOf(admin: object, member: object): readonly string[] {
  try {
    defineResources({ admin: { table: 'person', ...admin }, member: { table: 'person', ...member } } as never)
  } catch (error) {
    if (error instanceof ModelError) return error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw error
  }
  return []
}

const one = { where: { type: 'a' } }

test.each<[string, object, object, string[]]>([
  ['none', one, { where: { type: 'b' } }, []],
  [
    'no constant',
    one,
    {},
    ["member.table: 'person' is the table of admin already: give member a 'where' that tells their rows apart"],
  ],
  [
    'another column',
    one,
    { where: { kind: 'b' } },
    ["member.where: admin has the same table and names the column 'type', not 'kind'"],
  ],
  ['the same constant', one, one, ['member.where: admin has the same table and the same constant']],
  ['another type', one, { where: { type: 1 } }, ['member.where: its constant is a number, and that of admin a string']],
  [
    'other ids',
    one,
    { id: 'uuid', where: { type: 'b' } },
    ['member.id: the ids of admin, which has the same table, are of another kind'],
  ],
  [
    'two columns',
    one,
    { where: { type: 'b', kind: 'c' } },
    ["member.where: must be an object with one column and its constant: { type: 'Admin' }"],
  ],
  [
    'a field with its column',
    one,
    { where: { type: 'b' }, fields: { type: Type.String() } },
    ["member.where: 'type' is the column of a field or an id: its value is given by 'where'"],
  ],
  [
    'a column with other values',
    { ...one, fields: { size: Type.Integer() } },
    { where: { type: 'b' }, fields: { size: Type.String() } },
    ["member.size: its column 'size' holds something else in admin, which has the same table"],
  ],
])('The start of resources that share a table: %s', (_, admin, member, problems) => {
  expect(problemsOf(admin, member)).toEqual(problems)
})
