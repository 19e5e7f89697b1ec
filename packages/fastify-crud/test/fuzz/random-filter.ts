import type { JsonSchema } from '@fastify-crud/core/internal'
import { fittingValue, type Making } from './fitting-value.ts'
import { resolve } from './operations.ts'
import { randomPath } from './random-path.ts'

const DEEPEST = 3

/** A filter in its JSON form. It nearly always fits, and often matches something. */
export function randomFilter(making: Making, resource: string, depth = 0): Record<string, unknown> {
  const { random, vocabularies } = making
  const inner = () => randomFilter(making, resource, depth + 1)
  const entries = Array.from({ length: random.pick([1, 1, 2, 3]) ?? 1 }, (): [string, unknown] => {
    const kind = depth < DEEPEST ? random.int(8) : 0
    if (kind === 1) return [random.pick(['and', 'or']) ?? 'and', [inner(), inner()]]
    if (kind === 2) return ['not', inner()]
    const relation = random.pick(vocabularies.of(resource).relations.filter(({ isToMany }) => isToMany))
    if (kind > 5 && relation !== undefined) {
      const related = random.chance(0.2) ? {} : randomFilter(making, relation.to, depth + 1)
      return [relation.name, { [random.pick(['some', 'every', 'none']) ?? 'some']: related }]
    }
    const [name, schema] = randomPath(making, resource)
    return [name, comparison(making, name, schema)]
  })
  return Object.fromEntries(entries)
}

/** One condition in brackets: the keys and their values. */
export function randomBrackets(making: Making, name: string, schema: JsonSchema): [string, string][] {
  const condition = comparison(making, name, schema)
  if (typeof condition !== 'object' || condition === null) return [[`filter[${name}]`, String(condition)]]
  return Object.entries(condition).flatMap(([operator, value]) =>
    [value].flat().map((one): [string, string] => [`filter[${name}][${operator}]`, String(one)]),
  )
}

/** A value, or what is to hold of one or two operators. */
function comparison(making: Making, name: string, given: JsonSchema): unknown {
  const { document, random } = making
  const schema = resolve(document, given)
  const options = (schema.anyOf ?? [schema]) as JsonSchema[]
  const operators = options.find(({ properties }) => properties !== undefined)
  const value = options.find((option) => option !== operators)
  if (operators === undefined || (value !== undefined && random.chance(0.3)))
    return comparand(making, name, value ?? {})
  const all = Object.entries(operators.properties as Record<string, JsonSchema>)
  const chosen = [random.pick(all), random.chance(0.2) ? random.pick(all) : undefined].filter(
    (one) => one !== undefined,
  )
  return Object.fromEntries(chosen.map(([operator, operand]) => [operator, comparand(making, name, operand)]))
}

function comparand(making: Making, name: string, schema: JsonSchema): unknown {
  const { random, marks } = making
  const items = schema.items as JsonSchema | undefined
  if (items !== undefined) return Array.from({ length: random.int(4) }, () => comparand(making, name, items))
  if (schema.type === 'string' && schema.format === undefined && random.chance(0.8))
    return knownText(making, marks.known())
  return fittingValue(making, schema, name.split('.'))
}

/** What somebody has written, whoever may see it, or a part of that. */
function knownText({ random }: Making, mark = ''): string {
  const at = random.int(mark.length)
  const parts = [mark, mark, mark.slice(0, at), mark.slice(at), mark.replace(/\d+$/, ''), mark.toUpperCase()]
  return random.pick([...parts, 'mk-', 'north', 'south', 'shared', 'open', 'secret']) ?? ''
}
