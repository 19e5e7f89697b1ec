import { parseArgs } from 'node:util'

export interface Options {
  readonly db?: string
  readonly schema?: string
  readonly only?: string[]
  readonly resources?: string
  readonly name?: string
  readonly dir?: string
  readonly fill?: string[]
  readonly online?: boolean
  readonly check?: boolean
  readonly sql?: boolean
  readonly json?: boolean
}

const OF_GENERATE = ['name', 'dir', 'fill', 'online', 'check', 'sql'] as const

/** What only other commands take. */
const OTHERS_OPTIONS: Readonly<Record<string, readonly (keyof Options)[]>> = {
  introspect: ['resources', ...OF_GENERATE],
  check: ['schema', 'only', ...OF_GENERATE],
  generate: ['schema', 'only'],
}

/** Options that may occur several times. */
const SEVERAL: readonly string[] = ['only', 'fill']

const ADVICE: Readonly<Record<string, string>> = {
  schema: ', but one run describes the tables of one schema: run introspect once for each',
}

interface CommandLine {
  readonly command: string
  readonly options: Options
}

/** @throws CliError for anything that the help does not have */
export function readOptions(words: readonly string[], commands: readonly string[]): CommandLine {
  const { values, positionals, tokens } = parse(words)
  const { help, version, ...options } = values
  const [command, another] = positionals
  if (version === true) return { command: 'version', options }
  if (help === true || command === undefined || command === 'help') return { command: 'help', options }
  if (!commands.includes(command)) throw new CliError(`there is no command '${command}'. Try fastify-crud --help`)
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const twice = given.find((name, index) => !SEVERAL.includes(name) && given.indexOf(name) < index)
  if (twice !== undefined)
    throw new CliError(`--${twice} is there twice${ADVICE[twice] ?? ''}. Try fastify-crud --help`)
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
      tokens: true,
      options: {
        db: { type: 'string' },
        schema: { type: 'string' },
        only: { type: 'string', multiple: true },
        resources: { type: 'string' },
        name: { type: 'string' },
        dir: { type: 'string' },
        fill: { type: 'string', multiple: true },
        online: { type: 'boolean' },
        check: { type: 'boolean' },
        sql: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    throw new CliError(`${(error as Error).message}. Try fastify-crud --help`)
  }
}

/** Something that is wrong with the command line or with what it names. Its message is for the person who typed it. */
export class CliError extends Error {}
