import { execFile } from 'node:child_process'
import { mkdtemp, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** Whom a program runs as. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** Where root runs the tests: `nobody`, as PostgreSQL refuses to run as root. Else undefined: whoever runs them. */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'nobody'], '/')))
  return { uid: Number(uid), gid: Number(gid) }
}

/** Makes a folder for temporary files that the account can reach. `give` makes it the account's own. */
export async function folderOf(account: Account | undefined, name: string): Promise<string> {
  const places = [tmpdir(), ...(account === undefined ? [] : ['/tmp'])]
  for (const place of places) {
    if (account === undefined || (await isOpenToAll(place))) return mkdtemp(join(place, `${name}-`))
  }
  throw new Error(`PostgreSQL does not run as root, and no other user can reach ${places.join(' or ')}.
Set TMPDIR to a folder that others can enter.`)
}

/** Makes all that is in a folder the account's own. */
export async function give(account: Account | undefined, folder: string): Promise<void> {
  if (account !== undefined) await run('chown', ['-R', `${account.uid}:${account.gid}`, folder], '/')
}

/** Whether the path, and each folder above it, can be entered, or run, by all users. */
export async function isOpenToAll(path: string): Promise<boolean> {
  for (let at = await realpath(path); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/**
 * Runs a program to its end; resolves to what it printed.
 *
 * @throws Error with all that it printed, if it fails.
 */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  account?: Account,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      ...account,
      cwd,
      env: { ...env, LC_ALL: 'C' },
    })
    return stdout
  } catch (error) {
    const { message, stdout } = error as Error & { stdout?: string }
    throw new Error(`${message}\n${stdout ?? ''}`, { cause: error })
  }
}
