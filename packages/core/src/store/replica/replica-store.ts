import { UnreadError } from '../../session/retries.ts'
import type { JsonStore } from '../json-store.ts'

/**
 * A store that reads from a replica, as long as that can be read, and `isReady` says so. All else, and what could not be read there, goes to the
 * primary.
 */
export function withReplica(primary: JsonStore, replica: JsonStore, isReady: () => Promise<boolean>): JsonStore {
  const read = async <Result>(of: (store: JsonStore) => Promise<Result>): Promise<Result> => {
    if (!(await isReady())) return await of(primary)
    try {
      return await of(replica)
    } catch (error) {
      if (error instanceof UnreadError) return await of(primary)
      throw error
    }
  }
  return {
    ...primary,
    find: (...given) => read((store) => store.find(...given)),
    list: (...given) => read((store) => store.list(...given)),
    group: (...given) => read((store) => store.group(...given)),
  }
}
