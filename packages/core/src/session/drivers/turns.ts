import { CrudError, poolFull } from '../../errors.ts'

interface Waiting {
  readonly begin: () => void
}

/** Turns for work that may take long: so many at a time, and whoever has waited longest has the next one. */
export class Turns {
  #free: number
  readonly #patience: number
  readonly #waiting = new Set<Waiting>()

  /** @param most turns at a time. @param patience how long one is waited for, in ms; 0: for ever. */
  constructor(most: number, patience: number) {
    this.#free = most
    this.#patience = patience
  }

  /**
   * Resolves when it is the caller's turn. Whoever has had it must {@link give} it back. Rejects with the reason of a signal that is
   * aborted meanwhile, and with `CRUD_ERR_BUSY` if it takes too long: then there is no turn to give back.
   */
  take(signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
      }
      const giveUp = () => {
        leave()
        reject(new CrudError(poolFull()))
      }
      const waiting = {
        begin() {
          leave()
          resolve()
        },
      }
      const timer = this.#patience > 0 ? setTimeout(giveUp, this.#patience) : undefined
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.add(waiting)
    })
  }

  /** Does work in a turn, as soon as it has one. Rejects as {@link take} does, too. */
  async during<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
    await this.take(signal)
    try {
      return await work()
    } finally {
      this.give()
    }
  }

  give(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free += 1
    else next.begin()
  }
}
