import { createStore, type Model } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { type AccessQuestion, type Descriptors, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

/** Tasks form trees by two relations, of which each project owns some. */
function tasksWith(defaultInclude?: readonly ('parts' | 'next' | 'notes')[]): Model {
  return defineResources({
    project: { fields: { name: Type.String() }, relations: { tasks: owns.many('task') } },
    task: {
      fields: { name: Type.String() },
      relations: {
        project: ownedBy('project'),
        partOf: ownedBy('task'),
        parts: owns.many('task', { inverse: 'partOf' }),
        after: ownedBy('task'),
        next: owns.one('task', { inverse: 'after' }),
        notes: knows.many('note'),
      },
      ...(defaultInclude && { defaultInclude }),
    },
    note: { fields: { name: Type.String() } },
  } as Descriptors)
}

const task = (name: string, parts: object[] = [], next: object | null = null): JsonBody => ({ name, parts, next })

const tree = task('a', [task('b', [task('c')], task('d', [task('e')])), task('f')], task('g', [], task('h')))

/** A project with one tree. */
function useTree(service: TestApp) {
  const one = {
    path: '',
    shown: {} as JsonBody,
    /** The record with all of its relations. */
    everything: () => storeOfAll(service).find(one.shown.id) as Promise<JsonBody>,
  }
  beforeEach(async () => {
    one.shown = await service.add('/api/project', { name: 'p', tasks: [tree] })
    one.path = `/api/project/${one.shown.id}`
  })
  return one
}

interface AnyStore {
  find(id: number): Promise<unknown>
}

function storeOfAll({ db }: TestApp): AnyStore {
  return (createStore({ db, resources: tasksWith() }) as unknown as { readonly project: AnyStore }).project
}

/** The names in a tree, as far as it is shown: `a[b f] > g`. */
function inWords({ name, parts, next }: JsonBody): string {
  const inside = parts === undefined ? '' : `[${parts.map(inWords).join(' ')}]`
  return `${name}${inside}${next ? ` > ${inWords(next)}` : ''}`
}

describeOnBoth('a tree whose records do not carry what they own of their kind', (database) => {
  const service = useApp(database, tasksWith([]))
  const one = useTree(service)

  test('is shown by its root alone, wherever that is', async () => {
    const [root] = one.shown.tasks
    expect(root).toEqual({ id: root.id, name: 'a' })
    expect(await service.read(one.path)).toEqual(one.shown)
    expect((await service.read(`${one.path}/task`)).rows).toEqual([root])
    const below = (await service.read(`${one.path}/task/${root.id}/parts`)).rows
    expect(below.map(({ name }: JsonBody) => name)).toEqual(['b', 'f'])
  })

  test('is shown as far as a query includes it', async () => {
    const { tasks } = await service.read(`${one.path}?include=tasks.parts.next,tasks.next`)
    expect(inWords(tasks[0])).toBe('a[b > d f] > g')
    expect(tasks[0]).not.toHaveProperty('partial')
  })

  test('is left alone by a PUT that does not name it, and goes with its root', async () => {
    const [root] = one.shown.tasks
    const { body } = await service.put(one.path, { ...one.shown, tasks: [{ ...root, name: 'A' }, { name: 'new' }] })
    expect(body.tasks).toEqual([
      { ...root, name: 'A' },
      { id: expect.any(Number), name: 'new' },
    ])
    const [first, second] = (await one.everything()).tasks
    expect(inWords(first)).toBe(inWords({ ...tree, name: 'A' }))
    expect(inWords(second)).toBe('new[]')
    expect((await service.put(one.path, { ...one.shown, tasks: [] })).status).toBe(200)
    expect((await service.snapshot()).task).toEqual([])
  })

  test('is changed at any depth by bodies that name it', async () => {
    const before = await one.everything()
    const [root] = before.tasks
    const [b] = root.parts
    const parts = [{ id: b.id, name: 'B', next: null }, { name: 'new' }]
    const { body } = await service.put(one.path, { name: 'p', tasks: [{ id: root.id, name: 'a', parts }] })
    expect(body).toEqual(one.shown)
    expect(inWords((await one.everything()).tasks[0])).toBe('a[B[c[]] new[]] > g[] > h[]')
    const patch = { tasks: [{ id: root.id, next: { parts: [{ name: 'x' }], next: null } }] }
    expect((await service.patch(one.path, patch)).body).toEqual(one.shown)
    expect(inWords((await one.everything()).tasks[0])).toBe('a[B[c[]] new[]] > g[x[]]')
  })

  test('is not changed by a PUT of all of it', async () => {
    const before = await service.snapshot()
    expect(await service.put(one.path, await one.everything())).toMatchObject({ status: 200, body: one.shown })
    expect(await service.snapshot()).toEqual(before)
  })
})

for (const [carried, shownAs] of [
  ['parts', 'a[b[c[]] f[]]'],
  ['next', 'a > g > h'],
] as const) {
  describeOnBoth(`a tree whose records carry '${carried}' and not the other relation`, (database) => {
    let hidden: readonly string[] = []
    const authorize = (_request: unknown, { action, resource }: AccessQuestion) =>
      action !== 'View' || !hidden.includes(resource)
    const service = useApp(database, tasksWith([carried, 'notes']), { plugin: { authorize } })
    beforeEach(() => {
      hidden = []
    })
    const one = useTree(service)

    test('is shown as far as this one leads', async () => {
      expect(inWords(one.shown.tasks[0])).toBe(shownAs)
      expect(one.shown.tasks[0].notes).toEqual([])
      expect(await service.read(one.path)).toEqual(one.shown)
      expect((await service.read('/api/project')).rows).toEqual([one.shown])
      expect((await service.read(`${one.path}/task`)).rows).toEqual(one.shown.tasks)
    })

    test('is shown as far as this one leads below what a query includes', async () => {
      const { tasks } = await service.read(`${one.path}?include=tasks.${carried === 'parts' ? 'next' : 'parts'}`)
      expect(inWords(tasks[0])).toBe(carried === 'parts' ? 'a[b[c[]] f[]] > g[]' : 'a[b > d f] > g > h')
    })

    test('is shown as far as it leads to a request that may not see all that it carries', async () => {
      hidden = ['note']
      const shown = await service.read(one.path)
      expect(inWords(shown.tasks[0])).toBe(shownAs)
      expect(shown.tasks[0]).not.toHaveProperty('notes')
      expect((await service.read(`${one.path}?nested[tasks][limit]=5`)).tasks).toEqual(shown.tasks)
    })

    test('is left alone by a PUT of what is shown, and what is removed takes all with it', async () => {
      const before = await one.everything()
      expect((await service.put(one.path, one.shown)).body).toEqual(one.shown)
      expect(await one.everything()).toEqual(before)
      const [root] = one.shown.tasks
      const { [carried]: _, ...withoutIt } = root
      const { body } = await service.put(one.path, { ...one.shown, tasks: [withoutIt] })
      expect(inWords(body.tasks[0])).toBe(carried === 'parts' ? 'a[]' : 'a')
      const left = carried === 'parts' ? 'a[] > g[] > h[]' : 'a[b[c[]] > d[e[]] f[]]'
      expect(inWords((await one.everything()).tasks[0])).toBe(left)
    })
  })
}
