import type { JsonSchema } from '@fastify-crud/core/internal'
import type { Making } from './fitting-value.ts'
import type { NamedRelation } from './vocabulary.ts'

/** Which relations a path goes through: `one`: only those to one record, as a sort does. */
type Through = 'one' | 'any'

/** The name of a value of a record, often behind relations: `title`, `publisher.name`; and what filters compare it with. */
export function randomPath(
  making: Making,
  resource: string,
  through: Through = 'any',
): readonly [name: string, schema: JsonSchema] {
  const { random, vocabularies } = making
  const steps = randomSteps(making, resource, random.pick([0, 0, 1, 1, 2, 3]) ?? 0, through)
  const [name, schema] = random.pick(vocabularies.of(steps.at(-1)?.to ?? resource).values) ?? ['id', {}]
  return [[...steps.map((step) => step.name), name].join('.'), schema]
}

/** The name of a relation, often behind others: `chapters`, `chapters.notes`; undefined if there is none. */
export function randomRelation(making: Making, resource: string): string | undefined {
  const steps = randomSteps(making, resource, making.random.pick([1, 1, 1, 2, 3]) ?? 1, 'any')
  return steps.length === 0 ? undefined : steps.map(({ name }) => name).join('.')
}

/** The name of a relation to several records, as `count(…)` takes it; undefined if there is none. */
export function randomCounted(making: Making, resource: string): string | undefined {
  const { random, vocabularies } = making
  const steps = randomSteps(making, resource, random.pick([0, 0, 1, 2]) ?? 0, 'one')
  const { relations } = vocabularies.of(steps.at(-1)?.to ?? resource)
  const last = random.pick(relations.filter(({ isToMany }) => isToMany))
  return last && [...steps, last].map(({ name }) => name).join('.')
}

function randomSteps(making: Making, resource: string, length: number, through: Through): NamedRelation[] {
  const { random, vocabularies } = making
  const steps: NamedRelation[] = []
  while (steps.length < length) {
    const { relations } = vocabularies.of(steps.at(-1)?.to ?? resource)
    const step = random.pick(through === 'any' ? relations : relations.filter(({ isToMany }) => !isToMany))
    if (step === undefined) break
    steps.push(step)
  }
  return steps
}
