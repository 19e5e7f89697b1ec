import type { Side } from '../property/side.ts'

/** An answer that is not what the documentation says. */
export class ReadingDifference extends Error {
  /** The requests that led to it, as they were sent to the database that differs. */
  readonly story: string

  /** What was answered last. */
  readonly answer: string

  constructor(side: Side, message: string) {
    super(`on ${side.name}: ${message}`)
    this.answer = side.log.at(-1) ?? ''
    this.story = `${side.log.join('\n')}\n\n${this.message}`
  }
}

/** Whether SQLite has answered that it cannot follow the query. */
export function isTooDeep({ message, answer }: ReadingDifference): boolean {
  return message.startsWith('on sqlite') && answer.includes('400') && answer.includes('nested too deeply')
}
