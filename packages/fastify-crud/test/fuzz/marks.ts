import type { Model } from 'fastify-crud'
import type { Random } from '../../../../test/storm/random.ts'

/** Stands in a text that a record holds, so that the text is known again wherever it turns up. */
export interface Mark {
  readonly text: string
  /** The key of the record's resource. */
  readonly resource: string
  /** The field, where not everybody who sees the record sees the field. */
  readonly field: string | undefined
  /** Whom the writer wrote it for. */
  readonly org: string
}

const MARK = /mk-([a-z]+)(?:\.([a-z]+))?-([a-z]+)-\d+/gi

/** All marks in a text. */
export function marksIn(text: string): Mark[] {
  return [...text.matchAll(MARK)].map(([text, resource = '', field, org = '']) => ({ text, resource, field, org }))
}

/** Makes the marks of one round. */
export interface MarkMaker {
  /**
   * A mark for a text at that place: the route of a resource, then the names of properties. Often one that it made before, as
   * unique values should meet. Undefined where there is no field of a record.
   */
  at(place: readonly string[], org: string): string | undefined
  /** Any that it has made, whoever may see what has it; undefined if there is none. */
  known(): string | undefined
}

export function markMaker(model: Model, random: Random): MarkMaker {
  const made = new Map<string, string[]>()
  let count = 0
  return {
    known: () => random.pick(random.pick([...made.values()]) ?? []),
    at(place, org) {
      const holder = holderOf(model, place)
      if (holder === undefined) return undefined
      const start = `mk-${holder}-${org}-`
      const before = made.get(start) ?? []
      made.set(start, before)
      const again = random.chance(0.3) ? random.pick(before) : undefined
      if (again !== undefined) return again
      count += 1
      before.push(`${start}${count}`)
      return `${start}${count}`
    },
  }
}

/** The key of the resource whose record has the place, and the field where it is not for everybody. */
function holderOf(model: Model, [route, ...names]: readonly string[]): string | undefined {
  let resource = [...model.resources.values()].find((one) => one.route === route)
  for (const name of names) {
    const meant = resource?.names.get(name)
    switch (meant?.is) {
      case 'field': {
        const { writeOnly, inSummary, access } = meant.field
        return writeOnly || !inSummary || access !== undefined ? `${resource?.key}.${name}` : resource?.key
      }
      case 'nested':
        resource = meant.reference.target
        break
      case 'owns':
        resource = meant.owns.target
        break
      case 'link':
        resource = meant.link.target
        break
      default:
        return undefined
    }
  }
  return undefined
}
