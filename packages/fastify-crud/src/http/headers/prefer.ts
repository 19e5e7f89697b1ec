import type { Problem } from '@fastify-crud/core'
import { shortened } from '@fastify-crud/core/internal'
import type { FastifyReply } from 'fastify'

/** What a client would like (RFC 7240), as far as the service knows it. Undefined: the client has not said. */
export interface Preferences {
  readonly returns: 'minimal' | 'representation' | 'effects' | undefined
  readonly tx: 'commit' | 'rollback' | undefined
  readonly maxAffected: number | undefined
  /** Whether each record of a list is to have its ETag. */
  readonly etags: boolean
}

export const NO_PREFERENCES: Preferences = {
  returns: undefined,
  tx: undefined,
  maxAffected: undefined,
  etags: false,
}

/** Reads the header. Adds what is wrong with it to the problems; preferences that the service does not know are
 * ignored. */
export function preferencesOf(header: string | string[] | undefined, problems: Problem[]): Preferences {
  if (header === undefined) return NO_PREFERENCES
  const values = readPreferences([header].flat().join(',').trim())
  if (values === undefined) {
    const message = 'the header Prefer must be a list such as return=minimal, max-affected=1'
    problems.push({ parameter: 'Prefer', message, keyword: 'format', params: { format: 'prefer' } })
    return NO_PREFERENCES
  }
  const oneOf = <Value extends string>(name: string, allowed: readonly Value[]): Value | undefined => {
    const value = values.get(name)
    const found = allowed.find((one) => one === value?.toLowerCase())
    if (found === undefined && value !== undefined) problems.push(wrong(name, value, allowed.join(' or ')))
    return found
  }
  return {
    returns: oneOf('return', ['minimal', 'representation', 'effects']),
    tx: oneOf('tx', ['commit', 'rollback']),
    maxAffected: readCount('max-affected', values.get('max-affected'), problems),
    etags: values.has('etags'),
  }
}

const COUNT = /^(?:0|[1-9][0-9]{0,14})$/

function readCount(name: string, value: string | undefined, problems: Problem[]): number | undefined {
  if (value === undefined) return undefined
  if (COUNT.test(value)) return Number(value)
  problems.push(wrong(name, value, 'an integer from 0'))
  return undefined
}

function wrong(name: string, value: string, allowed: string): Problem {
  const message = `the preference '${name}' must be ${allowed}, not '${shortened(value)}'`
  return { parameter: 'Prefer', message, keyword: 'preference', params: { preference: name } }
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const VALUE = `[ \\t]*=[ \\t]*(?:(${TOKEN})[ \\t]*|"((?:[^"\\\\]|\\\\.)*)"[ \\t]*|)`
/** A name with its value, or an empty element, and what comes behind it: a parameter (`;`), the next preference or the
 * end. */
const PART = new RegExp(`(?:(${TOKEN})(?:${VALUE}|[ \\t]*))?(?:([,;])[ \\t]*|$)`, 'y')

/** The value of each preference, by its name in lower case; undefined if the text is no list of preferences. */
function readPreferences(text: string): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>()
  let isParameter = false
  PART.lastIndex = 0
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text)
    if (found === null) return undefined
    const [, name, token, quoted, behind] = found
    const key = name?.toLowerCase()
    // Of a preference that is there several times, only the first counts.
    if (key !== undefined && !isParameter && !values.has(key)) {
      values.set(key, token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '')
    }
    isParameter = behind === ';'
  }
  return values
}

/** What the answer to a write has. */
type AnsweredBody = 'record' | 'effects' | 'left out' | 'none'

/** Says which of the client's preferences a write has followed. */
export function sayApplied(reply: FastifyReply, preferences: Preferences, body: AnsweredBody): void {
  const applied = appliedPreferences(preferences, body)
  if (applied === undefined) return
  reply.header('preference-applied', applied)
  if (preferences !== NO_PREFERENCES) vary(reply, 'Prefer')
}

/** Says that the records of a list have their ETags. */
export function sayEtags(reply: FastifyReply): void {
  reply.header('preference-applied', 'etags')
  vary(reply, 'Prefer')
}

/** Adds to the headers of a request by which an answer differs. */
export function vary(reply: FastifyReply, header: string): void {
  const present = [reply.getHeader('vary') ?? []].flat().join(', ')
  const names = present.split(',').map((name) => name.trim().toLowerCase())
  if (names.includes('*') || names.includes(header.toLowerCase())) return
  reply.header('vary', present === '' ? header : `${present}, ${header}`)
}

/** What `Preference-Applied` says of an answer to a write; undefined: nothing was applied. */
function appliedPreferences({ returns, tx, maxAffected }: Preferences, body: AnsweredBody): string | undefined {
  const applied: string[] = []
  if (body === 'left out') applied.push('return=minimal')
  else if (body === 'effects') applied.push('return=effects')
  else if (body === 'record' && returns === 'representation') applied.push('return=representation')
  if (tx !== undefined) applied.push(`tx=${tx}`)
  if (maxAffected !== undefined) applied.push(`max-affected=${maxAffected}`)
  return applied.length === 0 ? undefined : applied.join(', ')
}
