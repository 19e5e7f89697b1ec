import type { Member, Resource } from '../model/model.ts'

/** What an application is told about a value of a rule that a row cannot have. */
export function doesNotFit({ key }: Resource, { property }: Member, why: string): string {
  return `rules.${key}: what a rule gives to '${property}' does not fit: ${why}`
}
