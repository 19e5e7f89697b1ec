import { expect } from 'vitest'
import type { Answer } from '../../../../../test/support/app.ts'

/** Fails if a mark is anywhere in an answer: in its text, or in a part of it that may be Base64. */
export function expectNoTrace(answer: Answer, mark: RegExp): void {
  for (const reading of readings(JSON.stringify([answer.headers, answer.body]))) expect(reading).not.toMatch(mark)
}

/** A text as it is, without percent-encoding, and its words decoded from each position where Base64 may begin. */
function readings(text: string): string[] {
  const plain = decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
  const words = plain.match(/[\w+/-]{8,}/g) ?? []
  const decoded = words.flatMap((word) => [0, 1, 2, 3].map((from) => decode(word.slice(from))))
  return [text, plain, ...decoded]
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}
