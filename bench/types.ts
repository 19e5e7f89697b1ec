/**
 * What the client's types cost a compiler: a program with one list, find, create and patch for each resource over the
 * client, beside the same program over the store. `--resources 100,300`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { resources: { type: 'string', default: '100,300' } } })
const folder = join(import.meta.dirname, '.types')
const require = createRequire(import.meta.url)

/** Each compiler by its script, which Node runs. */
const COMPILERS = {
  'TypeScript 7': join(require.resolve('typescript/package.json'), '../bin/tsc'),
  'TypeScript 5.9': join(require.resolve('typescript-5/package.json'), '../bin/tsc'),
}

const BEGIN = {
  store: `import { type AnyKysely, createStore } from '@fastify-crud/core'
import { resources } from './model.ts'
declare const db: AnyKysely
const api = createStore({ db, resources })`,
  client: `import { createClient } from '@fastify-crud/client'
import type { resources } from './model.ts'
const api = createClient<typeof resources>({ url: '/api' })`,
}

interface Cost {
  readonly seconds: number
  readonly megabytes: number
}

mkdirSync(folder, { recursive: true })
try {
  console.log('| | resources | store: s | client: s | | store: MB | client: MB | |')
  console.log('| --- | --: | --: | --: | --: | --: | --: | --: |')
  for (const count of values.resources.split(',').map(Number)) {
    writeFileSync(join(folder, 'model.ts'), modelOf(count))
    for (const side of ['store', 'client'] as const) writeProgram(side, count)
    for (const [name, compiler] of Object.entries(COMPILERS)) {
      const [store, client] = [costOf(compiler, 'store'), costOf(compiler, 'client')]
      const row = [name, count, store.seconds, client.seconds, ratio(client.seconds, store.seconds)]
      row.push(store.megabytes, client.megabytes, ratio(client.megabytes, store.megabytes))
      console.log(`| ${row.join(' | ')} |`)
    }
  }
} finally {
  rmSync(folder, { recursive: true })
}

function modelOf(count: number): string {
  const resource = (index: number) => `  r${index}: {
    fields: {
      name: Type.String({ minLength: 1 }),
      count: field(Type.Integer(), { default: 0 }),
      price: Type.Optional(Type.Number()),
      kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
    },
    relations: { next: knows.one('r${(index + 1) % count}'), others: knows.many('r${(index + 2) % count}') },
  },`
  const all = Array.from({ length: count }, (_, index) => resource(index)).join('\n')
  const imports = `import { defineResources, field, knows } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'`
  return `${imports}\nexport const resources = defineResources({\n${all}\n})\n`
}

function writeProgram(side: keyof typeof BEGIN, count: number): void {
  const use = (index: number) => `{
  const { rows } = await api.r${index}.list({ filter: { name: { startsWith: 'a' } }, sort: ['-name'], include: ['others'] })
  const found = await api.r${index}.find(rows[0]?.id ?? 1)
  const made = await api.r${index}.create({ name: found.name, kind: 'a', nextId: found.id })
  const price: number | null = (await api.r${index}.patch(made.id, { price: 1 })).price
  void price
}`
  const uses = Array.from({ length: count }, (_, index) => use(index)).join('\n')
  writeFileSync(join(folder, `${side}.ts`), `${BEGIN[side]}\n${uses}\n`)
  const compilerOptions = { lib: ['es2024', 'dom'], types: ['node'] }
  writeFileSync(
    join(folder, `${side}.json`),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: [`${side}.ts`] }),
  )
}

/** The time of all processors, and the memory, of one run. Throws an Error if the program does not compile. */
function costOf(compiler: string, side: string): Cost {
  const command = `TIMEFORMAT='%U'; time "$0" "$1" -p "$2" --extendedDiagnostics`
  const args = ['-c', command, process.execPath, compiler, join(folder, `${side}.json`)]
  const { status, stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${side}: ${stdout.slice(0, 2_000)}${stderr}`)
  const kilobytes = Number(/Memory used: +(\d+)K/.exec(stdout)?.[1])
  return { seconds: Number(stderr.trim()), megabytes: Math.round(kilobytes / 1_000) }
}

function ratio(one: number, other: number): string {
  return (one / other).toFixed(2)
}
