import type { FastifyReply } from 'fastify'

/** The client has closed its connection before it was answered. No answer can reach it. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'

  constructor() {
    super('the client has disconnected')
  }
}

/** A signal that is aborted, with a {@link ClientGoneError}, if the client goes away before it is answered. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort(new ClientGoneError())
  if (raw.destroyed) abort()
  else {
    raw.once('close', () => {
      if (!raw.writableFinished) abort()
    })
  }
  return controller.signal
}
