import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { subjects } from '../scripts/test-subjects.ts'

const root = join(import.meta.dirname, '..')

test.each(Object.entries(subjects))('the quick tests of %s are there', (_, files) => {
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('each package has quick tests', () => {
  expect(Object.keys(subjects)).toEqual(
    expect.arrayContaining([
      'core',
      'tables',
      'openapi',
      'client',
      'explorer',
      'react-admin',
      'refine',
      'fastify-crud',
    ]),
  )
})
