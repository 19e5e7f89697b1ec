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
import { type Question, questionsAbout, questionsAboutOwner, questionsAt, type View, viewsOf } from './questions.ts'

/** The same in all questions of one request. */
export type QuestionContext = Pick<AccessQuestion, 'operation' | 'origin' | 'caller'>

/** What was answered to a batch about one of its requests, which may be carried out several times. */
export interface AccessMemory {
  readonly answers: Map<string, Answered>
  /** Whether the batch itself creates the record: then its id says nothing to the application. */
  isNew(resource: Resource, id: Id): boolean
  /** Whether answers may be waited for: not in a transaction. */
  readonly mayWait: boolean
}

/** Asks the application what one request may do, each question once. As a {@link Permit} it is asked what the request
 * does to other records. */
export class Access implements Permit {
  readonly #authorize: Authorize
  readonly #request: FastifyRequest
  readonly #at: Address
  readonly #context: QuestionContext
  /** By action and resource, and by the id of a record that a question names. An error is an answer that failed. */
  readonly #answers = new Map<string, Answered>()
  /** About records that the path names, and answered with yes. */
  readonly #checked: Question[] = []
  /** Undefined where the request is none of a batch. */
  readonly #memory: AccessMemory | undefined

  constructor(
    authorize: Authorize,
    request: FastifyRequest,
    at: Address,
    context: QuestionContext,
    memory: AccessMemory | undefined,
  ) {
    this.#authorize = authorize
    this.#request = request
    this.#at = at
    this.#context = context
    this.#memory = memory
  }

  /**
   * Whether the request may do this to the record at its address, or create one there. Fails with `CRUD_ERR_FORBIDDEN`
   * unless the application says `true`.
   */
  async check(action: Action, id: Id | undefined): Promise<void> {
    if (await this.#allows(action, id)) return
    const { key } = this.#at.path.resource
    const what = `${action} of ${key}${id === undefined ? '' : ` ${id}`}`
    throw new CrudError(notAllowed([{ what, pointers: [] }]))
  }

  /** A record whose owner the request may not see is not there: fails as if it were so. For paths that do not name the
   * owner. */
  async refuseUnseen(id: Id | undefined): Promise<void> {
    const at = this.#at
    if (at.owners.length === 0 || (await this.#allows('View', id))) return
    throw new CrudError(
      this.#context.operation === 'create' ? ownerNotFound(at) : notFound(at.path.resource.key, id ?? ''),
    )
  }

  /** The resources whose records the request may not see; undefined if it may see all of them. */
  async hiddenAmong(views: readonly View[]): Promise<ReadonlySet<Resource> | undefined> {
    const pending = this.#askAll(views)
    if (pending !== undefined) await this.#wait(Promise.all(pending.values()))
    const hidden = this.#hiddenAmong(views)
    return hidden.size === 0 ? undefined : hidden
  }

  refusalOf(actions: Parameters<Permit['refusalOf']>[0]): Refusal | undefined {
    const asked = actions.map(({ action, resource, owners, pointers, place }) => {
      const questions =
        place === undefined
          ? [...owners].flatMap((owner) => questionsAbout(action, resource, owner, this.#at.path))
          : questionsAt(place.at, { action, id: place.id, isNew: place.id === undefined })
      return { what: `${action} of ${resource.key}`, pointers, questions }
    })
    this.#askNow(asked)
    const refused = this.#refusedAmong(asked)
    return refused.length === 0 ? undefined : notAllowed(refused)
  }

  hiddenOf(resources: Parameters<Permit['hiddenOf']>[0]): ReadonlySet<Resource> {
    const views = viewsOf(this.#at.path, resources)
    this.#askNow(views)
    return this.#hiddenAmong(views)
  }

  seesOwner(at: Parameters<Permit['seesOwner']>[0]): boolean {
    const asked = [{ questions: questionsAboutOwner(at, this.#at.path) }]
    this.#askNow(asked)
    return this.#refusedAmong(asked).length === 0
  }

  async #allows(action: Action, id: Id | undefined): Promise<boolean> {
    const isNew = this.#context.operation === 'create'
    for (const question of questionsAt(this.#at, { action, id, isNew })) {
      if (this.#checked.some((one) => one.pair === question.pair && one.id === question.id)) continue
      const answer = this.#answerTo(question)
      if ((isPromise(answer) ? await this.#wait(answer) : answer) !== true) return false
      this.#checked.push(question)
      this.#answers.set(question.pair, true)
      this.#answers.set(answerKey(question), true)
    }
    return true
  }

  #answerTo(question: Question): boolean | Promise<boolean> {
    const { operation, origin, caller } = this.#context
    const ask = ({ action, resource, id }: Question) =>
      this.#authorize(this.#request, { action, resource: resource.key, id, operation, origin, caller })
    return this.#memory === undefined ? ask(question) : remembered(this.#memory, question, ask)
  }

  /** A batch waits without its transaction, and asks again. */
  async #wait<Answer>(answer: Promise<Answer>): Promise<Answer> {
    if (this.#memory?.mayWait !== false) return await answer
    throw new PendingAnswersError(answer.catch(() => undefined))
  }

  /** Asks what is not answered yet. Returns the answers that are late; undefined: none is. */
  #askAll(all: readonly WithQuestions[]): ReadonlyMap<string, Promise<void>> | undefined {
    let pending: Map<string, Promise<void>> | undefined
    for (const { questions } of all) {
      for (const question of questions) {
        const key = answerKey(question)
        if (this.#answers.has(key) || pending?.has(key)) continue
        const answer = this.#answerTo(question)
        if (!isPromise(answer)) this.#answers.set(key, answer === true)
        else {
          pending ??= new Map()
          pending.set(
            key,
            noted(answer, (answered) => this.#answers.set(key, answered)),
          )
        }
      }
    }
    return pending
  }

  /** Asks what is not answered yet, in the midst of a write: it cannot wait, so late answers end the attempt. */
  #askNow(all: readonly WithQuestions[]): void {
    const pending = this.#askAll(all)
    if (pending !== undefined) throw new PendingAnswersError(Promise.all(pending.values()))
  }

  #refusedAmong<One extends WithQuestions>(all: readonly One[]): readonly One[] {
    return all.filter(({ questions }) => !questions.every((one) => isYes(this.#answers.get(answerKey(one)))))
  }

  #hiddenAmong(views: readonly View[]): ReadonlySet<Resource> {
    return new Set(this.#refusedAmong(views).map(({ resource }) => resource))
  }
}

/** The answer to a question of a batch, which is asked once. */
function remembered(
  { answers, isNew }: AccessMemory,
  question: Question,
  ask: (question: Question) => boolean | Promise<boolean>,
): boolean | Promise<boolean> {
  const { resource, id } = question
  const told = id !== undefined && isNew(resource, id) ? { ...question, id: undefined } : question
  const key = answerKey(told)
  const known = answers.get(key)
  if (known !== undefined) return isYes(known)
  const answer = ask(told)
  if (!isPromise(answer)) {
    answers.set(key, answer === true)
    return answer
  }
  return noted(answer, (answered) => answers.set(key, answered)).then(() => isYes(answers.get(key)))
}

/** A question about a record that is named by its id has an answer of its own. */
function answerKey({ pair, id }: Question): string {
  return id === undefined ? pair : `${pair} ${JSON.stringify(id)}`
}

interface WithQuestions {
  readonly questions: readonly Question[]
}

export type Answered = boolean | { readonly error: unknown }

function isPromise(answer: unknown): answer is Promise<unknown> {
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
