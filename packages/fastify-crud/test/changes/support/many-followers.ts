/** `many-followers.ts <url> <count>`: opens so many streams, says when all are open, and keeps them until it is told to end. */
import { request } from 'node:http'

const [url = '', count] = process.argv.slice(2)
const all = Number(count)
let open = 0

// Who has started it may end first.
process.on('disconnect', () => process.exit(0))

function next(): void {
  const sent = request(url, { agent: false })
  sent.on('response', (answer) => {
    answer.resume()
    open += 1
    if (open === all) process.send?.('open')
  })
  sent.on('error', (error) => {
    process.send?.(String(error))
    process.exit(1)
  })
  sent.end()
}

// Not all at once: the queue of a server that listens is bounded.
let begun = 0
const timer = setInterval(() => {
  for (let each = 0; each < 50 && begun < all; each += 1) {
    begun += 1
    next()
  }
  if (begun === all) clearInterval(timer)
}, 10)
