import { Duplex } from 'node:stream'
import { commandOf } from './command-of.ts'
import * as wire from './wire.ts'

/** What the server does when a statement is executed: it writes messages, says nothing more, or hangs up. */
type Act = Buffer | 'silence' | 'hang up'

export interface Answer {
  readonly columns: readonly wire.WireColumn[]
  readonly acts: readonly Act[]
  readonly fails?: boolean
  /** The error comes with Sync, as that of a deferred constraint does. */
  readonly failsAtSync?: string
}

const TEXT = 25

/** One column of text, with these values. */
export function rows(...values: readonly (string | null)[]): Answer {
  const columns = [{ name: 'value', type: TEXT }]
  return table(columns, ...values.map((value) => [value]))
}

export function table(columns: readonly wire.WireColumn[], ...values: readonly (readonly (string | null)[])[]): Answer {
  return { columns, acts: [...values.map(wire.dataRow), wire.commandComplete(`SELECT ${values.length}`)] }
}

export function done(tag: string): Answer {
  return { columns: [], acts: [wire.commandComplete(tag)] }
}

export function refusal(code: string, severity = 'ERROR'): Answer {
  return { columns: [], acts: [wire.errorResponse(code, severity)], fails: true }
}

const BOUNDARIES: Readonly<Record<string, Answer>> = {
  begin: done('BEGIN'),
  commit: done('COMMIT'),
  rollback: done('ROLLBACK'),
}

/**
 * The socket of a PostgreSQL server that answers each text by a script, and otherwise keeps to the protocol: it keeps prepared
 * statements, knows whether a transaction is open, and after an error it skips everything until Sync.
 */
export class ScriptedServer extends Duplex {
  /** The client's messages, each up to its Sync or simple query: the commands in it. */
  readonly messages: string[][] = []
  /** How many times something was written to the socket. */
  writes = 0
  /** The texts of the statements that it keeps, by name. */
  readonly prepared: Map<string, string> = new Map()
  /** The largest piece in which it sends its answers, in bytes. */
  pieceSize: number = Number.POSITIVE_INFINITY
  /** It answers nothing until it is told to {@link resumeAnswers}. */
  isHoldingBack = false
  readonly #script: Map<string, Answer>
  #received: Buffer = Buffer.alloc(0)
  #hasStarted = false
  readonly #commands: string[] = []
  #answers: Buffer[] = []
  #status = 'I'
  #isSkipping = false
  #isSilent = false
  #bound = ''
  #errorAtSync: string | undefined

  constructor(script: Readonly<Record<string, Answer>>) {
    super()
    this.#script = new Map(Object.entries({ ...BOUNDARIES, ...script }))
  }

  /** From now on, the text has another answer. */
  answer(text: string, answer: Answer): void {
    this.#script.set(text, answer)
  }

  resumeAnswers(): void {
    this.isHoldingBack = false
    this.#flush()
  }

  /** The methods of a socket that `pg` calls. */
  connect(): this {
    setImmediate(() => this.emit('connect'))
    return this
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, then: () => void): void {
    this.writes += 1
    this.#receive(chunk)
    then()
  }

  override _writev(chunks: { readonly chunk: Buffer }[], then: () => void): void {
    this.writes += 1
    this.#receive(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    then()
  }

  #receive(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk])
    for (;;) {
      const header = this.#hasStarted ? 1 : 0
      if (this.#received.length < header + 4) return
      const end = header + this.#received.readInt32BE(header)
      if (this.#received.length < end) return
      const type = this.#hasStarted ? this.#received.toString('latin1', 0, 1) : 'startup'
      const body = this.#received.subarray(header + 4, end)
      this.#received = this.#received.subarray(end)
      this.#handle(type, body)
    }
  }

  #handle(type: string, body: Buffer): void {
    if (type === 'X') {
      this.destroy()
      return
    }
    if (type === 'startup') {
      this.#hasStarted = true
      this.#answers.push(wire.AUTHENTICATION_OK, wire.readyForQuery('I'))
      this.#flush()
      return
    }
    const [first = '', second = ''] = body.toString().split('\0')
    this.#commands.push(commandOf(type, body))
    if (!this.#isSilent && (!this.#isSkipping || type === 'S')) this.#run(type, first, second)
    if (type === 'S' || type === 'Q') this.#endMessage()
  }

  #run(type: string, first: string, second: string): void {
    if (type === 'P') {
      this.prepared.set(first, second)
      this.#answers.push(wire.PARSE_COMPLETE)
    } else if (type === 'B') {
      const bound = this.prepared.get(second)
      if (bound === undefined) {
        this.#answers.push(wire.errorResponse('26000'))
        this.#skip()
      } else {
        this.#bound = bound
        this.#answers.push(wire.BIND_COMPLETE)
      }
    } else if (type === 'D') {
      const { columns } = this.#answerOf(this.#bound)
      this.#answers.push(columns.length === 0 ? wire.NO_DATA : wire.rowDescription(columns))
    } else if (type === 'E') {
      this.#execute(this.#bound)
    } else if (type === 'C') {
      this.prepared.delete(first.slice(1))
      this.#answers.push(wire.CLOSE_COMPLETE)
    } else if (type === 'Q') {
      this.#answers.push(wire.rowDescription(this.#answerOf(first).columns))
      this.#execute(first)
    }
  }

  #answerOf(text: string): Answer {
    const answer = this.#script.get(text)
    if (answer === undefined) throw new Error(`the script has no answer to: ${text}`)
    return answer
  }

  #execute(text: string): void {
    const { acts, fails, failsAtSync } = this.#answerOf(text)
    for (const act of acts) {
      if (typeof act !== 'string') this.#answers.push(act)
      else this.#stop(act)
    }
    if (fails === true) this.#skip()
    else if (text === 'begin') this.#status = 'T'
    else if (text === 'commit' || text === 'rollback') this.#status = 'I'
    this.#errorAtSync = failsAtSync
  }

  #stop(act: 'silence' | 'hang up'): void {
    this.#flush()
    this.#isSilent = true
    if (act === 'hang up') setImmediate(() => this.destroy())
  }

  #skip(): void {
    this.#isSkipping = true
    if (this.#status === 'T') this.#status = 'E'
  }

  #endMessage(): void {
    this.messages.push(this.#commands.splice(0))
    if (this.#isSilent) return
    if (this.#errorAtSync !== undefined) this.#answers.push(wire.errorResponse(this.#errorAtSync))
    this.#errorAtSync = undefined
    this.#isSkipping = false
    this.#answers.push(wire.readyForQuery(this.#status))
    this.#flush()
  }

  #flush(): void {
    if (this.isHoldingBack) return
    const bytes = Buffer.concat(this.#answers)
    this.#answers = []
    // As on a network, no answer comes while the client still writes.
    setImmediate(() => {
      for (let start = 0; start < bytes.length; start += this.pieceSize) {
        this.push(bytes.subarray(start, Math.min(bytes.length, start + this.pieceSize)))
      }
    })
  }
}
