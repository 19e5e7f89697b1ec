import { defineResources, neededBy, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { inLines } from './library.ts'
import { branch, first, model, otherBranch, root, second, section, site, third } from './site.ts'
import { undisturbed } from './undisturbed.ts'

const imageB = { id: 22, file: 'b' }

const put = (body: object) => inLines(undisturbed('replace', model, 'site', { record: site }, { ...site, ...body }))
const patch = (body: object) => inLines(undisturbed('patch', model, 'site', { record: site }, body))
const putNode = (body: object) => inLines(undisturbed('replace', model, 'node', { record: root }, { ...root, ...body }))

test('rows that swap a unique field are parked first', () => {
  expect(put({ pages: [{ ...first, slot: 2 }, { ...second, slot: 1 }, third] })).toMatchInlineSnapshot(`
    [
      "park page 11 {"slot":null}; 12 {"slot":null}",
      "update page 11 {"slot":2}; 12 {"slot":1}",
    ]
  `)
})

test('rows that pass a unique field around are parked first', () => {
  const pages = [
    { ...first, slot: 2 },
    { ...second, slot: 3 },
    { ...third, slot: 1 },
  ]
  expect(put({ pages })).toMatchInlineSnapshot(`
    [
      "park page 11 {"slot":null}; 12 {"slot":null}; 13 {"slot":null}",
      "update page 11 {"slot":2}; 12 {"slot":3}; 13 {"slot":1}",
    ]
  `)
})

test('a row takes the unique value that another one turns from', () => {
  const pages = [
    { ...first, slot: 2 },
    { ...second, slot: 3 },
    { ...third, slot: 9 },
  ]
  expect(put({ pages })).toMatchInlineSnapshot(`
    [
      "park page 12 {"slot":null}; 13 {"slot":null}",
      "update page 11 {"slot":2}; 12 {"slot":3}; 13 {"slot":9}",
    ]
  `)
})

test('rows that swap a unique foreign key let go of it first', () => {
  expect(put({ pages: [{ ...first, heroId: 22 }, { ...second, heroId: 21 }, third] })).toMatchInlineSnapshot(`
    [
      "park page 11 {"heroId":null}; 12 {"heroId":null}",
      "update page 11 {"heroId":22}; 12 {"heroId":21}",
    ]
  `)
})

test('values that may not be null are parked at values of their own type', () => {
  const images = [
    { id: 21, file: 'b' },
    { id: 22, file: 'c' },
    { id: 23, file: 'a' },
  ]
  expect(put({ images })).toMatchInlineSnapshot(`
    [
      "park image 21 {"file":"0"}; 22 {"file":"1"}; 23 {"file":"2"}",
      "update image 21 {"file":"b"}; 22 {"file":"c"}; 23 {"file":"a"}",
    ]
  `)
})

test('a row takes the unique values of a child that is removed', () => {
  expect(put({ homeId: 12, pages: [{ ...second, slot: 1, heroId: 21 }, third] })).toMatchInlineSnapshot(`
    [
      "unlinkAll page.related from 11",
      "unlinkAll page.related to 11",
      "unlinkAll section.images from 31",
      "clear site.home 11",
      "clear page.next 11",
      "delete section 31",
      "delete page 11",
      "update site 1 {"homeId":12}",
      "update page 12 {"slot":1,"heroId":21}",
    ]
  `)
})

test('a new row takes the unique values of a child that is removed', () => {
  const pages = [{ title: 'new', slot: 1, heroId: 21 }, second, third]
  expect(put({ homeId: null, pages })).toMatchInlineSnapshot(`
    [
      "unlinkAll page.related from 11",
      "unlinkAll page.related to 11",
      "unlinkAll section.images from 31",
      "clear site.home 11",
      "clear page.next 11",
      "delete section 31",
      "delete page 11",
      "update site 1 {"homeId":null}",
      "insert page {"new":0} {"siteId":1,"title":"new","slot":1,"heroId":21,"nextId":null}",
    ]
  `)
})

test('a foreign key turns to another record while a row takes the unique value of the one that goes', () => {
  const turned = { ...first, heroId: null, sections: [{ ...section, imageId: 22, images: [{ id: 22 }] }] }
  const images = [imageB, { id: 23, file: 'a' }]
  expect(put({ pages: [turned, second, third], images })).toMatchInlineSnapshot(`
    [
      "unlink section.images 31-21",
      "release page.hero 11",
      "update section 31 {"imageId":22}",
      "delete image 21",
      "update image 23 {"file":"a"}",
      "update page 11 {"heroId":null}",
    ]
  `)
})

test('rows of a tree swap a unique value below one parent', () => {
  expect(
    putNode({
      nodes: [
        { ...branch, rank: 2 },
        { ...otherBranch, rank: 1 },
      ],
    }),
  ).toMatchInlineSnapshot(`
    [
      "park node 2 {"rank":null}; 3 {"rank":null}",
      "update node 2 {"rank":2}; 3 {"rank":1}",
    ]
  `)
})

test('a new row of a tree takes the unique value of a subtree that goes', () => {
  const nodes = [{ name: 'new', rank: 1, nodes: [{ name: 'below' }] }, otherBranch]
  expect(putNode({ nodes })).toMatchInlineSnapshot(`
    [
      "delete node 2,4,5",
      "insert node {"new":0} {"parentId":1,"name":"new","rank":1}; {"new":1} {"parentId":{"new":0},"name":"below","rank":null}",
    ]
  `)
})

test('rows with different fields are updated together, a swap among them is parked first', () => {
  const pages = [
    { id: 11, slot: 2 },
    { id: 12, slot: 1, title: 'both' },
    { id: 13, title: 'only' },
  ]
  expect(patch({ name: 'renamed', pages })).toMatchInlineSnapshot(`
    [
      "update site 1 {"name":"renamed"}",
      "park page 11 {"slot":null}; 12 {"slot":null}",
      "update page 11 {"slot":2}; 12 {"title":"both","slot":1}; 13 {"title":"only"}",
    ]
  `)
})

test('a row of a tree takes what another one gives up, and a new one takes its own', () => {
  const body = {
    nodes: [
      {
        id: 2,
        nodes: [
          { id: 4, rank: 3 },
          { name: 'new', rank: 1 },
        ],
      },
    ],
  }
  expect(inLines(undisturbed('patch', model, 'node', { record: root }, body))).toMatchInlineSnapshot(`
    [
      "update node 4 {"rank":3}",
      "insert node {"new":0} {"parentId":2,"name":"new","rank":1}",
    ]
  `)
})

const seating = defineResources({
  party: { fields: { name: Type.String() }, relations: { guests: owns.many('guest') } },
  guest: {
    fields: { code: Type.String(), vip: Type.Boolean() },
    relations: { party: ownedBy('party'), seat: needs.one('seat', { unique: true }) },
    unique: [['code'], ['party', 'vip']],
  },
  seat: { fields: { label: Type.String() }, relations: { guest: neededBy.one('guest') } },
})

test('rows swap required references and booleans, for which there are no temporary values, in a step of its own', () => {
  const guests = [
    { id: 1, code: 'a', vip: true, seatId: 7, seat: { id: 7, label: 'left' } },
    { id: 2, code: 'b', vip: false, seatId: 8, seat: { id: 8, label: 'right' } },
  ]
  const party = { id: 5, name: 'p', guests }
  const plan = (...changed: object[]) =>
    inLines(undisturbed('patch', seating, 'party', { record: party }, { guests: changed }))
  expect(plan({ id: 1, seatId: 8 }, { id: 2, seatId: 7 })).toMatchInlineSnapshot(`
    [
      "swap guest 1 {"seatId":8}; 2 {"seatId":7}, parked 1 {"seatId":-9007199254740991}; 2 {"seatId":-9007199254740990}",
    ]
  `)
  expect(plan({ id: 1, vip: false, code: 'b' }, { id: 2, vip: true, code: 'a' })).toMatchInlineSnapshot(`
    [
      "park guest 1 {"code":"0"}; 2 {"code":"1"}",
      "swap guest 1 {"code":"b","vip":false}; 2 {"code":"a","vip":true}, parked 1 {"vip":-2146249081}; 2 {"vip":-2146249080}",
    ]
  `)
})
