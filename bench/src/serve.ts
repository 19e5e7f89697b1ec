/** The process of one service: `serve.ts <URL of its module> <file or URL of its database>`. It ends with its parent. */
import { fileURLToPath } from 'node:url'

const [module = '', location = ''] = process.argv.slice(2)
// SAP CAP looks for its packages where the process is.
process.chdir(fileURLToPath(new URL('.', module)))
const { start }: { start(location: string): Promise<number> } = await import(module)
const port = await start(location)
process.once('disconnect', () => process.exit())
process.send?.(port)
