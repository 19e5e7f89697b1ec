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

/** What a write does to the count of a good. */
export interface Counts {
  readonly adds: number
  readonly sells: number
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
  /** Of a write of many records: those that it names. A write of one has none of these. */
  readonly many?: readonly Key[]
  /** It may remove records that the target, or one of these, owns. */
  readonly removes: boolean
  /** The records with ids in the body whose text it sets. */
  readonly sets: readonly Noted[]
  readonly counts?: Counts
  /** The owner that it moves the target to. */
  readonly to?: Key
  /** How many records the body describes. */
  readonly size: number
  /** It has an `Idempotency-Key`, so that anybody may send it again with this body. */
  readonly repeatable?: { readonly resource: string; readonly body: JsonBody }
}

/** Before a request is sent once more, by the same server or another one. */
export interface SentAgain {
  readonly line: 'sentAgain'
  readonly token: string
}

/** When its answer has come. */
export interface Answered {
  readonly line: 'answered'
  readonly token: string
  /** When this request was sent. */
  readonly sentAt: number
  readonly at: number
  readonly status: number
  readonly code: string | undefined
  /** Whether it was done is not known: the connection was lost while committing. */
  readonly isUnknown: boolean
  /** How many records matched, where a filter chose them. */
  readonly count?: number
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

export type Line = Sent | SentAgain | Answered | Retried | CommittedLine | Closed

/** One write of the storm, from both of its lines. */
export interface Write extends Sent {
  /** The end of the time in which it can have been done; infinite if no answer came, or none that tells. */
  readonly until: number
  readonly outcome: 'done' | 'refused' | 'unknown'
  readonly status: number | undefined
  readonly code: string | undefined
  readonly count?: number | undefined
  readonly records: readonly Noted[]
  readonly unshown: readonly string[]
  /** All answers of a write that was sent several times. Which of the requests was done, these do not tell. */
  readonly answers?: readonly Answered[]
}

/** The records at the top of what a write changes, as far as it names them. */
export function topsOf({ target, many }: Sent): readonly Key[] {
  return many ?? target.slice(-1)
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
  const answers = new Map<string, Answered[]>()
  const repeats = new Map<string, number>()
  for (const line of lines) {
    if (line.line === 'answered') answers.set(line.token, [...(answers.get(line.token) ?? []), line])
    if (line.line === 'sentAgain') repeats.set(line.token, (repeats.get(line.token) ?? 0) + 1)
  }
  return lines.flatMap((line): Write[] => {
    if (line.line !== 'sent') return []
    const found = answers.get(line.token) ?? []
    const times = repeats.get(line.token)
    return [
      times === undefined ? { ...line, ...outcomeOf(found[0]) } : { ...line, ...outcomeOfSeveral(found, 1 + times) },
    ]
  })
}

type Outcome = Omit<Write, keyof Sent>

function outcomeOf(answer: Answered | undefined): Outcome {
  const isDone = answer !== undefined && answer.status < 300
  const outcome = isDone ? 'done' : answer === undefined || answer.isUnknown ? 'unknown' : 'refused'
  const until = outcome === 'unknown' ? Number.POSITIVE_INFINITY : (answer?.at as number)
  const { status, code, count, records = [], unshown = [] } = answer ?? {}
  return { until, outcome, status, code, count, records, unshown }
}

/** Nobody did it if all were refused. Otherwise an answer tells what is there now, which others may have written. */
function outcomeOfSeveral(answers: readonly Answered[], times: number): Outcome {
  const last = answers.at(-1)
  const isRefused = answers.length === times && answers.every(({ status, isUnknown }) => status >= 300 && !isUnknown)
  if (isRefused) return { ...outcomeOf(last), until: Math.max(...answers.map(({ at }) => at)), answers }
  const none = { outcome: 'unknown', until: Number.POSITIVE_INFINITY, records: [], unshown: [] } as const
  return { ...none, status: last?.status, code: last?.code, answers }
}

/** The token of the write that a text tells; empty if it tells none. */
export function tokenOf(text: string | null): string {
  return /^w\d+\.\d+\./.exec(text ?? '')?.[0] ?? ''
}

/** For messages. */
export function describe({ token, method, path, outcome, status, code, at, until }: Write): string {
  return `${method} ${path} (${token} ${outcome} ${status ?? ''} ${code ?? ''} ${at}–${until})`
}
