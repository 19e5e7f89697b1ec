import type { FuzzedAnswer, FuzzService } from './fuzz-service.ts'
import { hiddenRows } from './hidden-rows.ts'
import { missingTwin } from './missing-twin.ts'
import type { FuzzedRequest } from './random-request.ts'
import { inWords } from './request-in-words.ts'
import type { Sight } from './sight.ts'
import { unknownTwin, withoutSuggestion } from './unknown-twin.ts'

/** What an answer tells of what the caller does not see: where another request, or other rows, should be answered alike. */
export async function toldApart(
  service: FuzzService,
  sight: Sight,
  request: FuzzedRequest,
  answer: FuzzedAnswer,
): Promise<string[]> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return [
    ...(answer.status < 400 ? [] : await fromMissing(service, sight, request, answer)),
    ...(isRead && answer.status === 400 ? await fromUnknown(service, request, answer) : []),
    ...(isRead ? await fromNoHiddenRows(service, sight, request, answer) : []),
  ]
}

/** Whether a refusal tells a record that the caller does not see from one that is not there. */
async function fromMissing(
  service: FuzzService,
  sight: Sight,
  request: FuzzedRequest,
  { status, text }: FuzzedAnswer,
): Promise<string[]> {
  const twin = missingTwin(service.subject.resources, sight, request)
  if (twin === undefined) return []
  const other = await service.send(twin.request)
  if (other.status === status && withoutCutUrl(twin.withOriginalIds(other.text)) === withoutCutUrl(text)) return []
  return [`without the hidden ids: ${inWords(twin.request)}\n  ${inShort(other)}`]
}

/** A URL is cut at a number of characters, and a longer id leaves fewer of those behind it. */
function withoutCutUrl(text: string): string {
  return text.replace(/(there is nothing at )[^"]*…/, '$1…')
}

/** Whether a refusal tells a name that the caller does not see from one that is not there. */
async function fromUnknown(
  service: FuzzService,
  request: FuzzedRequest,
  { status, text }: FuzzedAnswer,
): Promise<string[]> {
  const twin = unknownTwin(service.subject.resources, request)
  if (twin === undefined) return []
  const other = await service.send(twin.request)
  const expected = withoutSuggestion(twin.withOriginalNames(other.text))
  if (other.status === status && expected === withoutSuggestion(text)) return []
  return [`without the hidden names: ${inWords(twin.request)}\n  ${inShort(other)}`]
}

/** Whether a read is answered in another way than it would be if all that the caller does not see were not there. */
async function fromNoHiddenRows(
  service: FuzzService,
  sight: Sight,
  request: FuzzedRequest,
  answer: FuzzedAnswer,
): Promise<string[]> {
  const hidden = hiddenRows(service.subject.resources, sight)
  if (hidden.length === 0) return []
  const other = await service.without(hidden, () => service.send(request))
  if (other.status === answer.status && other.text === answer.text && headersIn(other) === headersIn(answer)) return []
  return [`without the hidden rows and fields:\n  ${inShort(other)} ${headersIn(other)}`]
}

function headersIn({ headers: { date: _, ...headers } }: FuzzedAnswer): string {
  return JSON.stringify(headers)
}

function inShort({ status, text }: FuzzedAnswer): string {
  return `${status} ${text.slice(0, 1_000)}`
}
