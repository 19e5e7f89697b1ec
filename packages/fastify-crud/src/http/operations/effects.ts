import { CrudError } from '@fastify-crud/core'
import { type Asked, type Mount, type Resource, tooLarge, type WrittenEffects } from '@fastify-crud/core/internal'
import { EFFECTS_MEDIA_TYPE } from '@fastify-crud/openapi'
import type { FastifyReply } from 'fastify'
import { hiddenResources } from '../../access/hidden-resources.ts'
import type { Within } from '../../access/within.ts'
import type { Service } from '../../service.ts'
import { EFFECTS_TAG } from '../headers/effects-match.ts'
import { sayApplied } from '../headers/prefer.ts'
import type { Call } from './operation.ts'

type EffectsAsked = Asked['effects']

/** Finds what a request asks of the effects of its write, and what they may show; undefined: it asks nothing. */
type EffectsReader = (call: Call) => EffectsAsked | Promise<EffectsAsked>

/**
 * For the writes of a route. `touched`: the resources whose records they may change. `authorize` is asked about these,
 * and about those to which they have links. Of others, which rules write, nothing is shown.
 */
export function effectsOfRoute(service: Service, mount: Mount, touched: readonly Resource[]): EffectsReader {
  const asked = new Set([...touched, ...touched.flatMap(({ links }) => links.map(({ target }) => target))])
  const findHidden = hiddenResources(service, mount.path, [...asked])
  return (call) => {
    const { within } = call
    if (within !== undefined) return within.noteSight && noteSight(call, within.noteSight)
    const areAnswer = call.preferences.returns === 'effects'
    const { effectsMatch: match } = call
    if (!areAnswer && match === undefined) return undefined
    if (findHidden === undefined) return { areAnswer, match }
    return findTerms(call, areAnswer, match)
  }

  /** What a batch does is told as a whole. */
  async function noteSight(call: Call, note: NonNullable<Within['noteSight']>): Promise<undefined> {
    note({ touched: asked, hidden: await findHidden?.(call, call.at, undefined) })
  }

  // Before anything is written: what fails then is not done.
  async function findTerms(call: Call, areAnswer: boolean, match: string | undefined): Promise<EffectsAsked> {
    const hidden = await findHidden?.(call, call.at, undefined)
    return { areAnswer, match, hides: (resource) => !asked.has(resource) || hidden?.has(resource) === true }
  }
}

/**
 * Answers a write with what it does. Effects that are larger than an answer may be are left out, as a record is: the
 * write is done. Of a preview, nothing is: then it fails.
 */
export function sendEffects(
  reply: FastifyReply,
  status: number,
  { shown, tag }: WrittenEffects,
  { preferences }: Pick<Call, 'preferences'>,
  maxAnswer: number,
): FastifyReply {
  const text = JSON.stringify(shown)
  const isTooLarge = Buffer.byteLength(text) > maxAnswer
  if (isTooLarge && tag !== undefined) throw new CrudError(tooLarge('the preview', maxAnswer, 'write less at once'))
  sayApplied(reply, preferences, isTooLarge ? 'left out' : 'effects')
  reply.code(status)
  if (isTooLarge) return reply.send()
  if (tag !== undefined) reply.header(EFFECTS_TAG, `"${tag}"`)
  return reply.header('content-type', EFFECTS_MEDIA_TYPE).send(text)
}
