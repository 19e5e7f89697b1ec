import { appendFile, chmod, cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/**
 * Copies the files of a server that is running, and has them followed by what it writes from then on
 * (https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP). The server of the copy has these parameters.
 */
export async function copyPrimary(
  primary: URL,
  data: string,
  parameters: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  const client = new pg.Client(primary.href)
  await client.connect()
  try {
    const { rows: places } = await client.query<{ data_directory: string }>('show data_directory')
    await client.query("select pg_backup_start('replica', true)")
    await cp(places[0]?.data_directory as string, data, { recursive: true, errorOnExist: false, force: true })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await writeFile(join(data, 'backup_label'), rows[0]?.labelfile as string)
  } finally {
    await client.end()
  }
  await rm(join(data, 'postmaster.pid'), { force: true })
  await writeFile(join(data, 'standby.signal'), '')
  const { hostname, port, username, password } = primary
  const follows = `host=${hostname} port=${port} user=${username} password=${password}`
  const lines = [...parameters, ['primary_conninfo', follows] as const].map(([name, value]) => `${name} = '${value}'`)
  await appendFile(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
  await chmod(data, 0o700)
}
