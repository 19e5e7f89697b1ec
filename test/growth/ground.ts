import type { TestApp } from '../support/app.ts'

/** The records that bands are related to. */
export interface Ground {
  readonly cities: readonly { id: number }[]
  readonly genres: readonly { id: number }[]
  /** The body of a band without albums, with a manager and a van of its own. */
  body(name: string): object
}

/** Adds what bands of the festival need and know. */
export async function addFestival(service: TestApp): Promise<Ground> {
  const add = async (resource: string, count: number) => {
    const added: { id: number }[] = []
    for (let n = 0; n < count; n++) {
      added.push({ id: (await service.add(`/api/${resource}`, { name: `${resource} ${n}` })).id })
    }
    return added
  }
  const [cities, genres, sponsors] = [await add('city', 2), await add('genre', 3), await add('sponsor', 2)]
  const [managers, vans] = [await add('manager', 10), await add('van', 10)]
  return {
    cities,
    genres,
    body(name) {
      const [manager, van] = [managers.pop(), vans.pop()]
      return {
        name,
        cityId: cities[0]?.id,
        managerId: manager?.id,
        sponsors,
        vans: [van],
        genres,
        page: { url: name },
        homes: [{ street: name }],
        offices: [{ street: name }],
      }
    },
  }
}

/** So many albums, each with a cover and two tracks that know genres. */
export function albumsOf(n: number, { cities, genres }: Ground): object[] {
  return Array.from({ length: n }, (_, rank) => ({
    title: `album ${rank}`,
    rank,
    cover: { color: 'red' },
    recordedInId: cities[0]?.id,
    tracks: [1, 2].map((position) => ({
      title: `track ${position}`,
      position,
      studioId: cities[0]?.id,
      genres: genres.slice(1),
    })),
  }))
}
