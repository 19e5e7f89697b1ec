import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { describeOnBoth } from '../support/describe-on-databases.ts'
import { stocks } from './models.ts'

const script = fileURLToPath(new URL('./take-stock.ts', import.meta.url))

/** What the process says next; fails if it ends before. */
async function heard(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const end = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`the process has ended with code ${code}`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message'), end])
    return message
  } finally {
    end.catch(() => {})
    ended.abort()
  }
}

describeOnBoth('`$add` of the clients of two processes', (database) => {
  const service = useApp(database, stocks)

  async function takeAtOnce(id: unknown, clients: readonly number[]): Promise<number[]> {
    const { name, location } = service.database
    const start = (count: number) =>
      fork(script, [name, location, String(id), String(count)], { execArgv: ['--conditions=source'] })
    const children = clients.map(start)
    try {
      await Promise.all(children.map(heard))
      const statuses = children.map(heard)
      for (const child of children) child.send('go')
      return ((await Promise.all(statuses)) as number[][]).flat()
    } finally {
      for (const child of children) child.kill('SIGKILL')
    }
  }

  test('two hundred take all of two hundred, and one more is refused', async () => {
    const { id } = await service.add('/api/product', { name: 'p', stock: 200 })
    const statuses = await takeAtOnce(id, [101, 100])
    expect(statuses.filter((status) => status === 200)).toHaveLength(200)
    expect(statuses.filter((status) => status !== 200)).toEqual([400])
    expect(await service.read(`/api/product/${id}`)).toMatchObject({ stock: 0 })
  })
})
