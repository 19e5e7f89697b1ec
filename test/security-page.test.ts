import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')

test('every promise of SECURITY.md names a test that is there', () => {
  const files = new Map([...page.matchAll(/^\[([\w-]+)\]: (.+)$/gm)].map(([, name = '', file = '']) => [name, file]))
  const promises = page.split(/\n(?=- |\n)/).filter((part) => part.trim().startsWith('- '))
  expect(promises.length).toBeGreaterThan(15)
  for (const promise of promises) {
    const tests = [...promise.matchAll(/\[([\w-]+)\]/g)].map(([, name = '']) => name)
    expect(tests.length, promise).toBeGreaterThan(0)
    for (const name of tests) {
      // A story is a test in a browser.
      expect([`${name}.test.ts`, `${name}.story.ts`], promise).toContain(basename(files.get(name) ?? ''))
    }
  }
  expect([...files.values()].filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('every test of hostile input stands for a promise, or for what is not promised', () => {
  const folder = 'packages/fastify-crud/test/hostile'
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith('.test.ts'))
  expect(files.filter((file) => !page.includes(`: ${folder}/${file}\n`))).toEqual([])
})
