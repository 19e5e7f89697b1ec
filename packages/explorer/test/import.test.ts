import { expect, test } from 'vitest'
import { csvCell, readCsv, toCsv } from '../page/import/csv.ts'
import { type ImportProgress, stateOf } from '../page/import/import-progress.ts'
import { bodyOfLine, guessMapping, readFile } from '../page/import/lines.ts'
import { type Portion, portionsOf, sendNext } from '../page/import/send-portions.ts'
import { ServiceError } from '../page/service/problem.ts'

test('CSV is read by its rules: quotes, line breaks in cells, any separator, and a mark at the start', () => {
  expect(readCsv('\uFEFFa,b\r\n"x, ""y""","1\n2"\r\n\r\nlast,')).toEqual([
    ['a', 'b'],
    ['x, "y"', '1\n2'],
    ['last', ''],
  ])
  expect(readCsv('a;b\n1;2')).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

test('what is written is read again, and no text is a formula', () => {
  const rows = [
    ['a', 'b;c'],
    ['"q"', 'two\nlines'],
  ]
  expect(readCsv(toCsv(rows))).toEqual(rows)
  expect(['=1+1', '+43 1', '@x', '-5', -5, '-12.50', null, { a: 1 }].map(csvCell)).toEqual([
    "'=1+1",
    "'+43 1",
    "'@x",
    '-5',
    '-5',
    '-12.50',
    '',
    '"{""a"":1}"',
  ])
})

test('columns find their fields, and values become those of the field', () => {
  const targets = {
    name: { type: 'string' },
    bornOn: { type: ['string', 'null'], format: 'date' },
    age: { type: 'integer' },
    isNew: { type: 'boolean' },
    publisherId: {},
  }
  const mapping = guessMapping(['Name', 'born on', 'AGE', 'is_new', 'publisher id', 'other'], targets)
  expect([...mapping.values()]).toEqual(['name', 'bornOn', 'age', 'isNew', 'publisherId'])
  const values = { Name: 'Ada', 'born on': '', AGE: '36', is_new: 'no', 'publisher id': '7', other: 'x' }
  expect(bodyOfLine(values, mapping, targets)).toEqual({
    name: 'Ada',
    bornOn: null,
    age: 36,
    isNew: false,
    publisherId: 7,
  })
  expect(bodyOfLine({ AGE: 'old', Name: '' }, mapping, targets)).toEqual({ age: 'old' })
  expect(readFile('[{"a":1},{"b":2}]').columns).toEqual(['a', 'b'])
  expect(() => readFile('a,b')).toThrow('no records')
})

const lines = Array.from({ length: 450 }, (_, index) => ({ line: index + 2, body: { number: index } }))

async function run(send: (portion: Portion) => Promise<void>) {
  let keys = 0
  const newKey = () => `key ${++keys}`
  let state = portionsOf(lines, newKey)
  while (state.left.length > 0) state = await sendNext(state, send, newKey)
  return state
}

const numbersIn = (portion: Portion): number[] => portion.lines.map(({ body }) => body.number as number)

test('faulty lines are taken out, and all others are sent once, each portion with a key of its own', async () => {
  const stored: number[] = []
  const keys: string[] = []
  const { done, problems } = await run(async (portion) => {
    keys.push(portion.key)
    const wrong = numbersIn(portion).flatMap((number, index) => (number % 100 === 3 ? [index] : []))
    if (wrong.length > 0)
      throw new ServiceError(400, {
        errors: wrong.map((index) => ({ pointer: `/${index}/number`, message: 'is wrong' })),
      })
    stored.push(...numbersIn(portion))
  })
  expect([done, stored.length, new Set(stored).size]).toEqual([445, 445, 445])
  expect(problems.map(({ line, message }) => `${line} ${message}`)).toContain('5 number: is wrong')
  expect(new Set(keys).size).toBe(keys.length)
})

test('a refusal that names no line is brought home by halves', async () => {
  const { done, problems } = await run(async (portion) => {
    if (numbersIn(portion).includes(300)) throw new ServiceError(409, { detail: 'is taken' })
  })
  expect([done, problems]).toEqual([449, [{ line: 302, message: 'is taken' }]])
})

test('a portion without an answer stays the next one, with its key', async () => {
  const state = portionsOf(lines, () => 'a key')
  await expect(
    sendNext(
      state,
      async () => Promise.reject(new TypeError('network')),
      () => 'another',
    ),
  ).rejects.toThrow('network')
  expect(state.left[0]?.key).toBe('a key')
})

test('an import goes on where it was, with the same keys for the same lines', () => {
  const progress: ImportProgress = {
    ...{ mapping: [], by: '', done: 200, refused: [9], at: 0 },
    left: [{ key: 'b', lines: [202, 203] }],
  }
  const state = stateOf(progress, lines)
  expect(state.left).toEqual([{ key: 'b', lines: [lines[200], lines[201]] }])
  expect(state).toMatchObject({ done: 200, problems: [{ line: 9, message: 'was refused before' }] })
})
