/** Has the browser save a text as a file. */
export function saveFile(name: string, type: string, ...parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
