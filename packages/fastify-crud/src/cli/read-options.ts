import { parseArgs } from 'node:util'
import { CliError } from './cli-error.ts'

export interface Options {
  readonly db?: string
  readonly schema?: string
  readonly only?: string[]
  readonly resources?: string
  readonly json?: boolean
}

/** What only other commands take. */
const OTHERS_OPTIONS: Readonly<Record<string, readonly (keyof Options)[]>> = {
  introspect: ['resources'],
  check: ['schema', 'only'],
}

interface CommandLine {
  /** None: the help. */
  readonly command: string | undefined
  readonly options: Options
}

/** @throws CliError for anything that the help does not have */
export function readOptions(words: readonly string[], commands: readonly string[]): CommandLine {
  const { values, positionals } = parse(words)
  const { help, ...options } = values
  const [command, another] = positionals
  if (help === true || command === undefined || command === 'help') return { command: undefined, options }
  if (!commands.includes(command)) throw new CliError(`there is no command '${command}'. Try fastify-crud --help`)
  const misplaced = (OTHERS_OPTIONS[command] ?? []).find((name) => options[name] !== undefined)
  if (misplaced !== undefined) throw new CliError(`${command} takes no --${misplaced}. Try fastify-crud --help`)
  if (another !== undefined) throw new CliError(`'${another}' is one word too many. Try fastify-crud --help`)
  return { command, options }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        db: { type: 'string' },
        schema: { type: 'string' },
        only: { type: 'string', multiple: true },
        resources: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new CliError(`${(error as Error).message}. Try fastify-crud --help`)
  }
}
