import { CrudError, type Problem } from '@fastify-crud/core'
import {
  type Asked,
  type CheckedAction,
  etagOf,
  type GivenAction,
  isObject,
  type JsonSchema,
  preconditionRequired,
  storesForActions,
  type WrittenRecord,
} from '@fastify-crud/core/internal'
import type { FastifyReply } from 'fastify'
import { hiddenResources } from '../../access/hidden-resources.ts'
import { askerOf } from '../../access/who-asks.ts'
import { readQueryString, repeatedNames } from '../../query/query-string.ts'
import { queryOfWrite } from '../../query/request-query.ts'
import { type Answer, effectsIn, jsonOf, withoutUnseen } from '../answer.ts'
import { repeatReader } from '../headers/idempotency-key.ts'
import { NO_PREFERENCES, type Preferences, sayApplied } from '../headers/prefer.ts'
import { invalidRequest, pathId } from '../request.ts'
import { composeBegin } from './begin.ts'
import { effectsOfRoute, sendEffects } from './effects.ts'
import { type Call, type OperationMaker, sendJson, sendRead, tagOf, takenOut } from './operation.ts'
import { termsOf } from './write.ts'

/** Whether it answers with the record where the application has replaced `findOne`: the answer would go past that. */
export function isAnotherWay(
  { isOfRecord, answer }: CheckedAction,
  handlers: { readonly findOne?: unknown } | undefined,
): boolean {
  return isOfRecord && answer === undefined && handlers?.findOne !== undefined
}

/** A verb of the application, at `/$act/` and its name behind the path of a record or of a collection. */
export function actionMaker(action: CheckedAction): OperationMaker {
  return (service, mount, terms) => {
    const { replica } = service
    const { resource } = mount.path
    const { name, asks, isOfRecord, isRead } = action
    const answersRecord = isOfRecord && action.answer === undefined
    const needsMatch = resource.ifMatch === 'required' && isOfRecord && !isRead
    const effects = effectsOfRoute(service, mount, [...service.stores.model.resources.values()])
    const findHidden = answersRecord ? hiddenResources(service, mount.path, []) : undefined
    const notePosition = isRead ? undefined : replica?.notePosition
    const givenIn = ({ request: { body }, asking }: Call, query: unknown): GivenAction => {
      return { action, body, query, open: storesForActions(asking.stores, askerOf(asking)) }
    }
    return {
      isRead,
      begin: composeBegin(service, mount, terms, {
        operation: isOfRecord ? 'patch' : 'list',
        action: name,
        ...(isOfRecord && { idOf: pathId }),
        ...(!isRead && { preferenceProblem, repeatIn: repeatReader(service, OK, false) }),
      }),

      ask: async ({ access, recordId }) => access?.check(asks, recordId),

      problems(call) {
        const { query, problems } = queryOfAction(action, call)
        return [...call.headerProblems, ...problems, ...call.store.actionProblems(givenIn(call, query))]
      },

      async answer(call, mustRead) {
        const { reply, requestContext, store, at, id, recordId, access, repeat, headerProblems, within } = call
        await access?.check(asks, recordId)
        const { query, problems } = queryOfAction(action, call)
        const hidden = await findHidden?.(call, at, undefined)
        const given = givenIn(call, query)
        const isUnmatched = needsMatch && call.conditions.ifMatch === undefined
        if (headerProblems.length + problems.length > 0 || isUnmatched) {
          const all = [...headerProblems, ...problems, ...store.actionProblems(given)]
          if (all.length > 0) throw invalidRequest(all)
          const advice = `send If-Match, with the ETag of the ${resource.key} as you have read it`
          throw new CrudError(preconditionRequired(advice))
        }
        const asked: Asked = {
          requestContext,
          repeat,
          effects: isRead ? undefined : await effects(call),
          notePosition:
            within === undefined ? notePosition && ((position) => notePosition(reply, position)) : undefined,
          ...termsOf({ operation: 'patch', resource, mustRead }, isRead ? asReader(call) : call, hidden, {}),
        }
        const answer = await store.act(at, id, given, asked).catch((error: unknown) => {
          // Whatever status such an error may have: it was not meant for this answer.
          throw error instanceof CrudError ? error : new Error(`${resource.key}.${name} failed`, { cause: error })
        })
        return hidden === undefined ? answer : withoutUnseen(answer, resource, hidden)
      },

      send(reply, call, answer, isChanged) {
        const json = jsonOf(answer)
        const tag = json !== undefined && answersRecord && !isChanged ? etagOf(json) : undefined
        if (!isRead) return sendWritten(reply, call, answer, { tag, isChanged }, service.limits.maxAnswer)
        return json === undefined ? reply.code(NO_CONTENT).send() : sendRead(reply, call, json, tag)
      },
    }
  }
}

const OK = 200
const NO_CONTENT = 204

function preferenceProblem({ maxAffected }: Preferences): Problem | undefined {
  if (maxAffected === undefined) return undefined
  const message = "the preference 'max-affected' is not for actions, which write whatever they are made to"
  return { parameter: 'Prefer', message, keyword: 'preference', params: { preference: 'max-affected' } }
}

/** What a read is asked of the record before it: `If-None-Match` is about its answer. */
function asReader(call: Call): Call {
  return { ...call, conditions: { ...call.conditions, ifNoneMatch: undefined }, preferences: NO_PREFERENCES }
}

function sendWritten(
  reply: FastifyReply,
  call: Call,
  answer: Answer,
  { tag: ownTag, isChanged }: { readonly tag: string | undefined; readonly isChanged: boolean },
  maxAnswer: number,
): FastifyReply {
  const { firstStatus = OK, isOutOfSight } = answer as WrittenRecord
  const { preferences } = call
  const done = isChanged ? undefined : effectsIn(answer)
  if (done !== undefined) return sendEffects(reply, OK, done, call, maxAnswer)
  const isLeftOut = preferences.returns === 'minimal'
  const json = isLeftOut ? undefined : jsonOf(answer)
  const hasNone = !isLeftOut && isOutOfSight
  sayApplied(reply, preferences, json !== undefined ? 'record' : hasNone ? 'none' : 'left out')
  if (json === undefined) return reply.code(isLeftOut || isOutOfSight ? NO_CONTENT : firstStatus).send()
  const tag = tagOf(reply) ?? (preferences.tx === 'rollback' ? undefined : ownTag)
  if (tag !== undefined) reply.header('etag', tag)
  return sendJson(reply, OK, json)
}

interface ActionQuery {
  readonly query: unknown
  readonly problems: readonly Problem[]
}

/** The query of a request, with each value as the action's schema has it. The store says what does not fit. */
function queryOfAction({ query: declared }: CheckedAction, call: Call): ActionQuery {
  const { url } = call.request
  if (declared === undefined) return { query: undefined, problems: queryOfWrite(url, takenOut(call)).problems }
  const problems: Problem[] = []
  const properties = (declared.schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const without = takenOut(call)
  const entries = readQueryString(url, problems).filter(([name]) => !without.includes(name))
  problems.push(...repeatedNames(entries, (name) => properties[name]?.type === 'array'))
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, text] of entries) {
    const { [name]: property } = properties
    if (property?.type !== 'array') query[name] = fromText(text, property)
    else query[name] = [...((query[name] as readonly unknown[]) ?? []), fromText(text, property.items)]
  }
  return { query: { ...query }, problems }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A text of a query, as a number or a boolean where the schema has such values. */
function fromText(text: string, schema: unknown): unknown {
  const types = typesOf(schema)
  const isNumber = (types.has('number') || types.has('integer')) && NUMBER.test(text)
  if (isNumber) return Number(text)
  return types.has('boolean') && (text === 'true' || text === 'false') ? text === 'true' : text
}

function typesOf(schema: unknown): ReadonlySet<string> {
  if (!isObject(schema)) return new Set()
  const { type, const: only, enum: values = [], anyOf = [], oneOf = [] } = schema
  const constants = [only, ...(values as readonly unknown[])].map((value) => typeof value)
  const branches = [anyOf, oneOf].flat().flatMap((branch) => [...typesOf(branch)])
  return new Set([[type ?? []].flat().map(String), constants, branches].flat())
}
