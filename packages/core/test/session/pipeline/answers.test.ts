import { expect, test } from 'vitest'
import { scriptedPipeline } from './scripted-pipeline.ts'
import { type Answer, done, refusal, rows, table } from './scripted-server.ts'
import { EMPTY_QUERY, notice, parameterStatus } from './wire.ts'

const TEXT = 25
const INT4 = 23

const people = table(
  [
    { name: 'id', type: INT4 },
    { name: 'name', type: TEXT },
  ],
  ['1', 'Ada'],
  ['2', null],
)

const behind = (parts: readonly Buffer[], { columns, acts }: Answer): Answer => ({ columns, acts: [...parts, ...acts] })

test('values are what the type parsers of the client make of them, and null', async () => {
  const { run } = await scriptedPipeline({ people })
  expect(await run('people')).toEqual({
    command: 'SELECT',
    rowCount: 2,
    rows: [
      { id: 1, name: 'Ada' },
      { id: 2, name: null },
    ],
  })
})

test.each([
  ['INSERT 0 5', 'INSERT', 5],
  ['UPDATE 0', 'UPDATE', 0],
  ['BEGIN', 'BEGIN', null],
  ['CREATE TABLE', 'CREATE', null],
])('%s has the command %s and %s rows', async (tag, command, rowCount) => {
  const { run } = await scriptedPipeline({ text: done(tag) })
  expect(await run('text')).toEqual({ command, rowCount, rows: [] })
})

test('an empty text has a result without rows, and those behind it have theirs', async () => {
  const { pipeline, run } = await scriptedPipeline({ '': { columns: [], acts: [EMPTY_QUERY] }, people })
  pipeline.hold()
  expect(await Promise.all([run(''), run('people')])).toMatchObject([{ rows: [] }, { rowCount: 2 }])
})

test('notices and changed settings between the answers concern the client, and no statement', async () => {
  const notices: unknown[] = []
  const { client, pipeline, run } = await scriptedPipeline({
    notes: behind([notice('01000')], rows('a')),
    sets: behind([parameterStatus('TimeZone', 'UTC')], rows('b')),
    people,
  })
  client.on('notice', ({ code }) => notices.push(code))
  pipeline.hold()
  expect(await Promise.all([run('notes'), run('sets'), run('people')])).toMatchObject([
    { rows: [{ value: 'a' }] },
    { rows: [{ value: 'b' }] },
    { rowCount: 2 },
  ])
  expect(notices).toEqual(['01000'])
})

test.each([1, 2, 3, 7])('answers may come in pieces of %s bytes', async (pieceSize) => {
  const { server, pipeline, run } = await scriptedPipeline({
    people,
    notes: behind([notice('01000')], rows('ä')),
    wrong: refusal('23505'),
  })
  server.pieceSize = pieceSize
  pipeline.hold()
  const outcomes = await Promise.allSettled([run('people'), run('notes'), run('wrong'), run('people')])
  expect(outcomes).toMatchObject([
    { value: { rows: [{ id: 1, name: 'Ada' }, { id: 2 }] } },
    { value: { rows: [{ value: 'ä' }] } },
    { reason: { message: 'ERROR 23505' } },
    { reason: { message: 'not run, because an earlier statement failed' } },
  ])
  expect((await run('people')).rowCount).toBe(2)
})

test('values of any size reach the server whole, between small ones', async () => {
  // The buffer in which `pg` puts its messages together is much smaller.
  const large = 'ß'.repeat(300_000)
  const { server, pipeline, run } = await scriptedPipeline({ 'insert $1, $2': done('INSERT 0 1') })
  pipeline.hold()
  const values = [
    ['a', null],
    [large, 'b'],
    ['', large],
    ['"\\\0'.slice(0, 2), 'c'],
  ] as const
  await Promise.all(values.map((texts) => run('insert $1, $2', texts)))
  const bound = server.messages.flat().filter((command) => command.startsWith('bind'))
  expect(bound).toEqual(values.map((texts) => `bind  ${JSON.stringify(texts)}`))
})
