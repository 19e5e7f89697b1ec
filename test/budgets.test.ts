import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const packages = join(import.meta.dirname, '../packages')
const budgets: Readonly<Record<string, number>> = JSON.parse(readFileSync(join(packages, 'budgets.json'), 'utf8'))

/** Of a package's sources, or of its page: `explorer/page`. */
function linesOf(name: string): number {
  const src = join(packages, name.includes('/') ? name : `${name}/src`)
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:tsx?|css)$/.test(file))
  return files.reduce((lines, file) => lines + readFileSync(join(src, file), 'utf8').split('\n').length - 1, 0)
}

test('every package has a budget', () => {
  const names = readdirSync(packages, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const ofPackages = Object.keys(budgets).filter((name) => !name.includes('/'))
  expect(names.map(({ name }) => name).sort()).toEqual(ofPackages.sort())
})

test.each(Object.entries(budgets))('%s has at most %d lines of source', (name, most) => {
  expect(linesOf(name)).toBeLessThanOrEqual(most)
})

test.each(Object.entries(budgets))('%s lowers its budget when it becomes smaller', (name, most) => {
  expect(most - linesOf(name)).toBeLessThan(SPARE)
})

/** As many lines as a budget may have to spare: what is retired is not there to be filled again. */
const SPARE = 200
