import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** The folders and files that a layer may import from, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  model: ['errors'],
  schema: ['errors', 'model'],
  plan: ['errors', 'model'],
  query: ['errors', 'model', 'plan', 'drivers', 'promise-or-value'],
  tables: ['errors', 'model', 'query', 'connections', 'transaction', 'promise-or-value'],
  drivers: [],
}

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  model: ['ajv', 'ajv/dist/2019.js', 'ajv-formats'],
  schema: [],
  plan: [],
  query: ['kysely'],
  tables: ['kysely', 'node:crypto'],
  drivers: ['node:crypto'],
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/^(?:import|export)[^'"]*?from '([^']+)'/gm)].map((match) => match[1] as string)
}

function layerOf(path: string): string {
  return (path.split('/')[0] as string).replace(/\.ts$/, '')
}

test.each(files.filter((file) => layerOf(file) in MAY_IMPORT))('%s imports only from the layers below it', (file) => {
  const layer = layerOf(file)
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('.')) {
      const target = layerOf(relative(src, join(src, file, '..', specifier)))
      expect([layer, ...(MAY_IMPORT[layer] ?? [])]).toContain(target)
    } else {
      expect(PACKAGES[layer]).toContain(specifier)
    }
  }
})

test('nothing in core imports an HTTP framework, a driver, or TypeBox, which nobody has to install', () => {
  for (const file of files) {
    for (const specifier of importsOf(file))
      expect(specifier).not.toMatch(/^(?:fastify|better-sqlite3|pg|typebox|@sinclair)\b/)
  }
})

const AWAITS = [
  'connections.ts',
  'drivers/keep-postgres.ts',
  'promise-or-value.ts',
  'store.ts',
  'transaction.ts',
  'write.ts',
]

test('only the store waits for the database', () => {
  const awaiting = files.filter(
    (file) =>
      !file.startsWith('tables/') &&
      /\bawait\b/.test(readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
  )
  expect(awaiting.sort()).toEqual(AWAITS)
})
