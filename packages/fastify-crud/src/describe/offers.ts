import type { Resource } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import { ACTIONS, type Action, type Authorize } from '../access/authorize.ts'
import { type Question, questionsAbout } from '../access/questions.ts'

/** So long may the application take to say what it would allow, in milliseconds. */
const LONGEST = 1_000

/** What the application has said it would allow. */
export interface Offers {
  isYes(question: Question): boolean
  /** Whether it would allow an action with some record of a resource. */
  allows(resource: Resource, action: Action): boolean
}

/** The questions that tell what may be offered: about each resource and action, each once. */
export interface OfferQuestions {
  readonly all: readonly Question[]
  of(resource: Resource, action: Action): readonly Question[]
}

export function offerQuestions(resources: Iterable<Resource>): OfferQuestions {
  const byPair = new Map<string, Question>()
  const byResource = new Map<Resource, ReadonlyMap<Action, readonly Question[]>>()
  for (const resource of resources) {
    const path = { resource, relations: [], isTopLevel: false }
    const ofActions = ACTIONS.map((action) => [action, questionsAbout(action, resource, 'outside', path)] as const)
    byResource.set(resource, new Map(ofActions))
    for (const [, questions] of ofActions) for (const question of questions) byPair.set(question.pair, question)
  }
  return { all: [...byPair.values()], of: (resource, action) => byResource.get(resource)?.get(action) ?? [] }
}

/**
 * Asks the application about all questions at once. What it refuses, fails to answer or has not answered in time is
 * not offered.
 */
export async function askOffers(
  authorize: Authorize,
  request: FastifyRequest,
  caller: object,
  { all, of }: OfferQuestions,
): Promise<Offers> {
  const yes = new Set<string>()
  const ask = async ({ action, resource: { key }, pair }: Question): Promise<void> => {
    const origin = { resource: key, id: undefined }
    const question = { action, resource: key, id: undefined, operation: 'describe', origin, caller }
    if ((await authorize(request, question)) === true) yes.add(pair)
  }
  await withinTime(Promise.allSettled(all.map(ask)), undefined)
  // What comes later would change an answer that is being made.
  const answered = new Set(yes)
  const isYes = ({ pair }: Question) => answered.has(pair)
  return { isYes, allows: (resource, action) => of(resource, action).every(isYes) }
}

/** What a promise resolves to, or else if it takes too long. */
export async function withinTime<T, Late>(promise: Promise<T>, late: Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, LONGEST, late)
  })
  try {
    return await Promise.race([promise, end])
  } finally {
    clearTimeout(timer)
  }
}
