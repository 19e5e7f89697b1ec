import manifest from '../../package.json' with { type: 'json' }
import { check } from './check.ts'
import { CliError } from './cli-error.ts'
import { generate } from './generate.ts'
import { HELP } from './help.ts'
import { introspectTables } from './introspect-tables.ts'
import { type Options, readOptions } from './read-options.ts'
import type { Surroundings } from './surroundings.ts'

export type ExitCode = 0 | 1 | 2

/** A command resolves to 1 where there is something to mend. */
type Command = (options: Options, surroundings: Surroundings) => Promise<0 | 1>

const COMMANDS: Readonly<Record<string, Command>> = { introspect: introspectTables, check, generate }

/** Runs a command line. Resolves to the exit code: 0, 1 where there is something to mend, 2 where the command could not be run. */
export async function runCli(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    const { command, options } = readOptions(words, Object.keys(COMMANDS))
    if (command === 'help' || command === 'version') {
      surroundings.out(command === 'help' ? HELP : `${manifest.version}\n`)
      return 0
    }
    return await (COMMANDS[command] as Command)(options, surroundings)
  } catch (error) {
    surroundings.err(`fastify-crud: ${error instanceof Error ? messageOf(error) : String(error)}\n`)
    return 2
  }
}

/** Of other errors than those of the command line, the kind may be all there is. */
function messageOf(error: Error): string {
  if (error instanceof CliError) return error.message
  const { code } = error as { code?: unknown }
  return [error.message, typeof code === 'string' && !error.message.includes(code) ? `(${code})` : '']
    .filter(Boolean)
    .join(' ')
}
