import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeOn } from './cpus.ts'

/** A process of our own that answers one message at a time. */
export interface Worker<Message, Reply> {
  ask(message: Message): Promise<Reply>
  stop(): Promise<void>
}

/**
 * Starts a script as a process on some of the cores, with the options of Node that this one has; resolves when it has sent
 * its first message.
 *
 * @throws Error if it ends before it answers.
 */
export async function startWorker<Message extends object, Reply>(
  script: URL,
  args: readonly string[],
  cores: string | undefined,
): Promise<{ worker: Worker<Message, Reply>; first: Reply }> {
  const path = fileURLToPath(script)
  const [command, all] = nodeOn(cores, [...process.execArgv, '--expose-gc', path, ...args])
  const child = spawn(command, all, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const reply = () =>
    new Promise<Reply>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`${path} ${args.join(' ')} ended with code ${code}`))
      child.once('exit', onExit)
      child.once('message', (message) => {
        child.off('exit', onExit)
        resolve(message as Reply)
      })
    })
  const first = await reply()
  const worker: Worker<Message, Reply> = {
    async ask(message) {
      const replied = reply()
      child.send(message)
      return replied
    },
    async stop() {
      if (!child.connected) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
  return { worker, first }
}

/** In the worker: answers the parent. */
export function tellParent(message: object): void {
  if (process.connected) process.send?.(message)
}
