import { RECORDS } from '../records.ts'

/** What is asked of a service again and again, however it wants to be asked. */
export interface Work {
  readonly name: WorkName
  readonly title: string
  /** The records that a run begins with: for those that are deleted, so many a second. */
  recordsFor(seconds: number, mostDeleted?: number): number
}

export type WorkName = 'read' | 'list' | 'create' | 'replace' | 'patch' | 'delete'

/** Records of a list's page. */
export const PAGE = 20

/** More records than any service deletes in a second. */
const MOST_DELETED = 20_000

const seeded = () => RECORDS

/** Each record has 5 children. */
export const works: readonly Work[] = [
  { name: 'read', title: 'read one', recordsFor: seeded },
  { name: 'list', title: `list ${PAGE} with count`, recordsFor: seeded },
  { name: 'create', title: 'create with 5 children', recordsFor: seeded },
  { name: 'replace', title: 'PUT: 2 updated, 3 new, 3 removed', recordsFor: seeded },
  { name: 'patch', title: 'PATCH one field', recordsFor: seeded },
  {
    name: 'delete',
    title: 'DELETE with children',
    recordsFor: (seconds, mostDeleted = MOST_DELETED) => RECORDS + Math.ceil(seconds * mostDeleted),
  },
]
