import { checkTables, introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useDatabase } from '../use-database.ts'

describeOnBoth('introspect', (setup) => {
  const database = useDatabase(setup)
  const id = setup.name === 'postgres' ? 'id bigserial primary key' : 'id integer primary key autoincrement'
  const key = setup.name === 'postgres' ? 'bigint' : 'integer'

  async function relationsOf(...statements: readonly string[]): Promise<Record<string, unknown>> {
    for (const statement of statements) await sql.raw(statement).execute(database().db)
    const { resources } = await introspect(database().db)
    return Object.fromEntries(
      Object.entries(resources.descriptors).map(([name, { relations = {} }]) => [
        name,
        Object.fromEntries(
          Object.entries(relations).map(([relation, { relation: kind, target }]) => [relation, `${kind} ${target}`]),
        ),
      ]),
    )
  }

  test('makes the only cascading foreign key an owner, if it is never null', async () => {
    const relations = await relationsOf(
      `create table post (${id})`,
      `create table comment (${id}, post_id ${key} not null references post (id) on delete cascade)`,
      `create table cover (${id}, post_id ${key} not null unique references post (id) on delete cascade)`,
      `create table draft (${id}, post_id ${key} references post (id) on delete cascade)`,
    )
    expect(relations).toEqual({
      post: { comment: 'owns.many comment', cover: 'owns.one cover', draft: 'neededBy.many draft' },
      comment: { post: 'ownedBy post' },
      cover: { post: 'ownedBy post' },
      draft: { post: 'needs.one post' },
    })
  })

  test('makes several cascading foreign keys needs, as none of them is the owner', async () => {
    const relations = await relationsOf(
      `create table person (${id})`,
      `create table team (${id})`,
      `create table member (${id}, person_id ${key} not null references person (id) on delete cascade, team_id ${key} not null references team (id) on delete cascade)`,
    )
    expect(relations.member).toEqual({ person: 'needs.one person', team: 'needs.one team' })
  })

  test('makes a foreign key to the own table a tree if it cascades, else knows', async () => {
    const relations = await relationsOf(
      `create table folder (${id}, parent_id ${key} references folder (id) on delete cascade)`,
      `create table person (${id}, "managerId" ${key} references person (id))`,
    )
    expect(relations).toEqual({
      folder: { parent: 'ownedBy folder', folder: 'owns.many folder' },
      person: { manager: 'knows.one person' },
    })
  })

  test('makes set null a knows, and all else a need', async () => {
    const relations = await relationsOf(
      `create table label (${id})`,
      `create table song (${id}, a_id ${key} references label (id) on delete set null, b_id ${key} references label (id) on delete restrict, c_id ${key} not null references label (id))`,
    )
    expect(relations).toEqual({
      label: { song_b: 'neededBy.many song', song_c: 'neededBy.many song' },
      song: { a: 'knows.one label', b: 'needs.one label', c: 'needs.one label' },
    })
  })

  test('makes a cascading foreign key to the own table a need, where another table owns the rows', async () => {
    const relations = await relationsOf(
      `create table post (${id})`,
      `create table reply (${id}, post_id ${key} not null references post (id) on delete cascade, to_id ${key} references reply (id) on delete cascade)`,
    )
    expect(relations.reply).toMatchObject({ to: 'needs.one reply' })
  })

  test('calls a relation as its column without the end, or with Record behind it', async () => {
    const relations = await relationsOf(
      `create table shop (${id})`,
      `create table sale (${id}, shopid ${key} not null references shop (id), "ownerID" ${key} not null references shop (id), via ${key} not null references shop (id), old_id ${key} not null references shop (id), old text)`,
    )
    expect(Object.keys(relations.sale as object)).toEqual(['shop', 'owner', 'viaRecord', 'oldRecord'])
  })

  test('makes a pair of foreign keys links of both sides, also beside an id', async () => {
    const relations = await relationsOf(
      `create table person (${id})`,
      `create table team (${id})`,
      `create table member (person_id ${key} not null references person (id), team_id ${key} not null references team (id), since text default 'now', primary key (person_id, team_id))`,
      `create table fan (${id}, person_id ${key} not null references person (id), team_id ${key} not null references team (id), unique (person_id, team_id))`,
    )
    expect(relations).toEqual({
      person: { team_fan: 'knows.many team', team_member: 'knows.many team' },
      team: { person_fan: 'knows.many person', person_member: 'knows.many person' },
    })
  })

  test('makes a pair of foreign keys with values of its own a record that the first one owns', async () => {
    const relations = await relationsOf(
      `create table sale (${id})`,
      `create table product (${id})`,
      `create table line (sale_id ${key} not null references sale (id), product_id ${key} not null references product (id), amount integer not null, primary key (sale_id, product_id))`,
    )
    expect(relations).toEqual({
      sale: { line: 'owns.many line' },
      product: { line: 'neededBy.many line' },
      line: { sale: 'ownedBy sale', product: 'needs.one product' },
    })
  })

  test('makes one foreign key of a circle a plain field, and says so', async () => {
    const statements =
      setup.name === 'postgres'
        ? [
            `create table egg (${id}, hen_id ${key} not null)`,
            `create table hen (${id}, egg_id ${key} not null references egg (id))`,
            'alter table egg add foreign key (hen_id) references hen (id)',
          ]
        : [
            `create table egg (${id}, hen_id ${key} not null references hen (id))`,
            `create table hen (${id}, egg_id ${key} not null references egg (id))`,
          ]
    const relations = await relationsOf(...statements)
    expect(relations).toEqual({ egg: { hen: 'neededBy.many hen' }, hen: { egg: 'needs.one egg' } })
    const { source } = await introspect(database().db)
    expect(source).toContain(
      'hen_id: Type.Integer(), // a foreign key to hen, but no relation, because a first egg can never be inserted',
    )
  })

  test('makes the columns of a foreign key of several columns plain fields', async () => {
    const relations = await relationsOf(
      'create table seat (line integer not null, letter text not null, primary key (line, letter))',
      `create table ticket (${id}, line integer, letter text, foreign key (line, letter) references seat (line, letter))`,
    )
    expect(relations).toEqual({ seat: {}, ticket: {} })
    const { resources } = await introspect(database().db)
    expect(Object.keys(resources.descriptors.ticket?.fields ?? {})).toEqual(['line', 'letter'])
  })

  test('describes only the tables that are asked for; foreign keys to others are plain fields', async () => {
    await relationsOf(`create table a (${id})`, `create table b (${id}, a_id ${key} not null references a (id))`)
    const { resources, tables } = await introspect(database().db, { only: ['b'] })
    expect([...tables]).toEqual([['b', { resource: 'b' }]])
    expect(Object.keys(resources.descriptors.b?.fields ?? {})).toEqual(['a_id'])
  })

  test('names a table that is not there', async () => {
    await relationsOf(`create table album (${id})`)
    await expect(introspect(database().db, { only: ['albun'] })).rejects.toThrow(
      "introspect: there is no table 'albun'; did you mean 'album'?",
    )
  })

  test('keeps a column whose rows do not fit it, with a comment', async () => {
    const json = setup.name === 'postgres' ? 'text' : 'json'
    const value = setup.name === 'postgres' ? "'infinity'" : "'no date'"
    const type = setup.name === 'postgres' ? 'timestamptz' : 'datetime'
    await relationsOf(
      `create table log (${id}, at ${type} not null, data ${json})`,
      `insert into log (at) values (${value})`,
    )
    const { source } = await introspect(database().db)
    expect(source).toMatch(/ at: Type\.String\(.*\/\/ column log\.at holds values that do not fit/)
  })

  test('hides texts whose names say that they are secrets, and no others', async () => {
    const secrets = ['password', 'apiKey', 'reset_token', 'passwordHash', 'salt']
    const others = ['hashtag', 'secretary', 'tokens_used', 'passport', 'key']
    await relationsOf(
      `create table account (${id}, ${[...secrets, ...others].map((one) => `"${one}" text`).join(', ')}, token integer)`,
    )
    const { resources } = await introspect(database().db)
    const fields = Object.entries(resources.descriptors.account?.fields ?? {})
    expect(fields.filter(([, field]) => (field as { writeOnly?: boolean }).writeOnly).map(([name]) => name)).toEqual(
      secrets,
    )
  })

  test('refuses a database without a table that can be described, and says why each cannot', async () => {
    await expect(introspect(database().db)).rejects.toThrow('introspect: there is no table that can be described')
    await sql.raw('create table sessions (id text primary key not null)').execute(database().db)
    await expect(introspect(database().db)).rejects.toThrow('sessions: it looks like a table of sessions')
  })

  test('says what an owned resource is, and of a foreign key to the own table what a DELETE does', async () => {
    await relationsOf(
      `create table post (${id}, old_id ${key} references post (id))`,
      `create table reply (${id}, post_id ${key} not null references post (id) on delete cascade)`,
    )
    const { source } = await introspect(database().db)
    expect(source).toMatch(/post: ownedBy\(.*\/\/ it is a part of that record/)
    expect(source).toMatch(
      /old: knows\.one\(.*\/\/ the database would refuse a DELETE of the other record; here it clears this/,
    )
  })

  test('keeps bytes out of the records that show a record', async () => {
    await relationsOf(`create table photo (${id}, data ${setup.name === 'postgres' ? 'bytea' : 'blob'} not null)`)
    const { source } = await introspect(database().db)
    expect(source).toContain("data: field(Type.String({ contentEncoding: 'base64' }), { summary: false }),")
  })

  if (setup.name === 'postgres') {
    test('names the schema of tables in messages, and says that a foreign key leads out of it', async () => {
      const { db } = database()
      await relationsOf(
        'create schema billing',
        `create table person (${id})`,
        `create table billing.bill (${id}, person_id ${key} not null references person (id))`,
        `create table billing.line (${id}, bill_id ${key} not null references billing.bill (id))`,
      )
      const { source, resources } = await introspect(db, { schema: 'billing' })
      expect(source).toContain('a foreign key to person, but no relation, because that table is not described here')
      expect((await checkTables(db, resources)).map(({ message }) => message)).toEqual([
        'billing.line.bill_id has no index: reads of related records and deletes read the whole table: CREATE INDEX "line_bill_id_idx" ON "billing"."line" ("bill_id")',
      ])
    })
  }
})
