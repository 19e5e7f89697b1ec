import { expect, test } from 'vitest'
import { checkHistory, type Stored } from './check-history.ts'
import type { Key, Noted, Write } from './history.ts'

interface Given {
  readonly target?: readonly Key[]
  readonly at?: number
  readonly until?: number
  readonly outcome?: Write['outcome']
  readonly records?: readonly Noted[]
  readonly sets?: readonly Noted[]
  readonly size?: number
  readonly unshown?: readonly string[]
}

let count = 0

function write(method: string, given: Given): Write {
  count += 1
  const {
    target = [],
    at = count * 10,
    until = at + 5,
    outcome = 'done',
    records = [],
    sets = records,
    size = 0,
    unshown = [],
  } = given
  const removes = method === 'DELETE' || method === 'PUT'
  const token = `w1.${count}.`
  const named = (noted: readonly Noted[]) =>
    noted.map((one) => ({ ...one, text: (one.text ?? '').replace('own', token) }))
  const status = outcome === 'done' ? 200 : undefined
  const path = `/api/${target.join('/')}`
  return {
    ...{ line: 'sent', token, method, path, at, until, target, removes, outcome, status, code: undefined, size },
    ...{ records: named(records), sets: named(sets), unshown },
  }
}

function record(key: Key, text = 'own', owner?: Key, isNew = true): Noted {
  return { key, text, mood: undefined, owner, isNew }
}

function stored(key: Key, text: string, owner?: Key): Stored {
  return { key, text, mood: undefined, owner }
}

const post = (given: Given = {}) => write('POST', { records: [record('band/1')], ...given })

test('all is well where each record is as its last writer left it', () => {
  const first = post()
  const patch = write('PATCH', { target: ['band/1'], records: [record('band/1', 'own', undefined, false)] })
  expect(checkHistory([first, patch], [stored('band/1', patch.token)])).toEqual([])
})

test('a refused write of which something is there is found', () => {
  const refused = post({ outcome: 'refused', records: [] })
  expect(checkHistory([refused], [stored('band/1', refused.token)])).toContainEqual(expect.stringContaining('refused'))
})

test('an acknowledged record that is not there is found, unless somebody may have removed it since', () => {
  const first = post()
  expect(checkHistory([first], [])).toContainEqual(expect.stringContaining('is lost'))
  expect(checkHistory([first, write('DELETE', { target: ['band/1'] })], [])).toEqual([])
  expect(checkHistory([first, write('DELETE', { target: ['band/1'], outcome: 'unknown' })], [])).toEqual([])
  const earlier = write('DELETE', { target: ['band/1'], at: 0, until: 1 })
  expect(checkHistory([earlier, first], [])).toContainEqual(expect.stringContaining('is lost'))
})

test('a deleted record that is there is found', () => {
  const first = post()
  const gone = write('DELETE', { target: ['band/1'] })
  expect(checkHistory([first, gone], [stored('band/1', first.token)])).toContainEqual(
    expect.stringContaining('was deleted'),
  )
})

test('a child that a later PUT of its owner did not list is found', () => {
  const first = post({ records: [record('band/1'), record('album/2', 'own', 'band/1')] })
  const put = write('PUT', { target: ['band/1'], records: [record('band/1', 'own', undefined, false)] })
  const left = [stored('band/1', put.token), stored('album/2', first.token, 'band/1')]
  expect(checkHistory([first, put], left)).toContainEqual(expect.stringContaining('but not after'))
})

test('a text that was overwritten, or that nobody wrote, is found', () => {
  const first = post()
  const patch = write('PATCH', { target: ['band/1'], records: [record('band/1', 'own', undefined, false)] })
  expect(checkHistory([first, patch], [stored('band/1', first.token)])).toContainEqual(expect.stringContaining('later'))
  expect(checkHistory([first], [stored('band/1', 'x')])).toContainEqual(expect.stringContaining('nobody wrote'))
})

test('a part of a POST without an answer is found', () => {
  const torn = post({ outcome: 'unknown', records: [], size: 2, until: Number.POSITIVE_INFINITY })
  expect(checkHistory([torn], [stored('band/1', torn.token)])).toEqual([expect.stringContaining('1 of 2')])
})

test('an id that was given twice is found', () => {
  const [first, second] = [post(), post()]
  expect(checkHistory([first, second], [stored('band/1', second.token)])).toContainEqual(
    expect.stringContaining('was given to'),
  )
})

test('what a PUT answers with, but neither listed nor made, is found', () => {
  const put = write('PUT', {
    target: ['band/1'],
    records: [record('band/1', 'own', undefined, false), record('album/2', 'w9.9.', 'band/1', false)],
    sets: [record('band/1', 'own', undefined, false)],
  })
  expect(checkHistory([put], [])).toContainEqual(expect.stringContaining('does not list'))
})

test('two PUTs at the same time whose children are both there are found: no order explains that', () => {
  const first = post()
  const put = (child: Key, at: number) =>
    write('PUT', {
      target: ['band/1'],
      at,
      until: 1_000,
      records: [record('band/1', 'own', undefined, false), record(child, 'own', 'band/1')],
    })
  const [a, b] = [put('album/2', 900), put('album/3', 901)]
  const left = [stored('band/1', b.token), stored('album/2', a.token, 'band/1'), stored('album/3', b.token, 'band/1')]
  expect(checkHistory([first, a, b], left)).toContainEqual(expect.stringContaining('no order explains'))
  expect(checkHistory([first, a, b], left.toSpliced(1, 1))).toEqual([])
})

test('a text that a PUT without an answer wrote first says nothing of the PUT that sends it back', () => {
  const first = post()
  const torn = write('PUT', {
    target: ['band/1'],
    outcome: 'unknown',
    records: [],
    until: Number.POSITIVE_INFINITY,
    size: 2,
  })
  const album = record('album/2', torn.token, 'band/1', false)
  const band = record('band/1', 'own', undefined, false)
  const patch = write('PATCH', { target: ['band/1'], records: [band, album] })
  const put = write('PUT', { target: ['band/1'], records: [band, album] })
  const left = [stored('band/1', put.token), stored('album/2', torn.token, 'band/1')]
  expect(checkHistory([first, torn, patch, put], left)).toEqual([])
})

test("an answer that shows another writer's value is found", () => {
  const first = post()
  const unshown = ['/mood: "sad" instead of "glad"']
  const patch = write('PATCH', { target: ['band/1'], unshown })
  expect(checkHistory([first, patch], [stored('band/1', first.token)])).toEqual([
    expect.stringContaining('/mood: "sad" instead of "glad"'),
  ])
})
