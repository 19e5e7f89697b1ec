import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { report } from '../../../../test/support/report.ts'

const COUNT = 5_000
const MOST_BYTES = 20 * 1024

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function start(name: string, ...args: readonly string[]): ChildProcess {
  const program = fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url))
  const child = fork(program, args, { execArgv: ['--conditions=source', '--expose-gc'] })
  children.push(child)
  return child
}

interface Taken {
  readonly bytes: number
  readonly rss: number
}

test(`${COUNT} streams that nothing happens on take at most 20 kB each, and no work but the poll`, async () => {
  const server = start('idle-server')
  const [url] = (await once(server, 'message')) as [string]
  const taken = async (): Promise<Taken> => {
    server.send('memory')
    const [answer] = (await once(server, 'message')) as [Taken]
    return answer
  }
  await taken()
  const before = await taken()
  const clients = start('many-followers', `${url}/api/$changes`, String(COUNT))
  expect(await once(clients, 'message')).toEqual(['open', undefined])
  await pause(1_000)
  const idle = await taken()
  const worked = async (): Promise<number> => {
    server.send('work')
    const [microseconds] = (await once(server, 'message')) as [number]
    return microseconds
  }
  const begun = await worked()
  await pause(5_000)
  const work = (await worked()) - begun
  const each = (idle.bytes - before.bytes) / COUNT
  report(
    `per stream: ${Math.round(each)} bytes of V8 and buffers, ${Math.round((idle.rss - before.rss) / COUNT)} of the process; ${Math.round(work / 5_000)} ms of work a second`,
  )
  expect(each).toBeLessThanOrEqual(MOST_BYTES)
}, 180_000)
