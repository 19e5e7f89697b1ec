/** What a path leads to, by its methods, and the texts in place of its parameters. */
export interface PathFound<Target> {
  readonly methods: ReadonlyMap<string, Target>
  /** Of a target, by the names of its parameters. */
  params(target: Target): Readonly<Record<string, string>>
}

/** Part of a table: what comes behind some segments. */
interface Branch<Target> {
  readonly named: Map<string, Branch<Target>>
  /** What comes behind any segment. */
  any: Branch<Target> | undefined
  readonly methods: Map<string, Target>
}

/**
 * The paths of a service, each with what its methods lead to. A segment that is written in the pattern of a path comes
 * before a parameter, as in Fastify's router.
 */
export class PathTable<Target extends object> {
  readonly #root = newBranch<Target>()
  readonly #params = new Map<Target, readonly string[]>()

  /** `pattern`: with parameters, such as `/book/:id`. */
  add(pattern: string, method: string, target: Target): void {
    const params: string[] = []
    let branch = this.#root
    for (const segment of segmentsOf(pattern)) {
      if (segment.startsWith(':')) {
        params.push(segment.slice(1))
        branch.any ??= newBranch()
        branch = branch.any
      } else {
        const next = branch.named.get(segment) ?? newBranch<Target>()
        branch.named.set(segment, next)
        branch = next
      }
    }
    branch.methods.set(method, target)
    this.#params.set(target, params)
  }

  /** Undefined where the service has no such path, and where it is no path. */
  find(path: string): PathFound<Target> | undefined {
    const segments = decoded(segmentsOf(path))
    const found = segments && find(this.#root, segments, [])
    if (found === undefined) return undefined
    const params = (target: Target) =>
      Object.fromEntries((this.#params.get(target) ?? []).map((name, index) => [name, found.texts[index] ?? '']))
    return { methods: found.branch.methods, params }
  }
}

function newBranch<Target>(): Branch<Target> {
  return { named: new Map(), any: undefined, methods: new Map() }
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1)
}

function decoded(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}

interface BranchFound<Target> {
  readonly branch: Branch<Target>
  readonly texts: readonly string[]
}

function find<Target>(
  branch: Branch<Target>,
  [segment, ...others]: readonly string[],
  texts: readonly string[],
): BranchFound<Target> | undefined {
  if (segment === undefined) return branch.methods.size === 0 ? undefined : { branch, texts }
  const named = branch.named.get(segment)
  const found = named && find(named, others, texts)
  if (found !== undefined || branch.any === undefined || segment === '') return found
  return find(branch.any, others, [...texts, segment])
}
