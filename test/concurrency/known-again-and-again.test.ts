import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { useServers } from '../support/servers.ts'
import { related } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('DELETE of a record while others keep taking it up (postgres)', () => {
  const servers = useServers(postgres, related)

  test('is done however often: knowers never refuse it', async () => {
    const { database } = servers.one
    const { id, things } = await servers.one.add('/api/box', { name: 'b', things: [{ name: 't' }] })
    const know = async () => {
      const writer = await otherWriter(database)
      await writer.run(`insert into fan (name, "thingId") values ('f', ${things[0].id})`)
      return writer
    }
    // Each one learns of the thing after the DELETE has let go of its knowers, and is done before the thing goes.
    let knower = await know()
    const removal = servers.atOnce(['DELETE', `/api/box/${id}`])
    let isDone = false
    const done = removal.then(() => {
      isDone = true
    })
    for (let times = 0; times < 3; times++) {
      await knower.untilAwaited()
      // The next try has to stop before it looks for knowers.
      const gate = await otherWriter(database)
      const locked = gate.run(`select 1 from box where id = ${id} for no key update`)
      await gate.untilWaits()
      await knower.end('commit')
      await locked
      // Where it comes before the gate once more, it is done by then: PostgreSQL does not keep to a queue.
      const awaited = gate.untilAwaited().catch(() => done)
      await Promise.race([awaited, done])
      if (!isDone) knower = await know()
      await gate.end('commit')
      if (isDone) {
        // It looks on a connection of its own, which may not be there when the database goes.
        await awaited
        break
      }
    }
    if (!isDone) {
      await knower.untilAwaited()
      await knower.end('commit')
    }
    const [answer] = await removal
    expect(answer?.status).toBe(204)
    const { rows } = await servers.one.read('/api/fan')
    expect(rows.length).toBeGreaterThan(0)
    for (const { thingId } of rows) expect(thingId).toBeNull()
  })
})
