import { audit, type Rule, type Rules, set } from 'fastify-crud'
import { sql } from 'kysely'
import type { TestKysely } from '../support/tables.ts'
import { stormModel } from './storm-model.ts'

type Model = typeof stormModel

/** What `afterCommit` is told. */
export type Committed = Parameters<NonNullable<Rule['afterCommit']>>[0]

/** So few that the storm meets all of these limits. */
const MOST_TRACKS = 12
const MOST_BELOW = 5
const MOST_BANDS_IN_CITY = 2

const writer = set({ writer: ({ caller }) => caller.token as string }, { on: 'change' })

/** An action writes the sales. */
const RULED = [...stormModel.resources.keys()].filter((key) => key !== 'sale')

/** An audit of all resources that clients write, a value that rules give, limits of trees, and one of records that do not belong together. */
export function stormRules(afterCommit: (resource: string, committed: Committed) => unknown): Rules<Model> {
  const always = (resource: string) => [audit('audit'), { afterCommit: (one: Committed) => afterCommit(resource, one) }]
  const common = Object.fromEntries(RULED.map((key) => [key, always(key)]))
  const rules: Rules<Model> = {
    band: [
      writer,
      {
        async validate({ before, after, db, lock, refuse }) {
          if (after === null || before !== null) return
          await lock('city', [after.cityId])
          const bands = await db.selectFrom('band').select('id').where('cityId', '=', after.cityId).execute()
          if (bands.length >= MOST_BANDS_IN_CITY) refuse('the city has bands enough')
        },
      },
      {
        invariant: {
          reads: ['albums.tracks.position'],
          test({ after, refuse }) {
            const tracks = after.albums.flatMap((album) => album.tracks)
            if (tracks.length > MOST_TRACKS) refuse('the band has tracks enough')
          },
        },
      },
    ],
    album: writer,
    track: writer,
    review: writer,
    folder: [
      writer,
      {
        invariant: {
          reads: ['folders.folders.name'],
          test({ after, refuse }) {
            const below = after.folders.flatMap((folder) => [folder, ...folder.folders])
            if (below.length > MOST_BELOW) refuse('there are folders enough below')
          },
        },
      },
    ],
  }
  return Object.fromEntries(
    Object.entries(common).map(([key, some]) => [key, [rules[key as keyof Model['descriptors']] ?? [], some].flat()]),
  ) as Rules<Model>
}

/** Which limits of the rules do not hold. */
export async function checkLimits(db: TestKysely): Promise<string[]> {
  const broken = {
    'tracks of a band': sql`select a."bandId" from track t join album a on a.id = t."albumId"
      group by a."bandId" having count(*) > ${MOST_TRACKS}`,
    'bands of a city': sql`select "cityId" from band group by "cityId" having count(*) > ${MOST_BANDS_IN_CITY}`,
    'folders below one': sql`select f.id from folder f
      join folder below on below."parentId" = f.id
        or below."parentId" in (select id from folder where "parentId" = f.id)
      group by f.id having count(*) > ${MOST_BELOW}`,
  }
  const found: string[] = []
  for (const [what, query] of Object.entries(broken)) {
    const { rows } = await query.execute(db)
    if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows)}`)
  }
  return found
}
