import type { Model } from '@fastify-crud/core'
import { type Owns, resourceOf } from '@fastify-crud/core/internal'
import type { JsonBody } from '../support/json-body.ts'

/** A record: `<resource>/<id>`. */
export type Key = string

/** A record of an answer or body, with the text that tells who wrote it. */
export interface Noted {
  readonly key: Key
  readonly text: string | null
  /** A value that several writes give the same record; undefined where nothing is said of one. */
  readonly mood: string | null | undefined
  /** The record that owns it; undefined at the top of the request's path. */
  readonly owner: Key | undefined
  /** It came to be by this very write, if that was done. */
  readonly isNew: boolean
}

/** Before a request is sent. */
export interface Sent {
  readonly line: 'sent'
  readonly token: string
  /** The number of the tenant, where there are some. */
  readonly tenant?: number
  readonly method: string
  readonly path: string
  /** In microseconds, the same clock for all processes. */
  readonly at: number
  /** The record that the path ends in, and those before it, the topmost first. */
  readonly target: readonly Key[]
  /** It may remove records that the target owns. */
  readonly removes: boolean
  /** The records with ids in the body whose text it sets. */
  readonly sets: readonly Noted[]
  /** How many records the body describes. */
  readonly size: number
}

/** When its answer has come. */
export interface Answered {
  readonly line: 'answered'
  readonly token: string
  readonly at: number
  readonly status: number
  readonly code: string | undefined
  /** Whether it was done is not known: the connection was lost while committing. */
  readonly isUnknown: boolean
  /** All records of the answer. */
  readonly records: readonly Noted[]
  /** Where the answer shows another value than the body set. */
  readonly unshown: readonly string[]
}

/** What a worker has had to try again so far, by the error's code. */
export interface Retried {
  readonly line: 'retried'
  readonly worker: number
  readonly codes: Readonly<Record<string, number>>
}

/** When `afterCommit` is called. */
export interface CommittedLine {
  readonly line: 'committed'
  readonly token: string
  readonly resource: string
  /** The action and the record. */
  readonly rows: readonly string[]
}

/** When a worker has done all that it began. */
export interface Closed {
  readonly line: 'closed'
  readonly worker: number
}

export type Line = Sent | Answered | Retried | CommittedLine | Closed

/** One write of the storm, from both of its lines. */
export interface Write extends Sent {
  /** The end of the time in which it can have been done; infinite if no answer came, or none that tells. */
  readonly until: number
  readonly outcome: 'done' | 'refused' | 'unknown'
  readonly status: number | undefined
  readonly code: string | undefined
  readonly records: readonly Noted[]
  readonly unshown: readonly string[]
}

/** The field of each resource that carries the token of who wrote the record last. */
export const TEXT: Readonly<Record<string, string>> = {
  band: 'note',
  page: 'url',
  address: 'street',
  album: 'title',
  cover: 'color',
  track: 'title',
  review: 'text',
}

export function textField(resource: string): string {
  return TEXT[resource] ?? 'name'
}

/** Lists a record of a body or an answer with all that it owns. */
export function noteRecords(model: Model, resource: string, body: JsonBody, sentIds: ReadonlySet<Key>): Noted[] {
  const noted: Noted[] = []
  const walk = (at: string, record: JsonBody, owner: Key | undefined, ownerIsNew: boolean, relation?: Owns): void => {
    const key = `${at}/${record.id}`
    const isNew = ownerIsNew || (relation?.many === true && !sentIds.has(key))
    noted.push({ key, text: record[textField(at)] ?? null, mood: record.mood, owner, isNew })
    for (const owns of resourceOf(model, at).owns) {
      const owned = record[owns.name] ?? []
      for (const child of Array.isArray(owned) ? owned : [owned]) walk(owns.target.key, child, key, isNew, owns)
    }
  }
  walk(resource, body, undefined, false)
  return noted
}

/** Reads lines of which many name the same records: one string for each name, as a storm of minutes has millions. */
export function lineParser(): (text: string) => Line {
  const known = new Map<string, string>()
  const one = <Text extends string | null | undefined>(text: Text): Text => {
    if (typeof text !== 'string') return text
    const found = known.get(text)
    if (found === undefined) known.set(text, text)
    return (found ?? text) as Text
  }
  const share = ({ key, text, mood, owner, isNew }: Noted): Noted => {
    return { key: one(key), text: one(text), mood: one(mood), owner: one(owner), isNew }
  }
  return (text) => {
    const line = JSON.parse(text) as Line
    if (line.line === 'sent') return { ...line, sets: line.sets.map(share) }
    return line.line === 'answered' ? { ...line, records: line.records.map(share) } : line
  }
}

/** Joins what was sent with what was answered. */
export function toWrites(lines: readonly Line[]): Write[] {
  const answers = new Map<string, Answered>()
  for (const line of lines) if (line.line === 'answered') answers.set(line.token, line)
  return lines.flatMap((line): Write[] => {
    if (line.line !== 'sent') return []
    const answer = answers.get(line.token)
    const isDone = answer !== undefined && answer.status < 300
    const outcome = isDone ? 'done' : answer === undefined || answer.isUnknown ? 'unknown' : 'refused'
    const until = outcome === 'unknown' ? Number.POSITIVE_INFINITY : (answer?.at as number)
    const { status, code, records = [], unshown = [] } = answer ?? {}
    return [{ ...line, until, outcome, status, code, records, unshown }]
  })
}

/** The token of the write that a text tells; empty if it tells none. */
export function tokenOf(text: string | null): string {
  return /^w\d+\.\d+\./.exec(text ?? '')?.[0] ?? ''
}

/** For messages. */
export function describe({ token, method, path, outcome, status, code, at, until }: Write): string {
  return `${method} ${path} (${token} ${outcome} ${status ?? ''} ${code ?? ''} ${at}–${until})`
}
