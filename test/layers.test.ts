import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const packages = join(import.meta.dirname, '../packages')

/** A package's layers: its folders and the files beside them. Each may import from itself and from those that are named. */
interface Layers {
  readonly layers: Readonly<Record<string, readonly string[]>>
  /** What each layer may import from outside of the package; `*` are all layers. */
  readonly imports: Readonly<Record<string, readonly string[]>>
}

/** Imported by what opens a database and by nothing else, so that an application has only the one it uses. */
const DRIVERS = ['better-sqlite3', 'pg']
const CORE = ['@fastify-crud/core', '@fastify-crud/core/internal']

const PACKAGES: Readonly<Record<string, Layers>> = {
  core: {
    layers: {
      problem: [],
      'effects-form': [],
      errors: ['problem', 'effects-form'],
      model: ['problem', 'errors'],
      asking: ['problem', 'errors', 'model'],
      'asking/policies': ['errors', 'model', 'asking'],
      planning: ['problem', 'errors', 'model', 'asking/policies'],
      sql: ['model', 'asking', 'asking/policies', 'planning'],
      session: ['errors', 'sql'],
      rules: ['problem', 'errors', 'model', 'asking', 'planning', 'sql', 'session'],
      effects: ['effects-form', 'model', 'planning', 'rules'],
      history: ['effects-form', 'model', 'planning', 'sql', 'session', 'rules', 'effects'],
      feed: ['errors', 'model', 'sql', 'session', 'history'],
      writing: [
        'problem',
        'errors',
        'model',
        'asking',
        'asking/policies',
        'planning',
        'sql',
        'session',
        'rules',
        'effects-form',
        'effects',
        'history',
        'feed',
      ],
      actions: [
        'problem',
        'errors',
        'model',
        'asking',
        'asking/policies',
        'planning',
        'sql',
        'session',
        'rules',
        'effects',
        'history',
        'writing',
      ],
      batch: ['errors', 'model', 'asking/policies', 'planning', 'sql', 'session', 'rules', 'writing'],
      store: [
        'problem',
        'errors',
        'model',
        'asking',
        'asking/policies',
        'planning',
        'sql',
        'session',
        'rules',
        'effects-form',
        'effects',
        'history',
        'feed',
        'writing',
        'actions',
        'batch',
      ],
      open: ['model', 'sql', 'session'],
      types: ['errors', 'model', 'asking', 'effects-form', 'store'],
      internal: [
        'problem',
        'errors',
        'model',
        'asking',
        'planning',
        'sql',
        'session',
        'effects-form',
        'feed',
        'writing',
        'actions',
        'batch',
        'store',
      ],
      index: [
        'problem',
        'errors',
        'effects-form',
        'model',
        'asking',
        'planning',
        'sql',
        'session',
        'rules',
        'batch',
        'store',
      ],
    },
    imports: {
      model: ['ajv', 'ajv/dist/2019.js', 'ajv-formats', 'kysely', 'uuid'],
      asking: ['node:crypto'],
      'asking/policies': ['kysely'],
      sql: ['kysely'],
      session: ['kysely', 'node:async_hooks', 'node:crypto', 'node:timers/promises'],
      rules: ['kysely'],
      effects: ['node:crypto'],
      writing: ['kysely', 'node:crypto', 'uuid'],
      store: ['kysely'],
      open: ['kysely', 'node:module', 'node:path', 'node:worker_threads', ...DRIVERS],
    },
  },
  openapi: {
    layers: {
      sentences: [],
      components: [],
      'openapi-options': ['components'],
      schemas: ['sentences', 'components'],
      routes: ['sentences', 'components', 'openapi-options', 'schemas'],
      document: ['components', 'openapi-options', 'schemas', 'routes'],
      index: ['components', 'openapi-options', 'schemas', 'routes', 'document'],
    },
    imports: { '*': CORE },
  },
  tables: {
    layers: {
      'print-literal': [],
      'quoted-names': ['layout'],
      layout: [],
      catalogs: ['layout'],
      create: ['quoted-names', 'layout', 'catalogs'],
      check: ['quoted-names', 'layout', 'catalogs', 'create'],
      introspect: ['print-literal', 'quoted-names', 'catalogs', 'check'],
      push: ['quoted-names', 'layout', 'catalogs', 'create', 'check'],
      generate: ['print-literal', 'quoted-names', 'layout', 'catalogs', 'create', 'check'],
      commands: ['check', 'introspect', 'generate'],
      index: ['create', 'check', 'introspect', 'push', 'generate'],
    },
    imports: {
      '*': [...CORE, 'kysely'],
      create: ['node:crypto'],
      commands: [
        ...['@fastify-crud/core/sqlite', '@fastify-crud/core/postgres'],
        ...['node:fs', 'node:fs/promises', 'node:path', 'node:url', 'node:util'],
      ],
    },
  },
  client: {
    layers: {
      'service-model': [],
      'service-error': [],
      'query-string': [],
      etags: ['service-model'],
      transport: ['service-model', 'service-error'],
      writes: ['service-error', 'query-string', 'etags', 'transport'],
      collection: ['service-model', 'query-string', 'etags', 'transport', 'writes'],
      types: ['service-model', 'transport'],
      'create-client': ['collection', 'transport', 'types'],
      'shared-stream': [],
      changes: ['service-model', 'shared-stream', 'transport', 'types'],
      query: ['service-model', 'service-error', 'transport', 'types', 'changes'],
      providers: ['service-model', 'service-error', 'collection', 'changes', 'query'],
      internal: ['providers'],
      index: ['service-model', 'service-error', 'transport', 'types', 'create-client'],
    },
    imports: { '*': ['@fastify-crud/core/types'] },
  },
  'react-admin': {
    layers: {
      access: [],
      filters: [],
      live: [],
      provider: ['filters'],
      index: ['access', 'live', 'provider'],
    },
    imports: { '*': ['@fastify-crud/client', '@fastify-crud/client/internal'], provider: ['ra-core'] },
  },
  refine: {
    layers: {
      access: [],
      filters: [],
      live: [],
      provider: ['filters'],
      index: ['access', 'live', 'provider'],
    },
    imports: { '*': ['@fastify-crud/client', '@fastify-crud/client/internal', '@refinedev/core'] },
  },
  explorer: {
    layers: {
      'developers-machine': [],
      options: [],
      'page-files': [],
      explorer: ['developers-machine', 'options', 'page-files'],
      index: ['options', 'explorer'],
    },
    imports: { '*': ['fastify', 'fastify-plugin', 'node:fs', 'node:fs/promises', 'node:path', 'node:url'] },
  },
  mcp: {
    layers: { '*': ['*'] },
    imports: { '*': ['@modelcontextprotocol/server', 'fastify', 'fastify-crud', 'fastify-plugin'] },
  },
  'fastify-crud': {
    layers: { '*': ['*'] },
    imports: {
      '*': [
        ...CORE,
        ...['@fastify-crud/openapi', '@fastify-crud/tables', 'fastify', 'fastify-plugin'],
        ...['node:buffer', 'node:crypto', 'node:events', 'node:http'],
      ],
      sqlite: ['@fastify-crud/core/sqlite'],
      'node-sqlite': ['@fastify-crud/core/node-sqlite'],
      postgres: ['@fastify-crud/core/postgres'],
    },
  },
}

const srcOf = (name: string) => join(packages, name, 'src')
const src = srcOf('core')

function sourcesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
}

const files = sourcesIn(src)

function textOf(file: string, root: string = src): string {
  return readFileSync(join(root, file), 'utf8')
}

/** All that a file imports, also what a type names by `import('…')`, and what is loaded later. */
function importsOf(file: string, root: string = src): string[] {
  const text = textOf(file, root).replaceAll(/^ *(?:\*|\/\/|\/\*\*).*$/gm, '')
  const statements = [...text.matchAll(/^(?:import|export)\b[^'"`;=]*?\bfrom '([^']+)'/gm)]
  return [...statements, ...text.matchAll(/^import '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, one, other]) => (one ?? other) as string,
  )
}

function relativeIn(file: string, root: string): string[] {
  return importsOf(file, root)
    .filter((specifier) => specifier.startsWith('.') && specifier.endsWith('.ts'))
    .map((specifier) => relative(root, join(root, file, '..', specifier)))
}

function layerOf(path: string, layers: Layers['layers']): string {
  const named = Object.keys(layers).filter((layer) => path === `${layer}.ts` || path.startsWith(`${layer}/`))
  return named.sort((one, other) => other.length - one.length)[0] ?? path.split('/')[0]?.replace(/\.ts$/, '') ?? path
}

describe.each(Object.entries(PACKAGES))('%s', (name, { layers, imports }) => {
  const root = srcOf(name)
  const sources = sourcesIn(root)

  test('has every file in a layer', () => {
    expect(sources.filter((file) => !('*' in layers || layerOf(file, layers) in layers))).toEqual([])
  })

  test.each(sources)('%s imports only from the layers and packages below it', (file) => {
    const layer = layerOf(file, layers)
    const below = [layer, ...(layers[layer] ?? layers['*'] ?? [])]
    const outside = [...(imports[layer] ?? []), ...(imports['*'] ?? [])]
    for (const specifier of importsOf(file, root)) {
      if (specifier === '../../package.json') continue
      if (!specifier.startsWith('.')) expect(outside).toContain(specifier)
      else if (!('*' in layers)) {
        expect(below).toContain(layerOf(relative(root, join(root, file, '..', specifier)), layers))
      }
    }
  })

  test('has no two files that import each other, types included', () => {
    expect(circlesIn(root)).toEqual([])
  })
})

/** Of each circle the files, in the order in which they import each other. */
function circlesIn(root: string): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const follow = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file)) return
    done.add(file)
    for (const target of relativeIn(file, root)) follow(target, [...path, file])
  }
  for (const file of sourcesIn(root)) follow(file, [])
  return circles
}

test('what core has for the other packages alone is one list, and each name of it is used', () => {
  const listed = [...textOf('internal.ts').matchAll(/\{([^}]*)\}/g)].flatMap(([, names]) => wordsIn(names as string))
  const sources = Object.keys(PACKAGES)
    .filter((name) => name !== 'core')
    .flatMap((name) => {
      const root = srcOf(name)
      return sourcesIn(root).map((file) => textOf(file, root))
    })
  const used = new Set(sources.flatMap(internalNamesIn))
  expect(listed.filter((name) => !used.has(name))).toEqual([])
  // It may shrink. Who makes it longer says why in the commit.
  expect(listed.length).toBeLessThanOrEqual(MOST_INTERNAL_NAMES)
})

test('the client takes nothing of core but types', () => {
  const values = sourcesIn(srcOf('client')).filter((file) =>
    /^(?:import|export) (?!type )[^'"]*?from '@/m.test(textOf(file, srcOf('client'))),
  )
  expect(values).toEqual([])
})

const MOST_INTERNAL_NAMES = 221

function internalNamesIn(text: string): string[] {
  const imported = text.matchAll(/(?:import|export) (?:type )?\{([^}]*)\} from '@fastify-crud\/core\/internal'/g)
  return [...imported].flatMap(([, names]) => wordsIn(names as string, 0))
}

/** The names of a list, of `a as b` the second one, or the first. */
function wordsIn(names: string, which: 0 | -1 = -1): string[] {
  const entries = names.split(',').map((entry) => entry.trim().replace(/^type /, ''))
  return entries.filter(Boolean).map((entry) => entry.split(' as ').at(which) as string)
}

/** These only compute: nothing in them waits. */
const PURE = ['problem', 'errors', 'model', 'asking', 'planning', 'sql']

/** Ways to wait, and to do something later. */
const WAITING =
  /(?<!\$)\b(?:await|async|new Promise|Promise\.\w+|setTimeout|setImmediate|nextTick|queueMicrotask)\b|\.then\(|\.execute\(/

const pure = [
  ...files
    .filter((file) => PURE.includes((file.split('/')[0] as string).replace(/\.ts$/, '')))
    .map((file) => [file, src]),
  ...sourcesIn(srcOf('openapi')).map((file) => [file, srcOf('openapi')]),
] as const

test.each(pure)('%s waits for nothing', (file, root) => {
  expect(textOf(file as string, root).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')).not.toMatch(WAITING)
})

test('the model takes only types of Kysely, of which descriptors may have functions', () => {
  const values = files.filter(
    (file) => file.startsWith('model/') && /^import (?!type )[^'"]*?from 'kysely'/m.test(textOf(file)),
  )
  expect(values).toEqual([])
})

test('the types of records and bodies need no Kysely', () => {
  const files = [...loadedBy('types.ts')]
  expect(files.length).toBeGreaterThan(30)
  expect(files.filter((file) => importsOf(file).includes('kysely'))).toEqual([])
})

const PIPELINE = 'session/postgres/pipeline/'

test('the pipeline of messages imports nothing from outside but Node, and the others import its entry only', () => {
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      const target = specifier.startsWith('.') ? relative(src, join(src, file, '..', specifier)) : specifier
      if (file.startsWith(PIPELINE)) expect(target).toMatch(/^(?:node:|session\/postgres\/pipeline\/)/)
      else if (target.startsWith(PIPELINE)) expect(target).toBe(`${PIPELINE}index.ts`)
    }
  }
})

/** The folders of `planning/`, in the order in which a write goes through them. */
const STAGES = ['body', 'diff', 'decide', 'order']

test.each(STAGES)('the %s of a plan loads nothing of the stages after it', (stage) => {
  const after = STAGES.slice(STAGES.indexOf(stage) + 1)
  for (const file of files.filter((name) => name.startsWith(`planning/${stage}/`))) {
    const loaded = [...loadedBy(file)].filter((name) => after.some((later) => name.startsWith(`planning/${later}/`)))
    expect(loaded).toEqual([])
  }
})

test.each(files.filter((file) => file.startsWith('sql/')))(
  '%s decides nothing: of what decides it takes only types',
  (file) => {
    const values = [...textOf(file).matchAll(/^import (?!type )[^'"]*?from '[./]*\/planning\/(\w+)\//gm)].map(
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
  ['open/open-node-sqlite.ts', undefined],
  ['open/open-postgres.ts', 'pg'],
  ['index.ts', undefined],
  ['internal.ts', undefined],
])('%s loads no driver but %s', (entry, driver) => {
  const drivers = [...loadedBy(entry)].flatMap((file) => importsOf(file)).filter((name) => DRIVERS.includes(name))
  expect([...new Set(drivers)]).toEqual(driver === undefined ? [] : [driver])
})

/** The file and all that it imports, however far away. */
function loadedBy(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const target of relativeIn(file, src)) loadedBy(target, found)
  return found
}

/** Turns an id into a number, or a parameter into an integer, where the compiler would not see it. */
const INTEGERS = /\bNumber\(|\bparse(?:Int|Float)\(|\bas number\b|::(?:big)?int\b/

/** What is an integer, but no id. */
const NO_IDS = [
  'Number(schema.maxLength)',
  'Number(position)',
  'Number(alias.slice(1))',
  'Number(exponent)',
  'Number(fraction)',
  'Number(digit)',
  'Number(start)',
  'Number(last)',
  'Number(stored)',
  'Number(found.at)',
  'Number(found.status)',
  'Number(found.count)',
  'positions[index] as number',
  'integer: sql`::bigint`',
  'parameter}::bigint',
  '* 1000)::bigint',
  'Number(after)',
  'Number(some.at(-1)?.position)',
  'Number(at)',
  'Number(place)',
]

const ID_KINDS = [
  'sql/dialect/uuid-of-index.ts',
  'sql/dialect/postgres/ids/integer-id-sql.ts',
  'sql/dialect/postgres/ids/postgres-ids.ts',
  'sql/dialect/sqlite/ids/integer-id-sql.ts',
]
const MEET_IDS = ['planning', 'sql', 'rules', 'store', 'writing']

test.each(files.filter((file) => MEET_IDS.includes(file.split('/')[0] as string) && !ID_KINDS.includes(file)))(
  '%s leaves it to the kinds of ids that an id is an integer',
  (file) => {
    const text = NO_IDS.reduce((rest, integer) => rest.replaceAll(integer, ''), textOf(file))
    expect(text).not.toMatch(INTEGERS)
  },
)

test('ARCHITECTURE.md names files that are there', () => {
  const root = join(packages, '..')
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|json))`/g)].map(([, file]) => file as string)
  const isThere = (file: string) =>
    [join(src, file), join(packages, file), join(root, file)].some((path) => existsSync(path))
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((file) => !isThere(file))).toEqual([])
})
