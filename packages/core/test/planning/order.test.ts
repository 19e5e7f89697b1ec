import { describe, expect, test } from 'vitest'
import { inLines } from './library.ts'
import { first, leaf, model, root, second, section, site, third } from './site.ts'
import { undisturbed } from './undisturbed.ts'

const [, imageB, imageC] = site.images

const put = (body: object) => inLines(undisturbed('replace', model, 'site', { record: site }, { ...site, ...body }))
const patch = (body: object) => inLines(undisturbed('patch', model, 'site', { record: site }, body))
const putNode = (body: object) => inLines(undisturbed('replace', model, 'node', { record: root }, { ...root, ...body }))

describe('POST', () => {
  test('owners come before what they own, records before their links', () => {
    const body = {
      name: 'new',
      regionId: 2,
      editors: [{ id: 4 }],
      homeId: 11,
      tags: [{ id: 6 }, { id: 7 }],
      banner: { text: 'b' },
      images: [{ file: 'd' }],
      pages: [
        {
          title: 'p',
          slot: 1,
          heroId: 21,
          related: [{ id: 12 }],
          sections: [{ text: 's', imageId: 21, images: [{ id: 22 }] }],
        },
        { title: 'q', nextId: 11 },
      ],
    }
    expect(inLines(undisturbed('create', model, 'site', {}, body))).toMatchInlineSnapshot(`
      [
        "insert site {"new":0} {"name":"new","regionId":2,"mirrorId":null,"homeId":11}",
        "insert banner {"new":5} {"siteId":{"new":0},"text":"b"}",
        "insert image {"new":4} {"siteId":{"new":0},"file":"d"}",
        "insert page {"new":1} {"siteId":{"new":0},"title":"p","slot":1,"heroId":21,"nextId":null}; {"new":3} {"siteId":{"new":0},"title":"q","slot":null,"heroId":null,"nextId":11}",
        "insert section {"new":2} {"pageId":{"new":1},"text":"s","imageId":21}",
        "link section.images {"new":2}-22",
        "link page.related {"new":1}-12",
        "link site.editors {"new":0}-4",
        "link site.tags {"new":0}-6; {"new":0}-7",
      ]
    `)
  })

  test('what a record of a chosen id owns names that id', () => {
    const body = { name: 'new', regionId: 2, editors: [{ id: 4 }], images: [{ file: 'd' }] }
    expect(inLines(undisturbed('create', model, 'site', { id: 9 }, body))).toMatchInlineSnapshot(`
      [
        "insert site 9 {"name":"new","regionId":2,"mirrorId":null,"homeId":null}",
        "insert image {"new":1} {"siteId":9,"file":"d"}",
        "link site.editors 9-4",
      ]
    `)
  })

  test('the records of a tree come in one step, each after its parent', () => {
    const body = {
      name: 'a',
      nodes: [
        { name: 'b', nodes: [{ name: 'c' }] },
        { name: 'd', rank: 1 },
      ],
    }
    expect(inLines(undisturbed('create', model, 'node', {}, body))).toMatchInlineSnapshot(`
      [
        "insert node {"new":0} {"parentId":null,"name":"a","rank":null}; {"new":1} {"parentId":{"new":0},"name":"b","rank":null}; {"new":2} {"parentId":{"new":1},"name":"c","rank":null}; {"new":3} {"parentId":{"new":0},"name":"d","rank":1}",
      ]
    `)
  })
})

describe('PUT', () => {
  test('of what is there has no steps', () => {
    expect(put({})).toEqual([])
    expect(putNode({})).toEqual([])
  })

  test('of everything else: links go, records go, rows are updated, records and links are added', () => {
    const body = {
      name: 'renamed',
      regionId: 8,
      mirrorId: null,
      editors: [{ id: 5 }, { id: 9 }],
      homeId: null,
      tags: [{ id: 7 }],
      banner: null,
      images: [imageB, imageC, { file: 'd' }],
      pages: [
        { ...second, heroId: 23, related: [{ id: 12 }], sections: [{ text: 't', imageId: 22, images: [{ id: 23 }] }] },
        { title: 'new', slot: 1 },
      ],
    }
    expect(put(body)).toMatchInlineSnapshot(`
      [
        "unlink site.editors 1-4",
        "unlink site.tags 1-6",
        "unlinkAll page.related from 11,13",
        "unlinkAll page.related to 11,13",
        "unlinkAll section.images from 31",
        "clear site.home 11,13",
        "clear page.next 11,13",
        "release page.hero 11,13",
        "delete section 31",
        "delete banner 7",
        "delete image 21",
        "delete page 11,13",
        "update site 1 {"name":"renamed","regionId":8,"mirrorId":null,"homeId":null}",
        "update page 12 {"heroId":23}",
        "insert image {"new":2} {"siteId":1,"file":"d"}",
        "insert page {"new":1} {"siteId":1,"title":"new","slot":1,"heroId":null,"nextId":null}",
        "insert section {"new":0} {"pageId":12,"text":"t","imageId":22}",
        "link section.images {"new":0}-23",
        "link page.related 12-12",
        "link site.editors 1-9",
        "link site.tags 1-7",
      ]
    `)
  })

  test('foreign keys turn to another record before the one that they need goes', () => {
    const turned = { ...first, heroId: 23, sections: [{ ...section, imageId: 23, images: [{ id: 22 }] }] }
    expect(put({ pages: [turned, second, third], images: [imageB, imageC] })).toMatchInlineSnapshot(`
      [
        "unlink section.images 31-21",
        "release page.hero 11",
        "update section 31 {"imageId":23}",
        "delete image 21",
        "update page 11 {"heroId":23}",
      ]
    `)
  })
})

describe('PATCH', () => {
  test('adds children and associations at every depth', () => {
    const body = {
      editors: [{ id: 9 }],
      tags: [{ id: 6 }, { id: 7 }],
      pages: [
        {
          id: 11,
          sections: [
            { id: 31, images: [{ id: 23 }] },
            { text: 't', imageId: 22, images: [{ id: 22 }] },
          ],
        },
        { title: 'new', related: [{ id: 11 }] },
      ],
    }
    expect(patch(body)).toMatchInlineSnapshot(`
      [
        "insert page {"new":1} {"siteId":1,"title":"new","slot":null,"heroId":null,"nextId":null}",
        "insert section {"new":0} {"pageId":11,"text":"t","imageId":22}",
        "link section.images 31-23; {"new":0}-22",
        "link page.related {"new":1}-11",
        "link site.editors 1-9",
        "link site.tags 1-7",
      ]
    `)
  })

  test('clears what may be null, removes the one child, and creates it anew', () => {
    expect(patch({ mirrorId: null, homeId: null, banner: null })).toMatchInlineSnapshot(`
      [
        "delete banner 7",
        "update site 1 {"mirrorId":null,"homeId":null}",
      ]
    `)
    const { banner: _, ...bare } = site
    const record = { ...bare, banner: null }
    expect(inLines(undisturbed('patch', model, 'site', { record }, { banner: { text: 'c' } }))).toMatchInlineSnapshot(`
      [
        "insert banner {"new":0} {"siteId":1,"text":"c"}",
      ]
    `)
  })
})

describe('DELETE', () => {
  test('links go, then what knows or optionally needs lets go, then records, those that name others first', () => {
    expect(inLines(undisturbed('delete', model, 'site', { record: site }))).toMatchInlineSnapshot(`
      [
        "unlinkAll site.editors from 1",
        "unlinkAll site.tags from 1",
        "unlinkAll page.related from 11,12,13",
        "unlinkAll page.related to 11,12,13",
        "unlinkAll section.images from 31",
        "clear site.home 11,12,13",
        "clear page.next 11,12,13",
        "release page.hero 11,12,13",
        "delete section 31",
        "delete banner 7",
        "delete image 21,22,23",
        "delete page 11,12,13",
        "delete site 1",
      ]
    `)
  })

  test('a tree goes in one step', () => {
    expect(inLines(undisturbed('delete', model, 'node', { record: root }))).toMatchInlineSnapshot(`
      [
        "delete node 1,2,3,4,5",
      ]
    `)
    expect(inLines(undisturbed('delete', model, 'node', { record: leaf }))).toMatchInlineSnapshot(`
      [
        "delete node 4",
      ]
    `)
  })

  test('a child goes with what it owns', () => {
    expect(
      inLines(undisturbed('delete', model, 'page', { record: first, owner: { relation: 'site', id: 1 } })),
    ).toMatchInlineSnapshot(`
      [
        "unlinkAll page.related from 11",
        "unlinkAll page.related to 11",
        "unlinkAll section.images from 31",
        "clear site.home 11",
        "clear page.next 11",
        "delete section 31",
        "delete page 11",
      ]
    `)
    expect(
      inLines(
        undisturbed('delete', model, 'image', { record: { id: 21, file: 'a' }, owner: { relation: 'site', id: 1 } }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "delete image 21",
      ]
    `)
  })
})
