type Id = number | string

/** Why a write changes something of which its body says nothing. */
export const BECAUSE = [
  'leftOut',
  'ownerDeleted',
  'referenceDeleted',
  'linkedRecordDeleted',
  'order',
  'set',
  'rule',
  'undo',
] as const

export type Because = (typeof BECAUSE)[number]

/**
 * What a write does, or would do: one change for each row and each link that it adds, changes or removes. Only what the
 * caller may see is in it.
 *
 * @example
 * const { changes } = await store.book.delete(1, { returns: 'effects', dryRun: true })
 * for (const { action, resource, id } of changes) console.log(action, resource, id)
 */
export interface Effects {
  /** The version of this form. */
  readonly effects: 1
  /** The id of the write: a UUID in the order of time. */
  readonly write: string
  /** When it was done. */
  readonly at: string
  /** `create`, `replace`, `patch`, `delete`, `restore`, `purge`, `batch`, or the name of an action. */
  readonly operation: string
  /** The resource that the request is about. Absent of a batch. */
  readonly resource?: string
  /** The record that the request is about; null: a new one in a preview. Absent where it is about many, or none. */
  readonly id?: Id | null
  readonly changes: readonly EffectChange[]
}

export type EffectChange = RowChanged | LinkChanged

/** A record by the key of its resource and its id; in a preview, a new one by its `new`. */
export type RecordNamed = readonly [resource: string, id: Id | NewRecord]

/** A new record of a preview: the change that adds it has the same number as `new`. */
export interface NewRecord {
  readonly new: number
}

interface ChangeTerms {
  readonly resource: string
  /** Null in a preview: the database or the library gives it. */
  readonly id: Id | null
  /** In a preview: the number of a new record whose id is not known. */
  readonly new?: number
  /** Where the body says it, as a JSON pointer. */
  readonly pointer?: string
  /** Why, where the body does not say it. */
  readonly because?: Because
  /** The record that is deleted, because of which this changes. */
  readonly cause?: RecordNamed
}

/** A record is added, changed or deleted. */
export interface RowChanged extends ChangeTerms {
  readonly action: 'Add' | 'Edit' | 'Delete'
  /** The owner of the record. */
  readonly within?: RecordNamed
  /** Its row is kept, or was: a `Delete` of a resource with `softDelete`, or an `Add` that brings the record back. */
  readonly soft?: true
  /** The fields and foreign keys as they were: of an `Edit`, those that differ. */
  readonly before?: Readonly<Record<string, unknown>>
  /** As they are then. */
  readonly after?: Readonly<Record<string, unknown>>
}

/** A link from a record is added or removed, or gets another place in an array that keeps its order. */
export interface LinkChanged extends ChangeTerms {
  readonly action: 'Link' | 'Unlink' | 'Edit'
  readonly relation: string
  /** The id of the record at the other end. */
  readonly to: Id | NewRecord
}

/** A write that resolves to what it does, in place of the record. */
export interface ReturnsEffects {
  readonly returns: 'effects'
  /**
   * All of the write is done, and undone at the end: the effects are those that it would have. Ids that the database or
   * the library would give are null, and such a record has a number as `new`. Default: false.
   */
  readonly dryRun?: boolean
}

/** A write that has touched a record, as its history shows it: what it did to the record and to what this owns. */
export interface HistoryEntry extends Effects {
  /** The caller, as `historyOf` names it; absent: nobody is named. */
  readonly by?: unknown
}

/** Which writes of a history are read. */
export interface HistoryFilter {
  readonly operation?: string | readonly string[]
  /** Equal to what `historyOf` has returned. */
  readonly by?: unknown
  /** Between two moments. */
  readonly at?: HistoryMoments
}

export interface HistoryMoments {
  readonly gte?: string
  readonly gt?: string
  readonly lte?: string
  readonly lt?: string
}

export interface HistoryOptions {
  readonly filter?: HistoryFilter
  /** Default: 20, as in lists. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly after?: string
}

/** A page of the writes that have touched a record. */
export interface HistoryListing {
  rows: HistoryEntry[]
  /** Where the next page begins; absent: there is none. */
  next?: string
}

/** A write as it happens: what it did, as far as who follows may see it. */
export interface LiveChange extends HistoryEntry {
  /** By which writes are sorted: who follows again from here misses none, and gets none twice. */
  readonly position: number
}
