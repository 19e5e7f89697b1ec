import pg from 'pg'
import { expect, test } from 'vitest'
import { scriptedPipeline } from './scripted-pipeline.ts'
import { type Answer, done, refusal, rows, table } from './scripted-server.ts'
import { COPY_IN, commandComplete, dataRow, rowDescription } from './wire.ts'

const silence: Answer = { columns: [], acts: ['silence'] }
const hangUp: Answer = { columns: [], acts: ['hang up'] }

const script = {
  'select 1': rows('1'),
  'select 2': rows('2'),
  wrong: refusal('23505'),
  silent: silence,
  gone: hangUp,
}

const NOT_DONE = 'not run, because an earlier statement failed'

test('statements ahead of one that fails have their results, those behind it are not done, and the next message works', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  const outcomes = await Promise.allSettled([run('select 1'), run('wrong'), run('select 2'), run('select 2')])
  expect(outcomes).toMatchObject([
    { value: { rows: [{ value: '1' }] } },
    { reason: { code: '23505', message: 'ERROR 23505' } },
    { reason: { code: '23505', severity: 'ERROR', message: NOT_DONE, cause: { message: 'ERROR 23505' } } },
    { reason: { code: '23505', severity: 'ERROR', message: NOT_DONE } },
  ])
  expect((await run('select 2')).rows).toEqual([{ value: '2' }])
  expect(server.messages).toHaveLength(2)
})

test('statements that wait for a message that fails are never sent, and have its error', async () => {
  const { server, pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  server.isHoldingBack = true
  const running = run('wrong')
  await new Promise(process.nextTick)
  const outcomes = Promise.allSettled([running, run('select 2')])
  server.resumeAnswers()
  expect(await outcomes).toMatchObject([{ reason: { message: 'ERROR 23505' } }, { reason: { message: 'ERROR 23505' } }])
  expect((await run('select 1')).rows).toEqual([{ value: '1' }])
  expect(server.messages.flat()).not.toContain('parse : select 2')
})

test('a statement in a message of its own fails if the server refuses to commit it at the end', async () => {
  const { run } = await scriptedPipeline({ 'insert 1': { ...done('INSERT 0 1'), failsAtSync: '23503' } })
  await expect(run('insert 1')).rejects.toMatchObject({ code: '23503' })
})

test('the stack of an error leads to the code that ran the statement', async () => {
  const { run } = await scriptedPipeline(script)
  const whoRanIt = async () => void (await run('wrong'))
  await expect(whoRanIt()).rejects.toMatchObject({ stack: expect.stringContaining('whoRanIt') })
})

test('if the connection ends in the middle, results that have come are there, and all others fail without a word of the server', async () => {
  const { pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  const running = [run('select 1'), run('gone'), run('select 2')]
  await new Promise(process.nextTick)
  const outcomes = await Promise.allSettled([...running, run('select 2')])
  const lost = { reason: { message: 'Connection terminated unexpectedly' } }
  expect(outcomes).toMatchObject([{ value: { rows: [{ value: '1' }] } }, lost, lost, lost])
  for (const outcome of outcomes) expect(outcome).not.toHaveProperty('reason.severity')
  await expect(run('select 1')).rejects.toThrow('not queryable')
})

test('a connection whose answer takes longer than `query_timeout` is closed, and all that was sent fails', async () => {
  const { pipeline, closed, run } = await scriptedPipeline(script, { query_timeout: 20 })
  pipeline.hold()
  const outcomes = await Promise.allSettled([run('select 1'), run('silent'), run('select 2')])
  const late = { reason: { message: 'Query read timeout' } }
  expect(outcomes.slice(1)).toMatchObject([late, late])
  await closed
})

test('a FATAL error closes the connection, even if the server does not', async () => {
  const { closed, run } = await scriptedPipeline({ end: refusal('57P01', 'FATAL') })
  await expect(run('end')).rejects.toMatchObject({ code: '57P01' })
  await closed
})

test('a holder that leaves a transaction open has the connection closed', async () => {
  const { pipeline, closed, run } = await scriptedPipeline(script)
  pipeline.hold()
  await run('begin')
  pipeline.release()
  await closed
})

test('a holder that ends its transaction, also after an error, leaves the connection open', async () => {
  const { pipeline, run } = await scriptedPipeline(script)
  pipeline.hold()
  await Promise.allSettled([run('begin'), run('wrong')])
  await run('rollback')
  pipeline.release()
  expect((await run('select 1')).rows).toEqual([{ value: '1' }])
})

test('a holder gets no connection that another one has left in a failed transaction', async () => {
  const { client, pipeline, closed, run } = await scriptedPipeline(script)
  await client.query('begin')
  await expect(client.query('wrong')).rejects.toMatchObject({ code: '23505' })
  pipeline.hold()
  await expect(run('select 1')).rejects.toThrow('Client was closed')
  await closed
})

test('a statement that finds itself in a failed transaction has the connection closed', async () => {
  const { pipeline, closed, run } = await scriptedPipeline({ 'select 1': refusal('25P02') })
  pipeline.hold()
  await expect(run('select 1')).rejects.toMatchObject({ code: '25P02' })
  await closed
})

test('a value that its type parser cannot read fails its statement, and no other', async () => {
  const types = new pg.TypeOverrides()
  types.setTypeParser(23, () => {
    throw new RangeError('too large')
  })
  const { pipeline, run } = await scriptedPipeline(
    { ...script, number: table([{ name: 'n', type: 23 }], ['7'], ['8']) },
    { types },
  )
  pipeline.hold()
  expect(await Promise.allSettled([run('select 1'), run('number'), run('select 2')])).toMatchObject([
    { value: { rows: [{ value: '1' }] } },
    { reason: { message: 'too large' } },
    { value: { rows: [{ value: '2' }] } },
  ])
})

test('a server that answers too few statements fails the others', async () => {
  const { pipeline, run } = await scriptedPipeline({ ...script, nothing: { columns: [], acts: [] } })
  pipeline.hold()
  const lacking = { reason: { message: 'the server has not answered all statements of a message' } }
  const outcomes = await Promise.allSettled([run('select 1'), run('nothing'), run('nothing')])
  expect(outcomes).toMatchObject([{ value: { rows: [{ value: '1' }] } }, lacking, lacking])
})

test('a COPY that waits for rows fails with the statements behind it, and closes the connection', async () => {
  const { pipeline, closed, run } = await scriptedPipeline({
    ...script,
    'copy a from stdin': { columns: [], acts: [COPY_IN, 'silence'] },
  })
  pipeline.hold()
  const refused = { reason: { message: 'COPY … FROM STDIN cannot be sent with other statements' } }
  expect(await Promise.allSettled([run('select 1'), run('copy a from stdin'), run('select 2')])).toMatchObject([
    { value: { rows: [{ value: '1' }] } },
    refused,
    refused,
  ])
  await closed
})

test('an answer that comes after the timeout changes nothing', async () => {
  const columns = [{ name: 'value', type: 25 }]
  const late = [rowDescription(columns), dataRow(['late']), commandComplete('SELECT 1')]
  const { server, run } = await scriptedPipeline(script, { query_timeout: 20 })
  const silent = run('silent')
  await expect(silent).rejects.toThrow('Query read timeout')
  for (const part of late) server.push(part)
  await new Promise(setImmediate)
  await expect(silent).rejects.toThrow('Query read timeout')
})
