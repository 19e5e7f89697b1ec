/** A value as `JSON.stringify` writes it, however deep it is. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // It needs a deeper stack for a deeper value.
    if (error instanceof RangeError) return deepText(value)
    throw error
  }
}

/** An array or object whose text is begun. */
interface Open {
  readonly container: object
  readonly parts: readonly Part[]
  next: number
}

interface Part {
  /** `"name":`, or nothing in an array. */
  readonly label: string
  readonly value: unknown
}

function deepText(root: unknown): string {
  const open: Open[] = []
  const containers = new Set<object>()
  let text = ''
  const begin = (value: unknown): void => {
    if (!isContainer(value)) {
      text += JSON.stringify(value)
      return
    }
    if (containers.has(value)) throw new TypeError('a value that contains itself has no JSON')
    containers.add(value)
    open.push({ container: value, parts: partsOf(value), next: 0 })
    text += Array.isArray(value) ? '[' : '{'
  }
  begin(replaced(root, ''))
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const part = last.parts[last.next]
    if (part === undefined) {
      text += Array.isArray(last.container) ? ']' : '}'
      containers.delete(last.container)
      open.pop()
    } else {
      text += last.next === 0 ? part.label : `,${part.label}`
      last.next += 1
      begin(part.value)
    }
  }
  return text
}

function partsOf(container: object): Part[] {
  if (Array.isArray(container)) {
    return Array.from(container, (element, index) => {
      const value = replaced(element, String(index))
      return { label: '', value: isLeftOut(value) ? null : value }
    })
  }
  return Object.entries(container)
    .map(([name, value]) => ({ label: `${JSON.stringify(name)}:`, value: replaced(value, name) }))
    .filter(({ value }) => !isLeftOut(value))
}

function replaced(value: unknown, name: string): unknown {
  const mayBe = (typeof value === 'object' && value !== null) || typeof value === 'bigint'
  return mayBe && 'toJSON' in Object(value) ? Object(value).toJSON(name) : value
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if ((JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value)) return false
  return !(value instanceof Number || value instanceof String || value instanceof Boolean)
}
