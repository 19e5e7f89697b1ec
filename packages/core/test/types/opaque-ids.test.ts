import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../../..')
const core = join(root, 'packages/core')
const ID = 'export type Id = number\n'

/** The files that know an integer id as a number. */
const INTEGER_KIND = ['src/model/ids.ts', 'src/query/dialect/integer-id-sql.ts']

test('only the files of the integer kind do not compile if an id can be a text, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-ids-'))
  try {
    const ids = join(folder, 'src/model/ids.ts')
    await cp(join(core, 'src'), join(folder, 'src'), { recursive: true })
    const text = await readFile(ids, 'utf8')
    expect(text).toContain(ID)
    await writeFile(ids, text.replace(ID, 'export type Id = number | string\n'))
    await symlink(join(core, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    const lines = (await compile(folder)).split('\n')
    // The lines behind an error explain it, and are further in.
    const errors = lines.filter(
      (line) => /^\S.*error TS/.test(line) && !INTEGER_KIND.some((file) => line.startsWith(file)),
    )
    expect(errors).toEqual([])
    for (const file of INTEGER_KIND) expect(lines.some((line) => line.startsWith(file))).toBe(true)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

const tsconfig = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
  include: ['src'],
}

/** What the compiler prints. It ends with an error if it finds any. */
function compile(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = [tsc, '--project', folder, '--pretty', 'false']
  return new Promise((resolve) => execFile(process.execPath, options, { cwd: folder }, (_, output) => resolve(output)))
}
