import { runCli } from './run-cli.ts'

const code = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  folder: process.cwd(),
})

// What the module of the descriptors has started, such as a server, must not keep the command from ending.
process.stdout.write('', () => process.exit(code))
