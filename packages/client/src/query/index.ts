export { createQueries, type QueriesOptions } from './create-queries.ts'
export { type LiveOptions, type LiveQueries, live } from './live.ts'
export type {
  CollectionQueries,
  InfiniteOptionsOf,
  MutationOptionsOf,
  Queries,
  QueryClientOf,
  QueryOptionsOf,
} from './query-types.ts'
