import { expect, test } from 'vitest'
import { Turns } from '../../src/session/drivers/driver-features.ts'

/** Takes a turn for each name, and notes who has had one. */
function queue(turns: Turns, names: readonly string[], signal?: AbortSignal): string[] {
  const begun: string[] = []
  for (const name of names) {
    turns.take(signal).then(
      () => begun.push(name),
      (reason) => begun.push(`${name}: ${reason}`),
    )
  }
  return begun
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('so many have a turn at a time, and whoever has waited longest is next', async () => {
  const turns = new Turns(2, 0)
  const begun = queue(turns, ['a', 'b', 'c', 'd', 'e'])
  await settle()
  expect(begun).toEqual(['a', 'b'])
  turns.give()
  await settle()
  expect(begun).toEqual(['a', 'b', 'c'])
  turns.give()
  turns.give()
  await settle()
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a turn that nobody waits for is kept for the next', async () => {
  const turns = new Turns(1, 0)
  await turns.take(undefined)
  turns.give()
  await turns.take(undefined)
  const begun = queue(turns, ['late'])
  await settle()
  expect(begun).toEqual([])
})

test('whoever leaves the queue takes nobody’s turn', async () => {
  const turns = new Turns(1, 0)
  const controller = new AbortController()
  queue(turns, ['first'])
  const gone = queue(turns, ['gone', 'gone, too'], controller.signal)
  const begun = queue(turns, ['last'])
  controller.abort('has gone')
  await settle()
  expect(gone).toEqual(['gone: has gone', 'gone, too: has gone'])
  turns.give()
  await settle()
  expect(begun).toEqual(['last'])
  await expect(turns.take(controller.signal)).rejects.toBe('has gone')
})

test('whoever waits too long is told that all connections are in use', async () => {
  const turns = new Turns(1, 1)
  await turns.take(undefined)
  await expect(turns.take(undefined)).rejects.toMatchObject({
    code: 'CRUD_ERR_BUSY',
    message: expect.stringContaining('all connections of the service'),
  })
  turns.give()
  await turns.take(undefined)
})
