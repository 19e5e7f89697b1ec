import type { Command } from './commands.ts'
import { type Html, html } from './html.ts'

/** The command as it is typed into a shell. */
export function toCurl({ method, path, user, body }: Command, origin: string): string {
  const words = ['curl -i']
  if (method !== 'GET') words.push(`-X ${method}`)
  if (user !== undefined) words.push(`-H 'x-user: ${user}'`)
  if (body === undefined) return [...words, quote(origin + path)].join(' ')
  words.push(`-H 'content-type: application/json'`, quote(origin + path))
  return `${words.join(' ')} \\\n  -d ${quote(toJson(body))}`
}

/** Short bodies on one line, others with a line for each property. */
function toJson(body: object): string {
  const short = JSON.stringify(body)
  if (short.length < 90) return short
  const lines = Object.entries(body).map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n  }`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function commandRows(commands: readonly Command[], origin: string): Html[] {
  return commands.map(
    (command) => html`<figure>
      <figcaption><b>${command.method}</b> ${command.says}</figcaption>
      <pre tabindex="0"><code>${toCurl(command, origin)}</code></pre>
    </figure>`,
  )
}
