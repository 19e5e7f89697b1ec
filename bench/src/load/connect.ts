import { createConnection } from 'node:net'
import { AUTHORIZATION } from '../servers/access.ts'
import type { BenchAnswer, BenchRequest } from './request.ts'

/** One connection that is kept, with one request on it at a time. */
export interface Connection {
  send(request: BenchRequest): void
  close(): void
}

/**
 * Connects to a service on this machine. A client of its own, as what is measured is the server: it reads no more of
 * an answer than its status and length. All is ASCII.
 */
export function connect(
  port: number,
  onAnswer: (answer: BenchAnswer) => void,
  onError: (error: Error) => void,
): Promise<Connection> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  socket.setEncoding('latin1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = received.slice(0, headEnd)
    const status = Number(head.slice(9, 12))
    const length = status === 204 ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    if (length === undefined) return onError(new Error(`an answer without a length: ${head}`))
    const body = received.slice(headEnd + 4)
    if (body.length < Number(length)) return
    received = ''
    onAnswer({ status, body })
  })
  return new Promise((resolve, reject) => {
    let isClosed = false
    socket.once('error', (error) => {
      reject(error)
      onError(error)
    })
    socket.once('close', () => {
      if (!isClosed) onError(new Error('the server closed the connection'))
    })
    socket.once('connect', () =>
      resolve({
        send: (request) => socket.write(messageOf(request), 'latin1'),
        close() {
          isClosed = true
          socket.destroy()
        },
      }),
    )
  })
}

function messageOf({ method, path, body }: BenchRequest): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${AUTHORIZATION}\r\n`
  if (body === undefined) return `${head}\r\n`
  const text = JSON.stringify(body)
  return `${head}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}
