import { describe, expect, it } from 'vitest'
import { type Mount, mountsOf } from '../../src/schema/mount.ts'
import type { RouteKind } from '../../src/schema/route-kind.ts'
import { type RouteSettings, routeSchema } from '../../src/schema/route-schema.ts'
import { library } from './library.ts'
import { kinds } from './routes.ts'
import { validatorOf } from './validator.ts'

const settings: RouteSettings = { defaultPage: 20, maxPage: 100, guarded: false }

/** A mount by its path of names, such as `book.chapters`. */
function mountAt(path: string): Mount {
  const found = mountsOf(library).find((mount) => routeSchema('list', mount, settings).operationId === `${path}.list`)
  if (found === undefined) throw new TypeError(`nothing at ${path}`)
  return found
}

const at = (path: string, kind: RouteKind, more: Partial<RouteSettings> = {}) =>
  routeSchema(kind, mountAt(path), { ...settings, ...more })
const statuses = (path: string, kind: RouteKind, more?: Partial<RouteSettings>) =>
  Object.keys(at(path, kind, more).response).map(Number)

describe('the name of an operation', () => {
  it('is the path of resource and relations, and the operation', () => {
    expect(at('book', 'list').operationId).toBe('book.list')
    expect(at('book.chapters', 'create').operationId).toBe('book.chapters.create')
    expect(at('book.chapters.picture', 'replaceWithId').operationId).toBe('book.chapters.picture.replaceWithId')
    expect(at('category.categories', 'findOne').operationId).toBe('category.categories.findOne')
    expect(at('person.homes', 'delete', { idPrefix: 'v1.' }).operationId).toBe('v1.person.homes.delete')
  })

  it('is given once', () => {
    const mounts = mountsOf(library)
    const ids = mounts.flatMap((mount) => kinds.map((kind) => routeSchema(kind, mount, settings).operationId))
    expect(new Set(ids).size).toBe(mounts.length * kinds.length)
  })

  it('is safe for generated code, whatever a relation is called', () => {
    const chapters = mountAt('book.chapters')
    const [owner] = chapters.owners
    if (owner === undefined) throw new TypeError('there is an owner')
    const odd = { ...owner, owns: { ...owner.owns, name: 'my.chapters' } }
    const mount = { ...chapters, owners: [odd] }
    expect(routeSchema('list', mount, settings).operationId).toBe('book.my-2e-chapters.list')
  })
})

describe('what an operation takes', () => {
  it('list: limit and offset, with the limits of the application', () => {
    expect(at('book', 'list', { defaultPage: 5, maxPage: 50 }).querystring).toMatchObject({
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 5 },
        offset: { type: 'integer', minimum: 0, default: 0 },
      },
      additionalProperties: false,
    })
    for (const kind of kinds.slice(1)) expect(at('book', kind)).not.toHaveProperty('querystring')
  })

  it('the ids in the path', () => {
    expect(at('book', 'list')).not.toHaveProperty('params')
    expect(at('book', 'replaceWithId')).not.toHaveProperty('params')
    expect(at('book', 'createWithId').params).toMatchObject({ required: ['id'] })
    expect(at('book.chapters', 'create').params).toMatchObject({ required: ['book_id'] })
    expect(at('book.chapters.notes', 'patch').params).toMatchObject({
      properties: {
        book_id: { type: 'integer', minimum: 1, description: "The book's id." },
        chapter_id: { type: 'integer', minimum: 1, description: "The chapter's id." },
        id: { type: 'integer', minimum: 1, description: "The note's id." },
      },
      required: ['book_id', 'chapter_id', 'id'],
    })
  })

  it('the body that belongs to it', () => {
    expect(at('book', 'create').body).toEqual({ $ref: 'book.create#' })
    expect(at('book', 'createWithId').body).toEqual({ $ref: 'book.create#' })
    expect(at('book', 'replace').body).toEqual({ $ref: 'book.replace#' })
    expect(at('book', 'replaceWithId').body).toEqual({ $ref: 'book.replaceWithId#' })
    expect(at('book.chapters', 'patch', { idPrefix: 'v1.' }).body).toEqual({ $ref: 'v1.chapter.patch#' })
    for (const kind of ['list', 'findOne', 'delete'] as const) expect(at('book', kind)).not.toHaveProperty('body')
  })
})

describe('what an operation answers', () => {
  it('each status that it can have', () => {
    expect(statuses('book', 'list')).toEqual([200, 400, 500, 503])
    expect(statuses('book.chapters', 'list')).toEqual([200, 400, 404, 500, 503])
    expect(statuses('book', 'findOne')).toEqual([200, 400, 404, 500, 503])
    expect(statuses('book', 'create')).toEqual([201, 400, 409, 413, 415, 500, 503])
    expect(statuses('book.chapters', 'createWithId')).toEqual([201, 400, 404, 409, 413, 415, 500, 503])
    for (const kind of ['replace', 'replaceWithId', 'patch'] as const) {
      expect(statuses('book', kind)).toEqual([200, 400, 404, 409, 413, 415, 500, 503])
    }
    expect(statuses('book', 'list', { guarded: true })).toEqual([200, 400, 403, 500, 503])
  })

  it('delete: 409, as a trigger can refuse it where nothing else does', () => {
    for (const path of ['book', 'book.contract', 'book.cover', 'series']) {
      expect(statuses(path, 'delete')).toEqual([204, 400, 404, 409, 500, 503])
    }
  })

  it('problems as application/problem+json, each with an example of its status', () => {
    const { response } = at('book', 'create', { guarded: true, idPrefix: 'v1.' })
    for (const status of [400, 403, 409, 413, 415, 500, 503]) {
      expect(response[status]).toMatchObject({
        content: { 'application/problem+json': { schema: { $ref: 'v1.problem#' }, example: { status } } },
      })
    }
    expect(response[503]).toHaveProperty('headers.Retry-After')
  })

  it('problems whose examples are problems', () => {
    const wrong = validatorOf(library)
    for (const kind of kinds) {
      for (const response of Object.values(at('book', kind, { guarded: true }).response)) {
        const problem = Object(response.content)['application/problem+json']
        if (problem !== undefined) expect(wrong('problem', problem.example)).toEqual([])
      }
    }
  })

  it('the record, the page, or nothing', () => {
    const json = ($ref: string) => ({ content: { 'application/json': { schema: { $ref } } } })
    expect(at('book', 'list').response[200]).toMatchObject(json('book.page#'))
    expect(at('book', 'findOne').response[200]).toMatchObject(json('book.record#'))
    expect(at('book', 'create').response[201]).toMatchObject(json('book.record#'))
    expect(at('book', 'create').response[201]).toHaveProperty('headers.Location')
    expect(at('book', 'patch').response[200]).toMatchObject(json('book.record#'))
    expect(at('book', 'delete').response[204]).toEqual({ type: 'null', description: 'The record is gone.' })
  })
})

describe('the words', () => {
  it('say what is done to what', () => {
    expect(at('book', 'list').summary).toBe('List book records')
    expect(at('book.chapters', 'create').summary).toBe('Create one chapter record of one book')
    expect(at('person.homes', 'patch').summary).toBe('Change one address record of one person (homes)')
    expect(at('book.chapters', 'list').tags).toEqual(['chapter'])
  })

  it('say what a delete does to related records', () => {
    expect(at('book', 'delete').description).toBe(
      'Deletes the record and everything that it owns, to any depth: `cover`, `contract`, `chapter`, `note`, `picture`. ' +
        'Refused with 409 as long as another record needs what is deleted, through `review.chapter`. ' +
        'Records that know what is deleted stay, with null: `book.sequel`. ' +
        'Records that know what is deleted stay, without it: `shelf.favourites`.',
    )
    expect(at('author', 'delete').description).toBe(
      'Deletes the record. ' +
        'Refused with 409 as long as another record needs the record, through `picture.artist`, `book.authors`.',
    )
    expect(at('category', 'delete').description).toBe(
      'Deletes the record and everything that it owns, to any depth: `category`.',
    )
    expect(at('review', 'delete').description).toBe('Deletes the record.')
    expect(at('book.contract', 'delete').description).toBe(
      'Deletes the record. Refused with 409: a book cannot be without it.',
    )
  })

  it('say what a write does to related records', () => {
    expect(at('book', 'create').description).toBe(
      'Creates the record together with what it owns: `cover`, `contract`, `chapters`. ' +
        'It must name the existing records that it needs: `publisher`, `authors`.',
    )
    expect(at('book.cover', 'createWithId').description).toBe(
      'Creates the record. Refused with 409 if the id is taken. Refused with 409 if the book has one already.',
    )
    expect(at('book', 'replace').description).toBe(
      'Sets the whole record: what is left out becomes its default or null, or the request is refused. ' +
        'The owned record keeps its id, and is created or removed as the body says: `cover`, `contract`. ' +
        'Owned records with `id` are set in full, those without are created, all others are removed: `chapters`. ' +
        'Exactly the listed records are associated from then on: `authors`, `tags`. ' +
        'Refused with 409 if it removes a record that is still needed through `review.chapter`.',
    )
    expect(at('book', 'patch').description).toBe(
      'Changes what the body lists and nothing else. ' +
        'The owned record is changed, or created if there is none: `cover`, `contract`. ' +
        'Owned records with `id` are changed, those without are added: `chapters`. ' +
        'Listed records are associated too: `authors`, `tags`.',
    )
  })

  it('say what a record shows', () => {
    expect(at('book', 'findOne').description).toBe(
      'Answers the record. Shows what the record owns in full: `cover`, `contract`, `chapters`. ' +
        'Of the records that it needs or knows, shows the id and plain fields: `publisher`, `series`, `sequel`, `authors`, `tags`.',
    )
    expect(at('author', 'list').description).toBe('Ordered by id.')
  })
})
