import { shortened } from '../errors.ts'

/** Reads a list of names. Adds a message for each that is empty or stands twice, and leaves it out. */
export function readNames(what: string, given: unknown, problems: string[]): readonly string[] {
  if (!Array.isArray(given) || !given.every((name): name is string => typeof name === 'string')) {
    problems.push(`${what}: must be a list of names`)
    return []
  }
  const seen = new Set<string>()
  return given.filter((name) => {
    const isNew = !seen.has(name)
    seen.add(name)
    if (name === '') problems.push(`${what}: has an empty name`)
    else if (!isNew) problems.push(`${what}: '${shortened(name)}' stands twice`)
    return isNew && name !== ''
  })
}
