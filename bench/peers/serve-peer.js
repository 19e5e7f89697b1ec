// The process of one peer's service: `serve-peer.js <peer> <SQLite file>`. Ends with its parent, which it tells its port.
// Some look for their packages where the process is.
process.chdir(import.meta.dirname)
const [peer, file] = process.argv.slice(2)
const { start } = await import(`./servers/${peer}.js`)
const port = await start(file)

process.once('disconnect', () => process.exit())
process.on('message', tell)
tell()

function tell() {
  if (process.connected) process.send({ port, memory: process.memoryUsage() })
}
