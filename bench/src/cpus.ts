import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Cpus {
  /** For the server under test: one core. */
  readonly server: string
  /** For the load generator: the others. */
  readonly load: string
}

/** How the cores are shared out; undefined where there is one only, or no `taskset` to bind to it. */
export const cpus: Cpus | undefined = shareOut()

/** The command that runs Node with these arguments on these cores. */
export function nodeOn(cores: string | undefined, args: readonly string[]): [command: string, args: string[]] {
  if (cores === undefined) return [process.execPath, [...args]]
  return ['taskset', ['--cpu-list', cores, process.execPath, ...args]]
}

function shareOut(): Cpus | undefined {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    const [first, ...others] = allowed.split(',').flatMap((range) => {
      const [from = 0, to = from] = range.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })
    return first === undefined || others.length === 0 ? undefined : { server: `${first}`, load: others.join() }
  } catch {
    return undefined
  }
}
