import { readSelection } from '../asking/select/chosen-selection.ts'
import { withArticle } from '../errors.ts'
import { anything, isFunction, type Kinds, optional, unknownEntries, wrongEntries } from '../model/check/entries.ts'
import { didYouMean } from '../model/check/names.ts'
import { withMembers } from '../model/define/build-fields.ts'
import { isObject } from '../model/is-object.ts'
import { type Field, type Member, type Model, type Resource, resourceOf } from '../model/model.ts'
import { whyUnwritten } from '../model/operations.ts'
import type { ResourceRules, RuleParts, RuleSet } from './rule-set.ts'

const part = optional(isFunction, 'must be a function')
const PARTS: Kinds = { validate: part, invariant: anything, afterWrite: part, afterCommit: part }

/** Checks the rules of an application. Throws a TypeError that lists all problems. */
export function readRules(given: Model, rules: unknown): RuleSet {
  if (!isObject(rules)) throw new TypeError('rules: must be an object with an entry for each resource that has rules')
  const problems: string[] = []
  const parts = new Map<string, readonly RuleParts[]>()
  for (const [key, ofResource] of Object.entries(rules)) {
    const resource = given.resources.get(key)
    if (resource === undefined) {
      problems.push(`rules.${key}: there is no resource '${key}'${didYouMean(key, given.resources.keys())}`)
    } else if (!resource.isWritable) {
      problems.push(
        `rules.${key}: never run, because no request writes ${withArticle(key)}: it has ${whyUnwritten(resource)}`,
      )
    } else if (ofResource !== undefined) parts.set(key, partsOf(resource, ofResource, problems, given))
  }
  for (const [key, all] of parts) refuseTwoSetters(key, all, problems)
  const model = withMembers(given, {
    fieldFor: (field, { key }) => fieldWith(field, parts.get(key) ?? []),
    isSetByRule: (reference) => isSet(reference, parts.get(reference.source.key) ?? []),
  })
  const set = new Map<string, ResourceRules>()
  for (const [key, all] of parts) if (all.length > 0) set.set(key, gathered(resourceOf(model, key), all, problems))
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
  return { model, rules: set }
}

function partsOf(resource: Resource, given: unknown, problems: string[], model: Model): readonly RuleParts[] {
  const at = `rules.${resource.key}`
  if (!Array.isArray(given)) return [partsOfRule(resource, given, at, problems, model)]
  return given.map((rule, index) => partsOfRule(resource, rule, `${at}[${index}]`, problems, model))
}

function partsOfRule(resource: Resource, rule: unknown, at: string, problems: string[], model: Model): RuleParts {
  if (typeof rule === 'function') {
    problems.push(`${at}: is a function; call it, as in ${rule.name || 'timestamps'}(…)`)
    return {}
  }
  if (!isObject(rule)) {
    problems.push(`${at}: must be an object such as { validate({ refuse }) { … } }, or a list of them`)
    return {}
  }
  const { partsFor } = rule
  if (typeof partsFor === 'function') {
    const ofRule: string[] = []
    const parts = partsFor(resource, ofRule, model) as RuleParts
    problems.push(...ofRule.map((problem) => `${at}: ${problem}`))
    return { ...parts, isReadyMade: true }
  }
  const wrong = wrongEntries(rule, PARTS, (name, hint) => {
    if (name === 'set') return 'use the function set({ … }) instead of { set: { … } }'
    return `a rule has no part '${name}'${hint}; there are ${Object.keys(PARTS).join(', ')}`
  })
  problems.push(...wrong.map(({ name, message }) => `${at}.${name}: ${message}`))
  if (rule.invariant !== undefined) checkInvariant(rule.invariant, `${at}.invariant`, problems)
  return rule as RuleParts
}

function checkInvariant(invariant: unknown, at: string, problems: string[]): void {
  if (!isObject(invariant) || typeof invariant.test !== 'function' || !Array.isArray(invariant.reads)) {
    problems.push(`${at}: must have 'reads', a list of names such as 'lines.amount', and a function 'test'`)
  }
  if (!isObject(invariant)) return
  problems.push(...unknownEntries(invariant, ['reads', 'test'], `${at}: has no`))
}

/** Which of two rules gives a field its value would depend on their order. */
function refuseTwoSetters(key: string, all: readonly RuleParts[], problems: string[]): void {
  const given = new Set<string>()
  for (const { property } of all.flatMap(givenMembers)) {
    if (given.has(property)) problems.push(`rules.${key}: two rules set '${property}'`)
    given.add(property)
  }
}

/** The field with its rules: only they give it its value, or a body may leave it out. */
function fieldWith(field: Field, all: readonly RuleParts[]): Field {
  if (isSet(field, all)) {
    return Object.freeze({ ...field, readOnly: true, required: false, setByRule: true })
  }
  const defaults = all.find((parts) => parts.defaults?.has(field.name))?.defaults
  if (defaults === undefined || (field.default ?? null) !== null) return field
  return Object.freeze({ ...field, required: false, default: defaults.get(field.name) })
}

function isSet({ property }: Member, all: readonly RuleParts[]): boolean {
  return all.some((parts) => givenMembers(parts).some((one) => one.property === property))
}

/** The fields and foreign keys to which a rule gives values. */
function givenMembers({ setMembers = [], numbered = [] }: RuleParts): readonly { readonly property: string }[] {
  return [...setMembers, ...numbered]
}

function gathered(resource: Resource, all: readonly RuleParts[], problems: string[]): ResourceRules {
  const at = `rules.${resource.key}.invariant`
  const present = <Part>(part: Part | undefined): readonly Part[] => (part === undefined ? [] : [part])
  return {
    resource,
    takesOwner: resource.ownedBy.length > 0 && all.some(mayTakeOwner),
    setMembers: all.flatMap(({ setMembers = [] }) => setMembers),
    numbered: all.flatMap(({ numbered = [] }) => numbered),
    validate: all.flatMap(({ validate }) => present(validate)),
    invariants: all.flatMap(({ invariant }) => {
      if (!Array.isArray(invariant?.reads) || typeof invariant.test !== 'function') return []
      const { reads, test } = invariant
      return [{ selection: readSelection(resource, reads, `${at}.reads`, problems), test: test.bind(invariant) }]
    }),
    afterWrite: all.flatMap(({ afterWrite }) => present(afterWrite)),
    atEnd: all.flatMap(({ atEnd }) => present(atEnd)),
    afterCommit: all.flatMap(({ afterCommit }) => present(afterCommit)),
  }
}

function mayTakeOwner({ isReadyMade, validate, afterWrite, afterCommit }: RuleParts): boolean {
  return isReadyMade !== true && (validate ?? afterWrite ?? afterCommit) !== undefined
}
