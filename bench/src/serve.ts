/** The process of one service: `serve.ts <URL of its module> <file or URL of its database> [<its packages>]`. It ends with its parent. */
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const [module = '', location = '', packages] = process.argv.slice(2)
const bench = new URL('..', import.meta.url).href
if (packages !== undefined) {
  registerHooks({
    resolve(specifier, context, next) {
      const isPackage = /^[@\w][^:]*$/.test(specifier)
      return next(
        specifier,
        isPackage && context.parentURL?.startsWith(bench) ? { ...context, parentURL: packages } : context,
      )
    },
  })
}
// SAP CAP looks for its packages where the process is.
process.chdir(fileURLToPath(new URL('.', module)))
const { start }: { start(location: string): Promise<number> } = await import(module)
const port = await start(location)
process.once('disconnect', () => process.exit())
process.send?.(port)
