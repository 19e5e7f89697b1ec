import { CrudError, type Id, type Refusal } from '@fastify-crud/core'
import {
  type Address,
  forbidden,
  notFound,
  ownerNotFound,
  PendingAnswersError,
  type Permit,
  type Resource,
} from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { AccessQuestion, Action, Authorize } from './authorize.ts'
import { type Question, questionsAbout, questionsAt, type View, viewsOf } from './questions.ts'

/** The same in all questions of one request. */
export type QuestionContext = Pick<AccessQuestion, 'operation' | 'origin' | 'caller'>

/** Asks the application what one request may do, each question once. */
export interface Access {
  /**
   * Whether the request may do this to the record at its address, or create one there. Fails with `CRUD_ERR_FORBIDDEN` unless the
   * application says `true`.
   */
  check(action: Action, id: Id | undefined): Promise<void>
  /** A record whose owner the request may not see is not there: fails as if it were so. For paths that do not name the owner. */
  refuseUnseen(id: Id | undefined): Promise<void>
  /** For what the request does to other records. */
  readonly permit: Permit
  /** The resources whose records the request may not see; undefined if it may see all of them. */
  hiddenOf(views: readonly View[]): Promise<ReadonlySet<Resource> | undefined>
}

export function accessOf(authorize: Authorize, request: FastifyRequest, at: Address, context: QuestionContext): Access {
  // By action and resource. An error is an answer that failed.
  const answers = new Map<string, Answered>()
  const checked: Question[] = []
  const answerTo = ({ action, resource, id }: Question) =>
    authorize(request, { action, resource: resource.key, id, ...context })
  const ask = (question: Question, pending: Map<string, Promise<void>>) => {
    const { pair } = question
    if (answers.has(pair) || pending.has(pair)) return
    const answer = answerTo(question)
    if (!isPromise(answer)) answers.set(pair, answer === true)
    else {
      const settled = noted(answer, (answered) => answers.set(pair, answered))
      pending.set(pair, settled)
    }
  }
  const isAllowed = ({ pair }: Question) => isYes(answers.get(pair))
  /** Asks what is not answered yet. Returns the answers that are late. */
  const askAll = (all: readonly WithQuestions[]): ReadonlyMap<string, Promise<void>> => {
    const pending = new Map<string, Promise<void>>()
    for (const { questions } of all) for (const question of questions) ask(question, pending)
    return pending
  }
  /** Asks what is not answered yet, in the midst of a write: it cannot wait, so late answers end the attempt. */
  const askNow = (all: readonly WithQuestions[]): void => {
    const pending = askAll(all)
    if (pending.size > 0) throw new PendingAnswersError(Promise.all(pending.values()))
  }
  const refusedOf = <One extends WithQuestions>(all: readonly One[]) =>
    all.filter(({ questions }) => !questions.every(isAllowed))
  const hiddenOf = (views: readonly View[]) => new Set(refusedOf(views).map(({ resource }) => resource))
  const allows = async (action: Action, id: Id | undefined) => {
    for (const question of questionsAt(at, { action, id, isNew: context.operation === 'create' })) {
      if (checked.some((one) => one.pair === question.pair && one.id === question.id)) continue
      if ((await answerTo(question)) !== true) return false
      checked.push(question)
      answers.set(question.pair, true)
    }
    return true
  }
  return {
    async refuseUnseen(id) {
      if (at.owners.length === 0 || (await allows('View', id))) return
      const { resource } = at.path
      throw new CrudError(context.operation === 'create' ? ownerNotFound(at) : notFound(resource.key, id ?? ''))
    },
    async check(action, id) {
      if (await allows(action, id)) return
      const { key } = at.path.resource
      const what = `${action} of ${key}${id === undefined ? '' : ` ${id}`}`
      throw new CrudError(notAllowed([{ what, pointers: [] }]))
    },
    async hiddenOf(views) {
      const pending = askAll(views)
      if (pending.size > 0) await Promise.all(pending.values())
      const hidden = hiddenOf(views)
      return hidden.size === 0 ? undefined : hidden
    },
    permit: {
      refusalOf(actions) {
        const asked = actions.map(({ action, resource, owners, pointers }) => {
          const questions = [...owners].flatMap((owner) => questionsAbout(action, resource, owner, at.path))
          return { what: `${action} of ${resource.key}`, pointers, questions }
        })
        askNow(asked)
        const refused = refusedOf(asked)
        return refused.length === 0 ? undefined : notAllowed(refused)
      },
      hiddenOf(resources) {
        const views = viewsOf(at.path, resources)
        askNow(views)
        return hiddenOf(views)
      },
    },
  }
}

interface WithQuestions {
  readonly questions: readonly Question[]
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
    pointers.map((pointer) => ({ pointer, message: `${what} is not allowed`, keyword: 'forbidden' })),
  )
  return forbidden(detail, errors)
}
