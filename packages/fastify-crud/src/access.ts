import { CrudError, type Refusal } from '@fastify-crud/core'
import { forbidden, PendingAnswersError, type Permit, type Resource } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { AccessQuestion, Action, Authorize } from './options.ts'

/** What all questions of one request have in common. */
export type Asking = Pick<AccessQuestion, 'operation' | 'origin' | 'caller'>

/** Asks the application what one request may do, each question once. */
export interface Access {
  /** Fails with `CRUD_ERR_FORBIDDEN` unless the application says `true`. */
  check(question: Pick<AccessQuestion, 'action' | 'resource' | 'id'>): Promise<void>
  /** For what the request does to other records. */
  readonly permit: Permit
  /** Those of some resources whose records the request may not see. */
  hiddenOf(resources: readonly Resource[]): Promise<ReadonlySet<Resource>>
}

export function accessOf(authorize: Authorize, request: FastifyRequest, asking: Asking): Access {
  // By action and resource. An error stands for an answer that failed.
  const answers = new Map<string, Answered>()
  const ask = (action: Action, resource: Resource, pending: Promise<void>[]) => {
    const pair = `${action} ${resource.key}`
    if (answers.has(pair)) return
    const answer = authorize(request, { action, resource: resource.key, id: undefined, ...asking })
    if (isPromise(answer)) pending.push(noted(answer, (settled) => answers.set(pair, settled)))
    else answers.set(pair, answer === true)
  }
  return {
    async check({ action, resource, id }) {
      if ((await authorize(request, { action, resource, id, ...asking })) !== true) {
        throw new CrudError(
          notAllowed([{ what: `${action} of ${resource}${id === undefined ? '' : ` ${id}`}`, pointers: [] }]),
        )
      }
      answers.set(`${action} ${resource}`, true)
    },
    async hiddenOf(resources) {
      const pending: Promise<void>[] = []
      for (const resource of resources) ask('View', resource, pending)
      if (pending.length > 0) await Promise.all(pending)
      return new Set(resources.filter((resource) => !isYes(answers.get(`View ${resource.key}`))))
    },
    permit(actions) {
      const pending: Promise<void>[] = []
      for (const { action, resource } of actions) ask(action, resource, pending)
      if (pending.length > 0) throw new PendingAnswersError(Promise.all(pending))
      const refused = actions.filter(({ action, resource }) => !isYes(answers.get(`${action} ${resource.key}`)))
      if (refused.length === 0) return undefined
      return notAllowed(
        refused.map(({ action, resource, pointers }) => ({ what: `${action} of ${resource.key}`, pointers })),
      )
    },
  }
}

type Answered = boolean | { readonly error: unknown }

function isPromise(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as Partial<PromiseLike<unknown>> | undefined | null)?.then === 'function'
}

async function noted(answer: PromiseLike<unknown>, note: (answered: Answered) => void): Promise<void> {
  try {
    note((await answer) === true)
  } catch (error) {
    note({ error })
  }
}

function isYes(answered: Answered | undefined): boolean {
  if (typeof answered === 'object') throw answered.error
  return answered === true
}

/** `pointers`: to what asks for it in the body. */
function notAllowed(refused: readonly { readonly what: string; readonly pointers: readonly string[] }[]): Refusal {
  const all = refused.map(({ what }) => what)
  const detail = `${all.join(', ')} ${all.length === 1 ? 'is' : 'are'} not allowed`
  const errors = refused.flatMap(({ what, pointers }) =>
    pointers.map((pointer) => ({ pointer, message: `${what} is not allowed` })),
  )
  return forbidden(detail, errors)
}
