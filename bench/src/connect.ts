import { once } from 'node:events'
import { createConnection } from 'node:net'
import { AUTHORIZATION } from '../sides/access.ts'
import type { BenchRequest } from './works.ts'

export type Connection = Awaited<ReturnType<typeof connect>>

/**
 * Opens a connection to a service on this machine, for one request at a time. Clients that know all of HTTP take longer for a
 * request than the faster services for their answer, so this one reads a status and a length only, and takes all for ASCII.
 */
export async function connect(port: number) {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<{ status: number; body: string }> | undefined
  socket.on('data', (chunk) => {
    received += chunk
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const status = Number(received.slice(9, 12))
    const length = status === 204 ? '0' : /\r\ncontent-length: (\d+)/i.exec(received)?.[1]
    if (length === undefined) return waiting?.reject(new Error(`an answer without a length: ${received}`))
    const body = received.slice(headEnd + 4)
    if (body.length < Number(length)) return
    received = ''
    waiting?.resolve({ status, body })
  })
  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the service closed the connection')))
  return {
    ask({ method, path, body }: BenchRequest) {
      waiting = Promise.withResolvers()
      const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${AUTHORIZATION}\r\n`
      const text = JSON.stringify(body) ?? ''
      const headOfBody = text && `content-type: application/json\r\ncontent-length: ${text.length}\r\n`
      socket.write(`${head}${headOfBody}\r\n${text}`, 'latin1')
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}
