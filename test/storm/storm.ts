import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Line, lineParser } from './history.ts'
import { type Random, randomOf } from './random.ts'
import type { StormDatabase } from './storm-databases.ts'
import type { StormIds } from './storm-model.ts'
import type { Way } from './ways.ts'
import type { WorkerOptions } from './worker.ts'

export interface StormOptions {
  readonly seed: number
  readonly seconds: number
  /** Worker processes at a time. */
  readonly workers: number
  /** With rules. */
  readonly ruled: boolean
  readonly ids: StormIds
  /** The clients are those of two tenants. */
  readonly hasTenants: boolean
}

export interface StormResult {
  readonly lines: readonly Line[]
  /** Errors that workers had besides those that they answered. */
  readonly errors: readonly string[]
  readonly kills: number
  readonly drops: number
  readonly restarts: number
}

/** Has workers write to a database, kills them and whatever else can be killed, and returns what they logged. */
export async function storm(
  database: StormDatabase,
  { seed, seconds, workers, ruled, ids, hasTenants }: StormOptions,
): Promise<StormResult> {
  const random = randomOf(seed)
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-storm-log-'))
  const errors: string[] = []
  const logs: string[] = []
  const running: ChildProcess[] = []
  const start = (): void => {
    const worker = logs.length + 1
    const log = join(folder, `${worker}.jsonl`)
    logs.push(log)
    const child = startWorker({
      way: database.ways[(seed + worker) % database.ways.length] as Way,
      worker,
      seed: seed + worker,
      ruled,
      ids,
      hasTenants,
      log,
    })
    child.stderr?.on('data', (text) => errors.push(`worker ${worker}: ${text}`))
    child.on('message', ({ error }: { error: string }) => errors.push(`worker ${worker}: ${error}`))
    running.push(child)
  }
  for (let count = 0; count < workers; count++) start()
  await untilOneIsDone(logs)
  const end = Date.now() + seconds * 1000
  const happened = await disturb(database, random, end, async () => {
    const [victim] = running.splice(random.int(running.length), 1) as [ChildProcess]
    const exit = once(victim, 'exit')
    victim.kill('SIGKILL')
    await exit
    start()
  })
  await Promise.all(running.map(stopWorker))
  const lines: Line[] = []
  const parse = lineParser()
  for (const log of logs) {
    // A line that was being written when its worker was killed has no end.
    const text = await readFile(log, 'utf8').catch(() => '')
    lines.push(
      ...text
        .split('\n')
        .slice(0, -1)
        .map((line) => parse(line)),
    )
  }
  await rm(folder, { recursive: true, force: true })
  return { lines, errors, ...happened }
}

/** On a busy machine, a worker may take longer to start than a short storm lasts. */
async function untilOneIsDone(logs: readonly string[]): Promise<void> {
  const latest = Date.now() + 60_000
  const isDone = async (log: string) => /"status":20[01]/.test(await readFile(log, 'utf8').catch(() => ''))
  while (Date.now() < latest) {
    if ((await Promise.all(logs.map(isDone))).some(Boolean)) return
    await wait(50)
  }
}

function startWorker(options: WorkerOptions): ChildProcess {
  const script = fileURLToPath(new URL('./worker.ts', import.meta.url))
  return fork(script, [JSON.stringify(options)], {
    execArgv: ['--conditions=source'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(options.log), 'compiled') },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

async function stopWorker(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.send('stop')
  await exit
}

/** Kills workers every few seconds, connections more often, and restarts the server in the middle. */
async function disturb(
  database: StormDatabase,
  random: Random,
  end: number,
  kill: () => Promise<void>,
): Promise<Pick<StormResult, 'kills' | 'drops' | 'restarts'>> {
  const happened = { kills: 0, drops: 0, restarts: 0 }
  const begin = Date.now()
  // The first restart is in the middle, each further one after another minute.
  let nextRestart = begin + Math.min((end - begin) / 2, 60_000)
  let nextKill = begin + 3_000
  while (Date.now() < end) {
    await wait(200 + random.int(600))
    if (Date.now() > nextRestart) {
      if (await database.restart(happened.restarts % 2 === 0 ? 'crash' : 'restart')) happened.restarts += 1
      nextRestart += 60_000
    }
    happened.drops += await database.drop(random)
    if (Date.now() > nextKill) {
      await kill()
      happened.kills += 1
      nextKill = Date.now() + 2_000 + random.int(3_000)
    }
  }
  return happened
}
