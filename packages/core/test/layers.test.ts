import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../src')
const files = sourcesIn(src)

/** The layers that each may import from, besides itself. `index.ts` is what users get, `internal.ts` what the plugin also gets. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  problem: [],
  errors: ['problem'],
  model: ['errors'],
  schema: ['errors', 'model', 'reading'],
  policies: ['errors', 'model', 'reading'],
  plan: ['errors', 'model', 'policies'],
  reading: ['errors', 'model'],
  query: ['errors', 'model', 'policies', 'plan', 'reading'],
  connection: ['errors', 'query'],
  rules: ['errors', 'model', 'plan', 'reading', 'query', 'connection'],
  store: ['errors', 'model', 'policies', 'plan', 'reading', 'query', 'connection', 'tables', 'rules'],
  tables: ['errors', 'model', 'reading', 'query', 'connection'],
  open: ['model', 'query', 'connection', 'tables'],
  internal: ['errors', 'model', 'policies', 'plan', 'reading', 'query', 'connection', 'store'],
  index: ['errors', 'model', 'policies', 'plan', 'reading', 'query', 'connection', 'rules', 'store', 'tables'],
}

/** Imported by what opens a database and by nothing else, so that an application has only the one it uses. */
const DRIVERS = ['better-sqlite3', 'pg']

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  problem: [],
  errors: [],
  model: ['ajv', 'ajv/dist/2019.js', 'ajv-formats', 'uuid'],
  schema: [],
  policies: ['kysely'],
  plan: [],
  reading: ['node:crypto'],
  query: ['kysely'],
  connection: ['kysely', 'node:async_hooks', 'node:crypto', 'node:timers/promises'],
  rules: ['kysely'],
  store: ['kysely'],
  tables: ['kysely', 'node:crypto'],
  open: ['kysely', 'node:path', 'node:worker_threads', ...DRIVERS],
  internal: [],
  index: [],
}

/** These only compute: nothing in them waits. */
const PURE = ['problem', 'errors', 'model', 'schema', 'policies', 'plan', 'reading', 'query']

/** Packages of which a layer takes only types: descriptors may have functions that are given what is Kysely's. */
const ONLY_TYPES: Readonly<Record<string, readonly string[]>> = { model: ['kysely'] }

function sourcesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
}

function textOf(file: string): string {
  return readFileSync(join(src, file), 'utf8')
}

function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^(?:import|export)[^'"]*?from '([^']+)'/gm)].map((match) => match[1] as string)
}

function layerOf(path: string): string {
  return (path.split('/')[0] as string).replace(/\.ts$/, '')
}

test('every file is in a layer', () => {
  expect(files.filter((file) => !(layerOf(file) in MAY_IMPORT))).toEqual([])
})

test.each(files)('%s imports only from the layers below it', (file) => {
  const layer = layerOf(file)
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('.')) {
      const target = layerOf(relative(src, join(src, file, '..', specifier)))
      expect([layer, ...(MAY_IMPORT[layer] ?? [])]).toContain(target)
    } else {
      const isType = new RegExp(`^import type [^'"]*from '${specifier}'`, 'm').test(textOf(file))
      expect([...(PACKAGES[layer] ?? []), ...(isType ? (ONLY_TYPES[layer] ?? []) : [])]).toContain(specifier)
    }
  }
})

const plugin = join(import.meta.dirname, '../../fastify-crud/src')

test.each([
  ['core', src],
  ['the plugin', plugin],
])('no two files of %s import each other, types included', (_, root) => {
  expect(circlesIn(root)).toEqual([])
})

/** Of each circle the files, in the order in which they import each other. */
function circlesIn(root: string): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const follow = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file)) return
    done.add(file)
    for (const specifier of relativeIn(readFileSync(join(root, file), 'utf8'))) {
      follow(relative(root, join(root, file, '..', specifier)), [...path, file])
    }
  }
  for (const file of sourcesIn(root)) follow(file, [])
  return circles
}

/** Also what a type names by `import('…')`. */
function relativeIn(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import) ?\(?'(\.[^']+\.ts)'/g)].map((match) => match[1] as string)
}

const PIPELINE = 'connection/postgres/pipeline/'

test('the pipeline of messages imports nothing from outside but Node, and the others import its entry only', () => {
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      const target = specifier.startsWith('.') ? relative(src, join(src, file, '..', specifier)) : specifier
      if (file.startsWith(PIPELINE)) expect(target).toMatch(/^(?:node:|connection\/postgres\/pipeline\/)/)
      else if (target.startsWith(PIPELINE)) expect(target).toBe(`${PIPELINE}index.ts`)
    }
  }
})

/** The folders of `plan/`, in the order in which a write goes through them. */
const STAGES = ['body', 'diff', 'decide', 'order']

test.each(STAGES)('the %s of a plan loads nothing of the stages after it', (stage) => {
  const after = STAGES.slice(STAGES.indexOf(stage) + 1)
  for (const file of files.filter((name) => name.startsWith(`plan/${stage}/`))) {
    const loaded = [...loadedBy(file)].filter((name) => after.some((later) => name.startsWith(`plan/${later}/`)))
    expect(loaded).toEqual([])
  }
})

test.each(files.filter((file) => layerOf(file) === 'query'))(
  '%s decides nothing: of what decides it takes only types',
  (file) => {
    const values = [...textOf(file).matchAll(/^import (?!type )[^'"]*?from '[./]*\/plan\/(\w+)\//gm)].map(
      ([, stage]) => stage,
    )
    expect(values.filter((stage) => stage !== 'order')).toEqual([])
  },
)

test('nothing in core imports an HTTP framework, or TypeBox, which nobody has to install', () => {
  for (const file of files) {
    for (const specifier of importsOf(file)) expect(specifier).not.toMatch(/^(?:fastify|typebox|@sinclair)\b/)
  }
})

test.each([
  ['open/open-sqlite.ts', 'better-sqlite3'],
  ['open/open-postgres.ts', 'pg'],
  ['index.ts', undefined],
  ['internal.ts', undefined],
  ['schema/index.ts', undefined],
])('%s loads no driver but %s', (entry, driver) => {
  const drivers = [...loadedBy(entry)].flatMap(importsOf).filter((specifier) => DRIVERS.includes(specifier))
  expect([...new Set(drivers)]).toEqual(driver === undefined ? [] : [driver])
})

/** The file and all that it imports, however far away. */
function loadedBy(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('.')) loadedBy(relative(src, join(src, file, '..', specifier)), found)
  }
  return found
}

/** Ways to wait, and to do something later. */
const WAITING =
  /(?<!\$)\b(?:await|async|new Promise|Promise\.\w+|setTimeout|setImmediate|nextTick|queueMicrotask)\b|\.then\(|\.execute\(/

test.each(files.filter((file) => PURE.includes(layerOf(file))))('%s waits for nothing', (file) => {
  expect(textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')).not.toMatch(WAITING)
})

/** Turns an id into a number, or a parameter into an integer, where the compiler would not see it. */
const INTEGERS = /\bNumber\(|\bparse(?:Int|Float)\(|\bas number\b|::(?:big)?int\b/

/** What is an integer, but no id. */
const NO_IDS = [
  'Number(schema.maxLength)',
  'Number(position)',
  'Number(alias.slice(1))',
  'Number(exponent)',
  'Number(digit)',
  'Number(start)',
  'Number(last)',
  'Number(found.at)',
  'Number(found.status)',
  'Number(found.count)',
  'positions[index] as number',
  'integer: sql`::bigint`',
  'parameter}::bigint',
]

const ID_KINDS = [
  'query/dialect/uuid-of-index.ts',
  'query/dialect/postgres/ids/integer-id-sql.ts',
  'query/dialect/postgres/ids/text-id-sql.ts',
  'query/dialect/sqlite/ids/integer-id-sql.ts',
]
const MEET_IDS = ['plan', 'query', 'rules', 'store']

test.each(files.filter((file) => MEET_IDS.includes(layerOf(file)) && !ID_KINDS.includes(file)))(
  '%s leaves it to the kinds of ids that an id is an integer',
  (file) => {
    const text = NO_IDS.reduce((rest, integer) => rest.replaceAll(integer, ''), textOf(file))
    expect(text).not.toMatch(INTEGERS)
  },
)
