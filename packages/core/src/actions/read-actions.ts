import { type BodyProblem, shortened, withArticle } from '../errors.ts'
import { PATH_SEGMENT } from '../model/check/check-descriptor.ts'
import { withSubschemas } from '../model/check/check-schema.ts'
import { anything, isFunction, type Kinds, oneOf, optional, required, wrongEntries } from '../model/check/entries.ts'
import { withStandardCheck } from '../model/check/foreign-schema.ts'
import { didYouMean } from '../model/check/names.ts'
import { readSchema } from '../model/check/read-schema.ts'
import { isObject } from '../model/is-object.ts'
import type { Model, Resource } from '../model/model.ts'
import { whyUnwritten } from '../model/operations.ts'
import { fieldCheck, problemsOfFieldSchema } from '../model/values/field-check.ts'
import type { ValueProblem } from '../model/values/field-problems.ts'
import type { JsonSchema } from '../model/values/schema-facts.ts'
import { pointerTo } from '../planning/body/faults.ts'
import { type ActionValue, ASKED_ACTIONS, type CheckedAction, type CheckedActions } from './action.ts'

const PARTS: Kinds = {
  on: oneOf(['record', 'list'], "must be 'record' (the default) or 'list'"),
  method: oneOf(['POST', 'GET'], "must be 'POST' (the default) or 'GET'"),
  asks: required(
    (given) => ASKED_ACTIONS.some((action) => action === given),
    `must be one of ${ASKED_ACTIONS.join(', ')}: what the caller has to be allowed`,
  ),
  body: anything,
  query: anything,
  answer: anything,
  changes: optional(
    (given) => Array.isArray(given) && given.every((key) => typeof key === 'string'),
    "must be an array of keys of resources, such as ['invoice']",
  ),
  prepare: optional(isFunction, 'must be a function'),
  run: required(isFunction, 'must be a function'),
}

/** What the library calls its own operations and routes, or may call them: `invoice.list` is a name in the document. */
const TAKEN = new Set([
  ...[
    'list',
    'findOne',
    'create',
    'replace',
    'patch',
    'delete',
    'deleted',
    'restore',
    'purge',
    'describe',
    'group',
    'history',
    'undo',
    'changes',
  ],
  ...[
    'createWithId',
    'replaceWithId',
    'patchMany',
    'deleteMany',
    'longList',
    'longGroup',
    'deletedOne',
    'historyEntry',
  ],
])

/** Checks the actions of an application. Throws a TypeError that lists all problems. */
export function readActions(model: Model, actions: unknown): CheckedActions {
  if (!isObject(actions))
    throw new TypeError('actions: must be an object with an entry for each resource that has some')
  const problems: string[] = []
  const read = new Map<string, ReadonlyMap<string, CheckedAction>>()
  for (const [key, ofResource] of Object.entries(actions)) {
    const resource = model.resources.get(key)
    if (resource === undefined) {
      problems.push(`actions.${key}: there is no resource '${key}'${didYouMean(key, model.resources.keys())}`)
    } else if (!isObject(ofResource)) {
      problems.push(`actions.${key}: must be an object such as { pay: { asks: 'Edit', async run({ id }) { … } } }`)
    } else read.set(key, actionsOf(model, resource, ofResource, problems))
  }
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
  return read
}

function actionsOf(
  model: Model,
  resource: Resource,
  given: object,
  problems: string[],
): ReadonlyMap<string, CheckedAction> {
  const read = new Map<string, CheckedAction>()
  for (const [name, declared] of Object.entries(given)) {
    const place = `actions.${resource.key}.${name}`
    const problem = problemOfName(name, given as Readonly<Record<string, unknown>>)
    if (problem !== undefined) problems.push(`${place}: ${problem}`)
    if (!isObject(declared)) {
      problems.push(`${place}: must be an object such as { asks: 'Edit', async run({ id }) { … } }`)
      continue
    }
    read.set(name, actionOf(model, resource, name, declared, place, problems))
  }
  return read
}

function problemOfName(name: string, all: Readonly<Record<string, unknown>>): string | undefined {
  if (name.startsWith('$')) return 'names that begin with $ belong to the library'
  const ofGet = name.endsWith('Head') ? name.slice(0, -'Head'.length) : ''
  const other = Object.hasOwn(all, ofGet) ? all[ofGet] : undefined
  if (isObject(other) && other.method === 'GET')
    return `'${name}' is the name of HEAD of '${ofGet}' in documents: give the action another one`
  if (TAKEN.has(name) || TAKEN.has(ofGet))
    return `'${name}' is the name of an operation of the library: give the action another one`
  return PATH_SEGMENT.test(name) ? undefined : `'${name}' is not one path segment`
}

function actionOf(
  model: Model,
  resource: Resource,
  name: string,
  declared: Readonly<Record<string, unknown>>,
  place: string,
  problems: string[],
): CheckedAction {
  const wrong = wrongEntries(declared, PARTS, `an action has no part`)
  problems.push(...wrong.map(({ name: part, message }) => `${place}.${part}: ${message}`))
  const { asks, prepare, run } = declared as { readonly [Part in 'asks' | 'prepare' | 'run']: CheckedAction[Part] }
  const isOfRecord = declared.on !== 'list'
  const isRead = declared.method === 'GET'
  if (isOfRecord && !resource.hasId) {
    const { key } = resource
    problems.push(
      `${place}.on: must be 'list', as no request names ${withArticle(key)}: it has ${whyUnwritten(resource)}`,
    )
  }
  if (isRead && declared.body !== undefined) problems.push(`${place}.body: a GET has none; declare a query`)
  const value = (part: 'body' | 'query' | 'answer', isClosed: boolean) =>
    declared[part] === undefined ? undefined : readValue(declared[part], `${place}.${part}`, isClosed, problems)
  const query = value('query', true)
  if (query !== undefined) checkQuery(query.schema, `${place}.query`, problems)
  return Object.freeze({
    resource,
    name,
    isOfRecord,
    isRead,
    asks,
    body: value('body', true),
    query,
    answer: value('answer', false),
    changes: changedBy(model, declared.changes, `${place}.changes`, problems),
    // What is no function is a problem already.
    prepare: typeof prepare === 'function' ? prepare.bind(declared) : undefined,
    run: typeof run === 'function' ? run.bind(declared) : run,
  })
}

/** The resources that an action says it changes; undefined: it does not say. */
function changedBy(
  model: Model,
  declared: unknown,
  place: string,
  problems: string[],
): readonly Resource[] | undefined {
  // What is no array of names is a problem already.
  if (!Array.isArray(declared) || !declared.every((key) => typeof key === 'string')) return undefined
  return declared.flatMap((key) => {
    const resource = model.resources.get(key)
    if (resource === undefined) {
      problems.push(`${place}: there is no resource '${key}'${didYouMean(key, model.resources.keys())}`)
    }
    return resource ?? []
  })
}

function readValue(given: unknown, place: string, isClosed: boolean, problems: string[]): ActionValue | undefined {
  const read = readSchema(given)
  if ('problem' in read) {
    problems.push(`${place}: ${read.problem}`)
    return undefined
  }
  const { schema: open, validate, isOptional } = read
  const unusable = problemsOfFieldSchema(open)
  problems.push(...unusable.map((problem) => `${place}: ${problem}`))
  if (unusable.length > 0) return undefined
  const schema = isClosed ? closed(open) : open
  const fits = fieldCheck(schema, 'json')
  const check = validate === undefined ? fits : withStandardCheck(fits, validate, { place, writeOnly: false })
  return {
    schema,
    isOptional,
    check: (value) => check(value).map(problemOf),
  }
}

function problemOf({ at, ...fault }: ValueProblem): BodyProblem {
  const name = fault.keyword === 'unevaluatedProperties' ? fault.params?.unevaluatedProperty : undefined
  if (typeof name !== 'string') return { pointer: at, ...fault }
  const additionalProperty = shortened(name)
  const message = `the object has no property '${additionalProperty}'`
  return { pointer: pointerTo(at, name), message, keyword: 'additionalProperties', params: { additionalProperty } }
}

/** A schema whose objects have no other properties than those that they declare, unless they say so. */
function closed(schema: JsonSchema): JsonSchema {
  return withSubschemas(schema, '', (part, pointer) => {
    // The parts of a whole see the properties of each other only there.
    const within = pointer.split(/\/(?:properties\/[^/]+|items(?:\/\d+)?)(?=\/|$)/).at(-1) ?? ''
    if (/\/(?:allOf|not|if|then|else|dependentSchemas)(?:\/|$)/.test(within)) return part
    const saysMore = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'].some((name) => name in part)
    if (saysMore) return part
    if ('allOf' in part || '$ref' in part) return 'allOf' in part ? { ...part, unevaluatedProperties: false } : part
    return 'properties' in part ? { ...part, additionalProperties: false } : part
  })
}

/** A query has texts: each is read as its property says. */
function checkQuery(schema: JsonSchema, place: string, problems: string[]): void {
  if (schema.type !== 'object' || !isObject(schema.properties)) {
    problems.push(`${place}: must be the schema of an object with 'properties', the parameters of the query`)
    return
  }
  for (const [name, property] of Object.entries(schema.properties)) {
    const part = isObject(property) && property.type === 'array' ? property.items : property
    if (isObject(part) && part.type !== 'object' && part.type !== 'array') continue
    problems.push(`${place}: '${name}' must be a text, a number, true or false, or an array of these`)
  }
}
