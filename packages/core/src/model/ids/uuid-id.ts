import { v7 } from 'uuid'
import type { Id, IdKind, IdStorage } from './id-kind.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * UUIDs (RFC 9562) in lower case. The library makes those of version 7: each is greater than the one before, whatever the clock does, so
 * the ids of one request keep the order of its body.
 */
export function uuidId(assignedBy: IdKind['assignedBy'], stored: IdStorage): IdKind {
  const schema = Object.freeze({ type: 'string', format: 'uuid' })
  return Object.freeze({
    name: 'uuid',
    stored,
    assignedBy,
    assign: assignedBy === 'library' ? () => v7() : undefined,
    inWords: 'a UUID',
    fromJson: toUuid,
    fromCaller: toUuid,
    problem: 'must be an id: a UUID, such as "0190163d-8694-739b-aea5-966c26f8ad91"',
    fromPath: toUuid,
    maxLength: 36,
    pathProblem: 'must be an id: a UUID',
    isChoosable: (id) => toUuid(id) !== undefined,
    choiceProblem: 'an id that is chosen is a UUID',
    compare: (first, second) => (first < second ? -1 : first > second ? 1 : 0),
    unused: (number) => `ffffffff-ffff-4fff-8fff-${(0xffffffffffff - number).toString(16).padStart(12, '0')}`,
    schema,
    chosenSchema: schema,
    example: '0190163d-8694-739b-aea5-966c26f8ad91',
  } satisfies IdKind)
}

function toUuid(value: unknown): Id | undefined {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined
}
