import { type Problem, withArticle } from '../../errors.ts'
import type { Link, Owns } from '../../model/model.ts'
import { NOT_NULL } from './faults.ts'

/** A body takes away the one record that its owner must have. */
export function missesOne({ source }: Owns, pointer: string): Problem {
  return { pointer, message: `must not be null: ${withArticle(source.key)} must have one`, ...NOT_NULL }
}

/** A body leaves none of the records that are needed. */
export function missesAny({ source, target }: Link, pointer: string): Problem {
  const message = `must not be empty: ${withArticle(source.key)} needs at least one ${target.key}`
  return { pointer, message, keyword: 'minItems', params: { limit: 1 } }
}
