import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { introspect } from 'fastify-crud'
import { expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { ddlFor, runDdl, SCHEMAS } from './introspected-service.ts'

const root = join(import.meta.dirname, '../../../../..')

test('what introspect prints compiles, for every schema on both databases', async () => {
  const folder = await mkdtemp(join(import.meta.dirname, '.printed-'))
  try {
    for (const database of databases) {
      for (const schema of SCHEMAS) {
        const open = await database.open()
        try {
          await runDdl(open, ddlFor(schema, database.name))
          await writeFile(join(folder, `${schema}-${database.name}.ts`), (await introspect(open.db)).source)
        } finally {
          await open.close()
        }
      }
    }
    const options = { extends: join(root, 'tsconfig.json'), compilerOptions: { noEmit: true }, include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
    expect((await readdir(folder)).length).toBe(2 * SCHEMAS.length + 1)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) => error)
    expect(stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})
