import { type Connection, connect } from '../src/load/connect.ts'
import type { BenchAnswer, BenchRequest } from '../src/load/request.ts'

const children = [1, 2, 3, 4, 5].map((quantity) => ({ name: 'child', quantity }))

/** A record's life: created, read, listed, replaced, changed, deleted. As many records are there after it as before. */
const life: readonly ((id: number) => BenchRequest)[] = [
  () => ({ method: 'POST', path: '/api/parent', body: { name: 'mixed', quantity: 1, children } }),
  (id) => ({ method: 'GET', path: `/api/parent/${id}` }),
  () => ({ method: 'GET', path: '/api/parent?limit=20' }),
  (id) => ({ method: 'PUT', path: `/api/parent/${id}`, body: { name: 'mixed', quantity: 2, children } }),
  (id) => ({ method: 'PATCH', path: `/api/parent/${id}`, body: { quantity: 3 } }),
  (id) => ({ method: 'DELETE', path: `/api/parent/${id}` }),
]

/** Leads so many records through their lives on each connection; resolves to the number of requests. */
export async function askMixed(port: number, connections: number, lives: number): Promise<number> {
  await Promise.all(Array.from({ length: connections }, () => askOnOne(port, lives)))
  return connections * lives * life.length
}

function askOnOne(port: number, lives: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let connection: Connection | undefined
    let id = 0
    let asked = 0
    const ask = () => {
      const request = asked < lives * life.length ? life[asked % life.length]?.(id) : undefined
      if (request !== undefined) return connection?.send(request)
      connection?.close()
      resolve()
    }
    const onAnswer = ({ status, body }: BenchAnswer) => {
      if (status >= 300) return reject(new Error(`answered ${status}: ${body}`))
      if (status === 201) id = Number(JSON.parse(body).id)
      asked += 1
      ask()
    }
    connect(port, onAnswer, reject).then((connected) => {
      connection = connected
      ask()
    }, reject)
  })
}
