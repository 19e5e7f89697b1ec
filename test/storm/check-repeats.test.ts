import { expect, test } from 'vitest'
import type { Stored } from './check-history.ts'
import { checkRepeats } from './check-repeats.ts'
import { type Answered, type Line, type Noted, toWrites, type Write } from './history.ts'

const token = 'w1.1.'

const sent: Line = {
  ...{ line: 'sent', token, method: 'POST', path: '/api/band', at: 10, target: [], removes: false, sets: [], size: 1 },
  repeatable: { resource: 'band', body: { name: token } },
}

function noted(key: string): Noted {
  return { key, text: token, mood: undefined, owner: undefined, isNew: true }
}

function answered(given: Partial<Answered> = {}): Answered {
  return {
    ...{ line: 'answered', token, sentAt: 10, at: 20, status: 201, code: undefined, isUnknown: false },
    ...{ records: [noted('band/1')], unshown: [] },
    ...given,
  }
}

const refused = { status: 409, code: 'CRUD_ERR_NOT_UNIQUE', records: [] }

/** The write that these answers are of: each is one to a request of its own. */
function write(...answers: Answered[]): Write {
  const again = answers.slice(1).map((): Line => ({ line: 'sentAgain', token }))
  return toWrites([sent, ...again, ...answers])[0] as Write
}

const stored: Stored = { key: 'band/1', text: token, mood: undefined, owner: undefined }

test('nothing is wrong where each answer shows the record that the first one made, or none', () => {
  const later = answered({ sentAt: 30, at: 40 })
  expect(checkRepeats([write(answered(), later)], [stored])).toEqual([])
  expect(checkRepeats([write(answered(), { ...later, records: [] })], [])).toEqual([])
  expect(checkRepeats([write(answered(), answered({ sentAt: 30, at: 40, status: 503, records: [] }))], [])).toEqual([])
})

test.each([
  ['a second record', write(answered(), answered({ records: [noted('band/2')] })), 'band/1 and band/2'],
  ['another status', write(answered(), answered({ status: 200 })), '201 and 200'],
  ['a refusal of what was done', write(answered(), answered({ sentAt: 30, at: 40, ...refused })), 'after it was done'],
])('%s is found', (_, one, what) => {
  expect(checkRepeats([one], [stored])).toEqual([expect.stringContaining(what)])
})

test('records are found that the answers do not show', () => {
  const one = write(answered(), answered())
  expect(checkRepeats([one], [stored, { ...stored, key: 'band/2' }])).toEqual([expect.stringContaining('2 records')])
})

test('whether a write was done that is sent several times is known only if all are refused', () => {
  expect(write(answered()).outcome).toBe('done')
  expect(write(answered(), answered(refused)).outcome).toBe('unknown')
  expect(write(answered(refused), answered({ ...refused, at: 25 }))).toMatchObject({ outcome: 'refused', until: 25 })
  const withoutAnswer = toWrites([sent, { line: 'sentAgain', token }, answered(refused)])
  expect(withoutAnswer).toMatchObject([{ outcome: 'unknown' }])
})
