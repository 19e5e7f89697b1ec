import { expect, test } from 'vitest'
import { scriptedPipeline } from './scripted-pipeline.ts'
import { rows } from './scripted-server.ts'

const script = { 'select 1': rows('1'), 'select 2': rows('2'), 'select 3': rows('3') }

const commandsOf = (text: string) => [`parse : ${text}`, 'bind ', 'describe', 'execute']

test('a statement on a connection that nobody holds is a message of its own', async () => {
  const { server, run } = await scriptedPipeline(script)
  const results = await Promise.all([run('select 1'), run('select 2')])
  expect(results.map((result) => result.rows)).toEqual([[{ value: '1' }], [{ value: '2' }]])
  expect(server.messages).toEqual([
    [...commandsOf('select 1'), 'sync'],
    [...commandsOf('select 2'), 'sync'],
  ])
})

test('statements that the holder runs in one turn are one message with one Sync, and one write to the socket', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  const results = await Promise.all([run('select 1'), run('select 2'), run('select 3')])
  expect(results.map((result) => result.rows)).toEqual([[{ value: '1' }], [{ value: '2' }], [{ value: '3' }]])
  expect(server.messages).toEqual([
    [...commandsOf('select 1'), ...commandsOf('select 2'), ...commandsOf('select 3'), 'sync'],
  ])
  expect(server.writes).toBe(1)
})

test('a hundred statements are one message, and each has its own result', async () => {
  const texts = Array.from({ length: 100 }, (_, n) => `select ${n}`)
  const { server, pipeline, run } = await scriptedPipeline(Object.fromEntries(texts.map((text) => [text, rows(text)])))
  pipeline.hold()
  const results = await Promise.all(texts.map((text) => run(text)))
  expect(results.map((result) => result.rows)).toEqual(texts.map((value) => [{ value }]))
  expect(server.messages).toHaveLength(1)
})

test('statements that are run while a message is under way go together in the next one', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  server.isHoldingBack = true
  const first = run('select 1')
  await new Promise(process.nextTick)
  const others = Promise.all([run('select 2'), run('select 3')])
  await new Promise(process.nextTick)
  expect(server.messages).toHaveLength(1)
  server.resumeAnswers()
  expect((await first).rows).toEqual([{ value: '1' }])
  expect((await others).map((result) => result.rows)).toEqual([[{ value: '2' }], [{ value: '3' }]])
  expect(server.messages).toEqual([
    [...commandsOf('select 1'), 'sync'],
    [...commandsOf('select 2'), ...commandsOf('select 3'), 'sync'],
  ])
})

test('after the holder has released the connection, each statement is a message of its own again', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  await run('select 1')
  pipeline.release()
  await Promise.all([run('select 2'), run('select 3')])
  expect(server.messages).toHaveLength(3)
})

test('a query of the client itself has its turn behind the message that is collected', async () => {
  const { server, client, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  const results = await Promise.all([run('select 1'), client.query('select 2'), run('select 3')])
  expect(results.map((result) => result.rows)).toEqual([[{ value: '1' }], [{ value: '2' }], [{ value: '3' }]])
  expect(server.messages).toContainEqual(['query: select 2'])
})

test('a connection has just answered after its first message, and not before', async () => {
  const { pipeline, run } = await scriptedPipeline(script)
  expect(pipeline.hasJustAnswered()).toBe(false)
  await run('select 1')
  expect(pipeline.hasJustAnswered()).toBe(true)
})
