import type { Id } from '@fastify-crud/core'
import { type Address, type Mount, ownerParam } from '@fastify-crud/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { idOfRecord } from '../access/questions.ts'
import { askerOf } from '../access/who-asks.ts'
import { type Answer, jsonOf } from './answer.ts'
import { jsonText } from './body/json-text.ts'
import { ClientGoneError } from './client-gone.ts'
import { sayApplied } from './headers/prefer.ts'
import type { OperationOf, RouteOperation } from './operations/operation.ts'
import type { ReplacedEndpoint } from './replaced-endpoint.ts'
import type { RouteHandler } from './route-settings.ts'

/** The handler of an endpoint that the application replaced. */
export function replacedHandler(
  mount: Mount,
  operationName: string,
  operationOf: OperationOf,
  { access: declared, handler }: ReplacedEndpoint,
): RouteHandler {
  const { resource } = mount.path
  return async (request, reply) => {
    const call = await operationOf(request).begin(request, reply)
    const handled = { ...askerOf(call.asking), db: call.asking.db }
    const id = declared.id === 'id' ? idOfRecord(resource, call.id) : ownerId(call.at, declared.id)
    await call.access?.check(declared.action, id)

    const hasAnswered = noteAnswer(reply)
    // The handler may have changed the body or the query, and so what the request is for.
    const ask = async () => {
      const operation = operationOf(request)
      const answer = await operation.answer(call, true)
      // The handler may answer itself.
      if (!operation.isRead && !hasAnswered()) sayApplied(reply, call.preferences, 'none')
      return { operation, answer }
    }
    let predefined: Promise<AnswerWithResult> | undefined
    const next = (): Promise<unknown> => {
      predefined ??= withResult(ask)
      const result = predefined.then((one) => one.result)
      // A handler need not wait for it. What goes wrong is not lost: it is answered or logged below.
      result.catch(() => undefined)
      return result
    }
    let returned: unknown
    try {
      returned = await handler(request, reply, next, handled)
    } catch (error) {
      await settled(predefined, request, error)
      throw error
    }
    if (hasAnswered()) {
      await settled(predefined, request)
      return reply
    }
    if (predefined === undefined) {
      const hint = returned === undefined ? '' : '; what it returns is not sent: use reply.send()'
      throw new Error(`the handler of ${resource.key}.${operationName} neither answered nor called next()${hint}`)
    }
    const { operation, answer, result, text } = await predefined
    const json = jsonText(result)
    const isChanged = json !== text
    const sent = !isChanged ? answer : typeof answer === 'object' ? { ...answer, json } : json
    return operation.send(reply, call, sent, isChanged)
  }
}

/** Whether the handler has answered. `reply.sent` is true only once the answer is written: later, for a stream, or
 * behind a hook that waits. */
function noteAnswer(reply: FastifyReply): () => boolean {
  let isAnswered = false
  const { send } = reply
  reply.send = (payload) => {
    isAnswered = true
    return send.call(reply, payload)
  }
  return () => isAnswered || reply.sent
}

/** What an operation has answered. */
interface OperationAnswer {
  readonly operation: RouteOperation
  readonly answer: Answer
}

interface AnswerWithResult extends OperationAnswer {
  /** What it says, for a handler to change. */
  readonly result: unknown
  /** The result's own JSON, by which a change of it is found. */
  readonly text: string | undefined
}

async function withResult(ask: () => Promise<OperationAnswer>): Promise<AnswerWithResult> {
  const { operation, answer } = await ask()
  const json = jsonOf(answer)
  const result: unknown = json === undefined ? undefined : JSON.parse(json)
  return { operation, answer, result, text: jsonText(result) }
}

/** Waits for the predefined endpoint, whose answer is no longer sent; `passedOn`: the error that is answered
 * instead. */
async function settled(
  predefined: Promise<unknown> | undefined,
  request: FastifyRequest,
  passedOn?: unknown,
): Promise<void> {
  try {
    await predefined
  } catch (error) {
    if (error === passedOn || error instanceof ClientGoneError) return
    request.log.error({ err: error }, 'the predefined endpoint failed, and the handler has sent another answer')
  }
}

function ownerId({ path, owners }: Address, param: string | undefined): Id | undefined {
  const level = path.relations.findIndex(({ source }) => ownerParam(source) === param)
  const owner = path.relations[level]
  return owner === undefined ? undefined : idOfRecord(owner.source, owners[level])
}
