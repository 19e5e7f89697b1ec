import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { at, chosenKinds } from './kinds.ts'

// Where writes of related records are known to go wrong, with ids of each kind.

function modelOf(id: IdDeclaration): Model {
  const named = { id, fields: { name: Type.String() } } as const
  return defineResources({
    owner: {
      ...named,
      relations: {
        children: owns.many('child'),
        picture: owns.one('picture'),
        homes: owns.many('place', { inverse: 'homeOf' }),
        works: owns.many('place', { inverse: 'workOf' }),
        favourite: knows.one('child'),
        manager: needs.one('person', { optional: true, unique: true }),
        guides: needs.many('person'),
        friends: knows.many('person'),
      },
    },
    child: {
      id,
      fields: { code: Type.Optional(Type.String()), label: Type.Optional(Type.String()) },
      unique: [['owner', 'code'], ['label']],
      relations: { owner: ownedBy('owner'), parts: owns.many('part') },
    },
    part: { ...named, relations: { child: ownedBy('child'), about: needs.one('person', { optional: true }) } },
    picture: { ...named, relations: { owner: ownedBy('owner') } },
    place: { ...named, relations: { homeOf: ownedBy('owner'), workOf: ownedBy('owner') } },
    person: { ...named, relations: { knows: knows.one('person') } },
    note: { ...named, relations: { about: needs.one('child') } },
    node: {
      ...named,
      relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
    },
  }) as Model
}

for (const { title, id, next, free } of chosenKinds()) {
  describeOnBoth(`edge cases of related records, ids of the kind: ${title}`, (database) => {
    const service = useApp(database, modelOf(id))
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    const invalid = { code: 'CRUD_ERR_INVALID' } as const
    const notUnique = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
    const made = (record: object = {}): JsonBody => ({ ...(next && { id: next() }), ...record })
    const named = (name: string, others: object = {}) => made({ name, ...others })
    let ada: JsonBody
    let bo: JsonBody
    let owner: JsonBody
    let other: JsonBody
    let path: string

    beforeEach(async () => {
      ada = await service.add('/api/person', named('Ada'))
      bo = await service.add('/api/person', named('Bo'))
      const children = () =>
        ['1', '2', '3'].map((code) => made({ code, parts: [named(`p${code}`, { aboutId: ada.id })] }))
      const body = () => ({ guides: [{ id: ada.id }, { id: bo.id }], children: children() })
      owner = await service.add('/api/owner', named('one', { ...body(), picture: named('face') }))
      other = await service.add('/api/owner', named('two', body()))
      path = at('/api/owner', owner.id)
    })

    const coded = (codes: readonly (string | null)[]) =>
      owner.children.map((child: JsonBody, index: number) => ({ ...child, code: codes[index] }))
    const codesOf = (record: JsonBody) => record.children.map(({ id, code }: JsonBody) => [id, code])

    test('unique values are swapped, rotated, freed and taken in one PUT', async () => {
      for (const codes of [
        ['2', '1', '3'],
        ['3', '2', '1'],
        [null, null, '1'],
      ]) {
        const { status, body } = await service.put(path, { ...owner, children: coded(codes) })
        expect(status).toBe(200)
        expect(codesOf(body)).toEqual(owner.children.map((child: JsonBody, index: number) => [child.id, codes[index]]))
      }
      const [first, second] = owner.children
      const replaced = await service.put(path, { ...owner, children: [made({ code: '1' }), { ...first, code: '2' }] })
      expect(replaced.status).toBe(200)
      const codes = new Map(codesOf(replaced.body) as [unknown, string][])
      expect(codes.get(first.id)).toBe('2')
      expect(codes.has(second.id)).toBe(false)
      expect([...codes.values()].sort()).toEqual(['1', '2'])
    })

    test('the same unique value twice, or that of another owner, is 409', async () => {
      const twice = [...owner.children.slice(0, 1), made({ code: '9' }), made({ code: '9' })]
      const pointers = ['/children/1/code', '/children/2/code']
      await service.refuse('PUT', path, { ...owner, children: twice }, { ...notUnique, pointers })
      const [child] = other.children
      await service.patch(at('/api/owner', other.id), { children: [{ id: child.id, label: 'x' }] })
      await service.refuse('PATCH', path, { children: [{ id: owner.children[0].id, label: 'x' }] }, notUnique)
    })

    test('the one owned record is updated without its id, and removed if it is left out', async () => {
      expect(await service.put(path, { ...owner, picture: { name: 'hand' } })).toMatchObject({
        status: 200,
        body: { picture: { id: owner.picture.id, name: 'hand' } },
      })
      await service.refuse('POST', `${path}/picture`, named('second'), { code: 'CRUD_ERR_EXISTS' })
      const { picture: _, ...without } = owner
      expect(await service.put(path, without)).toMatchObject({ status: 200, body: { picture: null } })
      expect(await service.post(`${path}/picture`, named('third'))).toMatchObject({ status: 201 })
    })

    test("another owner's record is reached by no path and no body", async () => {
      const [foreign] = other.children
      const reached = at(`${path}/child`, foreign.id)
      for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', {}], ['PUT', { code: 'x' }]] as const) {
        await service.refuse(method, reached, body, { code: 'CRUD_ERR_NOT_FOUND' })
      }
      const expected = next === undefined ? unknown : ({ code: 'CRUD_ERR_EXISTS' } as const)
      const children = [...owner.children, { ...foreign, parts: [] }]
      await service.refuse('PUT', path, { ...owner, children }, { ...expected, pointers: ['/children/3/id'] })
      await service.refuse('PATCH', path, { children: [{ id: foreign.id, code: 'x' }] }, expected)
      const grandchild = [{ id: owner.children[0].id, parts: [{ id: owner.children[1].parts[0].id, name: 'x' }] }]
      await service.refuse('PATCH', path, { children: grandchild }, expected)
    })

    test('an id twice in one array is 400, and so is another id than that of the path', async () => {
      const [child] = owner.children
      const pointers = ['/children/3']
      const twice = { ...owner, children: [...owner.children, child] }
      await service.refuse('PUT', path, twice, { ...invalid, pointers: pointers.map((one) => `${one}/id`) })
      await service.refuse('PUT', path, { ...owner, id: other.id }, { ...invalid, pointers: ['/id'] })
      await service.refuse('PATCH', path, { guides: [{ id: ada.id }, { id: ada.id }] }, invalid)
    })

    test('an id of no record is an unknown reference, and creates nothing', async () => {
      await service.refuse('PATCH', path, { managerId: free }, { ...unknown, pointers: ['/managerId'] })
      await service.refuse('PATCH', path, { friends: [{ id: free }] }, unknown)
      await service.refuse('POST', '/api/owner', named('three', { guides: [{ id: ada.id }, { id: free }] }), unknown)
      const parts = [named('x', { aboutId: free })]
      await service.refuse('PATCH', path, { children: [made({ code: '8', parts })] }, unknown)
      if (next === undefined) await service.refuse('PATCH', path, { children: [{ id: free, code: 'x' }] }, unknown)
    })

    test('what is needed stays, what is known may go', async () => {
      expect(await service.patch(path, { managerId: bo.id, friends: [{ id: bo.id }] })).toMatchObject({ status: 200 })
      await service.refuse('PATCH', at('/api/owner', other.id), { managerId: bo.id }, notUnique)
      await service.refuse('DELETE', at('/api/person', bo.id), undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
      await service.refuse('PUT', path, { ...owner, guides: [] }, invalid)
      const shown = await service.read(path)
      expect(shown).toMatchObject({ managerId: bo.id, manager: { name: 'Bo' }, friends: [{ id: bo.id }] })
      expect(
        await service.put(path, { ...shown, managerId: null, manager: null, guides: [{ id: ada.id }] }),
      ).toMatchObject({ status: 200 })
      expect(
        await service.patch(at('/api/owner', other.id), { managerId: bo.id, guides: [{ id: ada.id }] }),
      ).toMatchObject({ status: 200 })
      expect((await service.read(path)).guides).toMatchObject([{ id: ada.id }])
    })

    test('records that know one another are read, written and removed', async () => {
      expect(await service.patch(at('/api/person', ada.id), { knowsId: bo.id })).toMatchObject({ status: 200 })
      expect(await service.patch(at('/api/person', bo.id), { knowsId: bo.id })).toMatchObject({ status: 200 })
      const cy = await service.add('/api/person', named('Cy', { knowsId: ada.id }))
      expect(await service.patch(at('/api/person', bo.id), { knowsId: cy.id })).toMatchObject({
        body: { knows: { name: 'Cy' } },
      })
      expect(await service.delete(at('/api/person', cy.id))).toMatchObject({ status: 204 })
      expect(await service.read(at('/api/person', bo.id))).toMatchObject({ knowsId: null, knows: null })
    })

    test('two arrays of one resource are told apart, and a favourite that is removed is forgotten', async () => {
      const bodyOf = { homes: [named('h')], works: [named('w'), named('v')], favouriteId: owner.children[1].id }
      const { body } = await service.patch(path, bodyOf)
      expect(body).toMatchObject({ favourite: { code: owner.children[1].code } })
      const { status, body: after } = await service.put(path, {
        ...body,
        homes: [],
        children: [owner.children[0]],
        favouriteId: null,
        favourite: null,
      })
      expect(status).toBe(200)
      expect(after.works).toEqual(body.works)
      const kept = await service.patch(path, { favouriteId: owner.children[0].id })
      expect(kept.status).toBe(200)
      expect(await service.delete(at(`${path}/child`, owner.children[0].id))).toMatchObject({ status: 204 })
      expect(await service.read(path)).toMatchObject({ favouriteId: null, children: [] })
    })

    test('an owned record that another one needs stands in the way of its owner', async () => {
      const note = await service.add('/api/note', named('n', { aboutId: owner.children[2].id }))
      const still = { code: 'CRUD_ERR_STILL_NEEDED' } as const
      await service.refuse('DELETE', path, undefined, still)
      await service.refuse('PUT', path, { ...owner, name: 'x', children: owner.children.slice(0, 2) }, still)
      expect(await service.delete(at('/api/note', note.id))).toMatchObject({ status: 204 })
      expect(await service.delete(path)).toMatchObject({ status: 204 })
      await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      expect(await service.read(at('/api/owner', other.id))).toEqual(other)
    })

    test('PUT of what GET returned runs no statement that writes, and neither does a PATCH that says nothing new', async () => {
      const shown = await service.read(path)
      const before = await service.snapshot()
      for (const [method, body] of [
        ['PUT', shown],
        ['PATCH', {}],
        ['PATCH', { children: shown.children.map(({ id }: JsonBody) => ({ id })) }],
      ] as const) {
        const statements = await service.statements(() => service.request(method, path, body))
        expect(statements.filter((one) => /^(insert|update|delete)/i.test(one))).toEqual([])
      }
      expect(await service.snapshot()).toEqual(before)
    })

    test('a tree is made, changed in the middle and removed', async () => {
      const tree = (depth: number): JsonBody =>
        named(`${depth}`, { nodes: depth === 0 ? [] : [tree(depth - 1), named('leaf')] })
      const root = await service.add('/api/node', tree(5))
      const leafAt = (node: JsonBody, depth: number): JsonBody =>
        depth === 0
          ? node
          : leafAt(
              node.nodes.find(({ name }: JsonBody) => name !== 'leaf'),
              depth - 1,
            )
      const middle = leafAt(root, 3)
      const below = at('/api/node', middle.id)
      const changed = await service.put(below, { ...middle, nodes: [...middle.nodes.slice(0, 1), named('new')] })
      expect(changed.status).toBe(200)
      expect((await service.read(at('/api/node', root.id))).nodes).toHaveLength(2)
      expect(await service.delete(at('/api/node', root.id))).toMatchObject({ status: 204 })
      expect((await service.snapshot(['node'])).node).toEqual([])
    })

    test('many equal writes at once: one is done', async () => {
      const free = made({ label: 'once' })
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => service.post(`${path}/child`, next ? { ...free, id: next() } : free)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
      const deletes = await Promise.all([service.delete(path), service.put(path, owner), service.delete(path)])
      expect(deletes.map(({ status }) => status).filter((status) => status === 204)).toHaveLength(1)
      for (const { status } of deletes) expect([200, 204, 404]).toContain(status)
      expect((await service.read('/api/owner')).rows).toEqual([other])
    })
  })
}
