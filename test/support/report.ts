/** Prints a line with what a test measured, for those who run it. */
export function report(line: string): void {
  process.stdout.write(`${line}\n`)
}
