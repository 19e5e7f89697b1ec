import { expect, test } from 'vitest'
import { Pipeline } from '../../../src/session/postgres/pipeline/index.ts'
import { scriptedPipeline } from './scripted-pipeline.ts'
import { refusal, rows } from './scripted-server.ts'

const TEXTS = ['a', 'b', 'c', 'd', 'e', 'f']
const script = { ...Object.fromEntries(TEXTS.map((text) => [text, rows(text)])), wrong: refusal('23505') }

const group = { most: 100 }
const kept = (name: string, among = group) => ({ name, group: among })

const prepared = (name: string) => [`close ${name}`, `parse ${name}: ${name}`, `bind ${name}`, 'describe', 'execute']
const again = (name: string) => [`bind ${name}`, 'execute']

test('a kept statement is parsed and described once, and then only bound and executed', async () => {
  const { server, run } = await scriptedPipeline(script)
  for (let n = 0; n < 3; n++) expect((await run('a', [], kept('a'))).rows).toEqual([{ value: 'a' }])
  expect(server.messages).toEqual([
    [...prepared('a'), 'sync'],
    [...again('a'), 'sync'],
    [...again('a'), 'sync'],
  ])
})

test('a kept statement that comes twice in its first message is parsed once', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  const results = await Promise.all([run('a', [], kept('a')), run('a', [], kept('a'))])
  expect(results.map((result) => result.rows)).toEqual([[{ value: 'a' }], [{ value: 'a' }]])
  expect(server.messages).toEqual([[...prepared('a'), 'bind a', 'describe', 'execute', 'sync']])
})

test('a statement behind one that failed is parsed anew, as the server has not seen it', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  await Promise.allSettled([run('wrong'), run('a', [], kept('a'))])
  expect((await run('a', [], kept('a'))).rows).toEqual([{ value: 'a' }])
  expect(server.messages[1]).toEqual([...prepared('a'), 'sync'])
})

test.each(['26000', '42P05'])(
  'after an error %s, which says that the server has others, all are parsed anew',
  async (code) => {
    const { server, run } = await scriptedPipeline(script)
    for (const name of ['a', 'b']) await run(name, [], kept(name))
    server.answer('a', refusal(code))
    await expect(run('a', [], kept('a'))).rejects.toMatchObject({ code })
    server.answer('a', rows('a'))
    for (const name of ['a', 'b']) expect((await run(name, [], kept(name))).rows).toEqual([{ value: name }])
    expect(server.messages.slice(3)).toEqual([
      [...prepared('a'), 'sync'],
      [...prepared('b'), 'sync'],
    ])
  },
)

test('a statement that the server has dropped fails with 26000, and works the next time', async () => {
  const { server, run } = await scriptedPipeline(script)
  await run('a', [], kept('a'))
  server.prepared.clear()
  await expect(run('a', [], kept('a'))).rejects.toMatchObject({ code: '26000' })
  expect((await run('a', [], kept('a'))).rows).toEqual([{ value: 'a' }])
})

test('a statement whose result has other columns now (0A000) is parsed anew, and the others are not', async () => {
  const { server, run } = await scriptedPipeline(script)
  for (const name of ['a', 'b']) await run(name, [], kept(name))
  server.answer('a', refusal('0A000'))
  await expect(run('a', [], kept('a'))).rejects.toMatchObject({ code: '0A000' })
  server.answer('a', { columns: [{ name: 'other', type: 25 }], acts: rows('a').acts })
  expect((await run('a', [], kept('a'))).rows).toEqual([{ other: 'a' }])
  await run('b', [], kept('b'))
  expect(server.messages.slice(3)).toEqual([
    [...prepared('a'), 'sync'],
    [...again('b'), 'sync'],
  ])
})

test('a group keeps its last used statements, and the next message begins by closing the others', async () => {
  const [small, other] = [{ most: 2 }, { most: 2 }]
  const { server, run } = await scriptedPipeline(script)
  for (const name of ['a', 'b', 'a', 'c']) await run(name, [], kept(name, small))
  await run('d', [], kept('d', other))
  expect(server.messages.at(-1)).toEqual(['close b', ...prepared('d'), 'sync'])
  expect([...server.prepared.keys()]).toEqual(['a', 'c', 'd'])
})

test('a message whose first statement fails has closed the statements that were too many', async () => {
  const small = { most: 1 }
  const { server, run } = await scriptedPipeline(script)
  for (const name of ['a', 'b']) await run(name, [], kept(name, small))
  await expect(run('wrong')).rejects.toMatchObject({ code: '23505' })
  expect(server.prepared.has('a')).toBe(false)
  expect((await run('a', [], kept('a', small))).rows).toEqual([{ value: 'a' }])
})

test('all pipelines of a connection know what one of them has closed', async () => {
  const small = { most: 1 }
  const { server, client, run } = await scriptedPipeline(script)
  const other = new Pipeline(client)
  await run('a', [], kept('a', small))
  const runOther = (text: string) => other.run({ text, values: [], texts: [], kept: kept(text, small) })
  for (const name of ['b', 'c']) await runOther(name)
  expect((await run('a', [], kept('a', small))).rows).toEqual([{ value: 'a' }])
  expect(server.messages.at(-1)).toEqual(['close b', ...prepared('a'), 'sync'])
})
