import { readdir } from 'node:fs/promises'
import type { MigrationFile } from '../generate/generate-migrations.ts'
import { CliError } from './cli-error.ts'

/** Names for new migrations, which sort in the order of the files and behind all that are in the folder, as Kysely sorts them. */
export async function newNames(
  folder: string,
  name: string,
  files: readonly MigrationFile[],
): Promise<readonly string[]> {
  const there = (await readdir(folder)).filter((file) => /\.[cm]?[jt]s$/.test(file))
  const last = there
    .map((file) => file.replace(/\.[^.]+$/, ''))
    .sort((a, b) => a.localeCompare(b))
    .at(-1)
  const now = Math.floor(Date.now() / SECOND) * SECOND
  const begin = Math.max(now, (timeOf(last) ?? 0) + SECOND)
  const names = files.map(({ kind }, position) => {
    const suffix = kind === 'ordinary' ? '' : `-${kind}`
    return `${spelled(begin + position * SECOND)}_${inFileNames(name)}${suffix}`
  })
  if (last !== undefined && String(names[0]).localeCompare(last) <= 0) {
    throw new CliError(`${last} sorts behind ${names[0]}, so Kysely would not run it: rename it, or use another folder`)
  }
  return names
}

const SECOND = 1000

/** `20260131T120000`. */
function spelled(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:]|\.\d+Z$/g, '')
}

function timeOf(name: string | undefined): number | undefined {
  const found = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)_/.exec(name ?? '')
  if (found === null) return undefined
  const [, year, month, day, hours, minutes, seconds] = found
  const time = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(time) ? undefined : time
}

function inFileNames(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}_]+/gu, '-')
      .replaceAll(/^-|-$/g, '') || 'changes'
  )
}
