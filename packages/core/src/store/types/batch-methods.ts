import type { BatchRequest } from '../../batch/requests.ts'
import type { Effects } from '../../effects-form.ts'

/** How a batch is carried out. */
export interface BatchOptions {
  /** All of it is done, and undone at the end, but for `afterCommit`. Default: false. */
  readonly dryRun?: boolean
  /** It resolves to what all of the requests do, in place of their answers. Default: to their answers. */
  readonly returns?: 'effects'
}

/** What a batch has answered. */
export interface BatchAnswers {
  /** In the order of the requests. */
  answers: BatchAnswer[]
}

export interface BatchAnswer {
  status: number
  /** The path of a record that was created. */
  location?: string
  /** Of a whole record. */
  etag?: string
  /** Absent where there is nothing to say. */
  // biome-ignore lint/suspicious/noExplicitAny: it depends on the path
  body?: any
}

/** Several requests as one write. */
export interface BatchMethod {
  /**
   * Carries out several requests in one transaction, one after the other: all of them are done, or none. They are those
   * of the service, with its paths behind the prefix. A later one may name the record that an earlier one creates.
   *
   * Rejects with what refuses a request; `request` of the error says which one.
   *
   * @example
   * const { answers } = await store.batch([
   *   { method: 'POST', path: '/author', body: { name: 'Emma' }, as: 'emma' },
   *   { method: 'POST', path: '/book', body: { title: 'Ink', publisherId: 1, authors: [{ id: { $new: 'emma' } }] } },
   * ])
   */
  (requests: readonly BatchRequest[], options: BatchOptions & { readonly returns: 'effects' }): Promise<Effects>
  (requests: readonly BatchRequest[], options?: BatchOptions): Promise<BatchAnswers>
}
