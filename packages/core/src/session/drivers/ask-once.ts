import type { DialectAdapter } from 'kysely'
import type { AnyKysely } from '../../sql/dialect/database.ts'

/** Returns a function that asks a database once for each Kysely instance, whatever transactions and copies it has. */
export function askOnce<Answer>(ask: (db: AnyKysely) => Promise<Answer>): (db: AnyKysely) => Promise<Answer> {
  /** By the adapter, which an instance shares with its transactions and copies. */
  const answers = new WeakMap<DialectAdapter, Promise<Answer>>()
  return (db) => {
    const { adapter } = db.getExecutor()
    let answer = answers.get(adapter)
    if (answer === undefined) {
      answer = ask(db)
      answers.set(adapter, answer)
      // A server that could not be asked is asked again.
      answer.catch(() => answers.delete(adapter))
    }
    return answer
  }
}
